package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.CoreMatchers.containsString;

import io.ringtable.broker.message.Address;
import io.ringtable.wire.Encoded;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transfers, batches of messages and credit, frame by frame. */
@Timeout(120)
class TransferFramesScenarioTest extends FrameScenario {
    @Test
    void aMessageComesBackByteForByteWithWhateverItCarried() {
        byte[] message = Encoded.message(
                new Header().setDurable(true).setPriority((byte) 6),
                new Properties().setMessageId("id-1").setTo("bytes"),
                new Data(new byte[] {1, 2, 3}),
                new Data(new byte[] {4}));
        attachSender(peer, 0, "bytes");
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        publish(peer, 0, 0, message);
        done(peer);
        attachReceiver(peer, "r", 1, "bytes");
        peer.expectTransfer()
                .withMessageFormat(0)
                .withSettled(false)
                .withMore(false)
                .withPayload(message);
        flow(1, 0, 1);
        done(peer);
    }

    @Test
    void aDrainIsAnsweredOnAnEmptyQueueAndVoidsTheCredit() {
        attachReceiver(peer, "r", 0, "empty");
        peer.expectFlow().withDeliveryCount(7).withLinkCredit(0).withDrain(true);
        peer.remoteFlow()
                .withHandle(0)
                .withDeliveryCount(0)
                .withLinkCredit(7)
                .withDrain(true)
                .withNextIncomingId(0)
                .withIncomingWindow(100)
                .withNextOutgoingId(0)
                .withOutgoingWindow(100)
                .now();
        done(peer);
    }

    @Test
    void aBatchIsManyMessagesWithOneOutcome() {
        attachSender(peer, 0, "batched");
        byte[] batch = Encoded.message(
                new Data(Encoded.text("one")), new Data(Encoded.text("two")), new Data(Encoded.text("three")));
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        transferBatch(0, batch);
        done(peer);
        attachReceiver(peer, "r", 1, "batched");
        peer.expectTransfer().withMessageFormat(0).withPayload(Encoded.text("one"));
        peer.expectTransfer().withMessageFormat(0).withPayload(Encoded.text("two"));
        peer.expectTransfer().withMessageFormat(0).withPayload(Encoded.text("three"));
        flow(1, 0, 3);
        done(peer);
    }

    @Test
    void aBatchWithOneBadMessageIsRefusedAsAWhole() {
        attachSender(peer, 0, "bad-batch");
        peer.expectDisposition()
                .withFirst(0)
                .withSettled(true)
                .withState()
                .rejected("amqp:decode-error", containsString("RT-4043"));
        transferBatch(0, Encoded.message(new Data(Encoded.text("good")), new Data(new byte[] {1, 2, 3})));
        done(peer);
        Address queue = broker.shard().lookup().find("bad-batch");
        Awaitility.await()
                .untilAsserted(() -> assertThat(queue.quota().messages()).isLessThanOrEqualTo(CREDIT));
    }

    private void transferBatch(int deliveryId, byte[] batch) {
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(deliveryId)
                .withDeliveryTag(new byte[] {(byte) deliveryId})
                .withMessageFormat(0x80013700L)
                .withSettled(false)
                .withPayload(batch)
                .now();
    }

    @Test
    void aTransferWithoutCreditDetachesTheLinkAndNothingElse() {
        attachSender(peer, 0, "greedy");
        for (int i = 0; i < 40; i++) {
            peer.expectDisposition().optional();
            peer.expectFlow().optional();
        }
        peer.expectDetach().withError("amqp:link:transfer-limit-exceeded", containsString("RT-4042"));
        byte[] burst = Encoded.text("x");
        peer.remoteBytes().withBytes(transfers(400, burst)).now();
        done(peer);
    }

    /** Frames of transfers on handle 0, written by hand so that they all arrive together. */
    private static byte[] transfers(int count, byte[] payload) {
        int size = 8 + 15 + payload.length;
        java.nio.ByteBuffer bytes = java.nio.ByteBuffer.allocate(count * size);
        for (int i = 0; i < count; i++) {
            bytes.putInt(size).put((byte) 2).put((byte) 0).putShort((short) 0);
            bytes.put(new byte[] {0, 0x53, 0x14, (byte) 0xc0, 10, 3}); // transfer, a list of three
            bytes.put((byte) 0x43); // handle 0
            bytes.put((byte) 0x70).putInt(i); // delivery-id
            bytes.put(new byte[] {(byte) 0xa0, 1, (byte) i}); // tag
            bytes.put(payload);
        }
        return bytes.array();
    }
}
