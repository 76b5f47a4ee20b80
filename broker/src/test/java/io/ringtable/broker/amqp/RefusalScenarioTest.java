package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.CoreMatchers.containsString;
import static org.hamcrest.Matchers.hasEntry;

import io.ringtable.broker.TestSettings;
import io.ringtable.wire.Encoded;
import java.nio.file.Path;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.apache.qpid.protonj2.test.driver.codec.primitives.Binary;
import org.apache.qpid.protonj2.test.driver.codec.primitives.Symbol;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.transactions.TransactionErrors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a client that sends hears that something was refused, where the rejected outcome cannot tell. */
@Timeout(120)
class RefusalScenarioTest {
    private static final String ACCEPTED = "amqp:accepted:list";
    private static final byte[] NO_MESSAGE = {1, 2, 3};

    @TempDir
    private Path directory;

    private TestBroker broker;
    private ProtonTestClient peer;

    private void start() throws Exception {
        start(TestSettings.of());
    }

    private void start(TestSettings settings) throws Exception {
        broker = TestBroker.start(directory, settings);
        peer = FramePeer.open(broker, "peer");
    }

    @AfterEach
    void stop() {
        peer.close();
        broker.close();
    }

    private void attachTo(String queue, String... outcomes) {
        peer.expectAttach().ofReceiver().withTarget().withAddress(queue);
        peer.expectFlow();
        peer.remoteAttach()
                .ofSender()
                .withName("publisher")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSource()
                .withOutcomes(outcomes)
                .and()
                .withTarget()
                .withAddress(queue)
                .and()
                .now();
        FramePeer.done(peer);
    }

    private void transfer(int deliveryId, boolean settled, byte[] payload) {
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(deliveryId)
                .withDeliveryTag(new byte[] {(byte) deliveryId})
                .withSettled(settled)
                .withPayload(payload)
                .now();
    }

    @Test
    void aSourceThatNamesNoOutcomesHearsByTheRejectedOne() throws Exception {
        start();
        attachTo("any-outcome");
        peer.expectDisposition().withState().rejected("amqp:decode-error", containsString("RT-4043"));
        transfer(0, false, NO_MESSAGE);
        FramePeer.done(peer);
    }

    @Test
    void aSourceThatDoesNotTakeTheRejectedOutcomeHearsByTheEndOfItsLinkWhichTransferItIsAbout() throws Exception {
        start();
        attachTo("accepted-only", ACCEPTED);
        peer.expectDisposition().withFirst(0).withState().accepted();
        transfer(0, false, Encoded.text("good"));
        FramePeer.done(peer);
        peer.expectDetach()
                .withClosed(true)
                .withError(
                        "amqp:decode-error",
                        containsString("RT-4043"),
                        hasEntry(Symbol.valueOf("delivery-tag"), new Binary(new byte[] {1})));
        transfer(1, false, NO_MESSAGE);
        FramePeer.done(peer);
    }

    @Test
    void whoDoesNotWaitForOutcomesHearsByTheEndOfItsLink() throws Exception {
        start();
        attachTo("settled");
        peer.expectDetach().withClosed(true).withError("amqp:decode-error", containsString("RT-4043"));
        transfer(0, true, NO_MESSAGE);
        FramePeer.done(peer);
    }

    @Test
    void whoDoesNotWaitForOutcomesLosesWhatThereIsNoRoomForAndGoesOn() throws Exception {
        start(Quotas.messages(1).with("ringtable.amqp.parked-timeout", "50ms"));
        peer.expectAttach().ofReceiver();
        peer.expectFlow();
        peer.remoteAttach()
                .ofSender()
                .withName("relay")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSource()
                .and()
                .withTarget()
                .and()
                .now();
        FramePeer.done(peer);
        transfer(0, true, to("small"));
        transfer(1, true, to("small"));
        Awaitility.await().until(() -> broker.counters().rejected.sum() == 1);
        peer.expectDisposition().withFirst(2).withState().accepted();
        transfer(2, false, to("other"));
        FramePeer.done(peer);
        assertThat(broker.shard().lookup().find("small").quota().messages()).isEqualTo(1);
    }

    private static byte[] to(String queue) {
        return Encoded.message(new Properties().setTo(queue), new AmqpValue<>("x"));
    }

    @Test
    void aTransferWithoutADeliveryTagEndsItsLink() throws Exception {
        start();
        attachTo("tags");
        peer.expectDetach().withClosed(true).withError("amqp:invalid-field", containsString("RT-4080"));
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(0)
                .withNullDeliveryTag()
                .withPayload(Encoded.text("untagged"))
                .now();
        FramePeer.done(peer);
        assertThat(broker.shard().lookup().find("tags").quota().messages()).isZero();
    }

    @Test
    void aControllerThatDoesNotTakeTheRejectedOutcomeHearsByTheEndOfItsLink() throws Exception {
        start();
        peer.expectAttach().ofReceiver();
        peer.expectFlow();
        peer.remoteAttach()
                .ofSender()
                .withName("coordinator")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSource()
                .withOutcomes(ACCEPTED)
                .and()
                .withCoordinator()
                .and()
                .now();
        FramePeer.done(peer);
        peer.expectDetach()
                .withClosed(true)
                .withError(TransactionErrors.UNKNOWN_ID.toString(), containsString("RT-4070"));
        byte[] discharge = {0x00, 0x53, 0x77, 0x00, 0x53, 0x32, (byte) 0xc0, 5, 1, (byte) 0xa0, 2, 'n', 'o'};
        transfer(0, false, discharge);
        FramePeer.done(peer);
    }
}
