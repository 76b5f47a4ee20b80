package io.ringtable.broker.amqp;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.wire.Encoded;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.apache.qpid.protonj2.test.driver.codec.messaging.TerminusDurability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that does not wait for answers, as Qpid Proton's do not. */
class PipelinedAttachScenarioTest {

    @TempDir
    private Path directory;

    @Test
    void creditGivenBeforeTheAnswerToAnAttachCounts() throws Exception {
        try (TestBroker broker = TestBroker.start(directory)) {
            broker.shard()
                    .catalog()
                    .ensure("prices", AddressKind.TOPIC)
                    .toCompletableFuture()
                    .join();
            ProtonTestClient peer = new ProtonTestClient();
            peer.queueClientSaslAnonymousConnect();
            peer.remoteOpen().withContainerId("pipelining").queue();
            peer.expectOpen();
            peer.remoteBegin()
                    .withNextOutgoingId(0)
                    .withIncomingWindow(1_000)
                    .withOutgoingWindow(1_000)
                    .queue();
            peer.expectBegin();

            // The subscription is new: the answer waits for its flush, and the credit is there before.
            peer.remoteAttach()
                    .ofReceiver()
                    .withName("audit")
                    .withHandle(0)
                    .withSource()
                    .withAddress("prices")
                    .withCapabilities("topic")
                    .withDurability(TerminusDurability.UNSETTLED_STATE)
                    .and()
                    .withTarget()
                    .withAddress("me")
                    .and()
                    .queue();
            peer.remoteFlow()
                    .withHandle(0)
                    .withIncomingWindow(1_000)
                    .withNextOutgoingId(0)
                    .withOutgoingWindow(1_000)
                    .withDeliveryCount(0)
                    .withLinkCredit(10)
                    .queue();
            peer.expectAttach().ofSender().withSource().withAddress("prices");
            peer.connect("127.0.0.1", broker.port());
            peer.waitForScriptToComplete(60, TimeUnit.SECONDS);

            peer.expectAttach().ofReceiver();
            peer.expectFlow();
            peer.remoteAttach()
                    .ofSender()
                    .withName("writer")
                    .withHandle(1)
                    .withInitialDeliveryCount(0)
                    .withSource()
                    .withAddress("me")
                    .and()
                    .withTarget()
                    .withAddress("prices")
                    .withCapabilities("topic")
                    .and()
                    .now();
            peer.waitForScriptToComplete(60, TimeUnit.SECONDS);

            peer.expectTransfer().withNonNullPayload();
            peer.remoteTransfer()
                    .withHandle(1)
                    .withDeliveryId(0)
                    .withDeliveryTag(new byte[] {0})
                    .withMessageFormat(0)
                    .withSettled(true)
                    .withPayload(Encoded.text("42"))
                    .now();
            peer.waitForScriptToComplete(60, TimeUnit.SECONDS);
            peer.close();
        }
    }
}
