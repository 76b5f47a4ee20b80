package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.wire.Encoded;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The incoming windows of sessions (AMQP 1.0 section 2.5.6): a client that never uses the last frame of one is never stuck. */
class SessionWindowScenarioTest {
    private static final int CREDIT = 100;

    @TempDir
    Path directory;

    private TestBroker broker;
    private ProtonTestClient peer;
    private long window; // in frames

    @BeforeEach
    void start() throws Exception {
        broker = TestBroker.start(directory, TestSettings.of("ringtable.amqp.link-credit", CREDIT));
        peer = FramePeer.open(broker, "client");
        AtomicLong opened = new AtomicLong();
        peer.expectAttach().ofReceiver();
        peer.expectFlow()
                .withLinkCredit(CREDIT)
                .withCapture(flow -> opened.set(flow.getIncomingWindow().longValue()));
        peer.remoteAttach()
                .ofSender()
                .withName("to-q")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress("q")
                .withCapabilities("queue")
                .and()
                .now();
        FramePeer.done(peer);
        window = opened.get();
    }

    @AfterEach
    void stop() {
        peer.close();
        broker.close();
    }

    private void transfer(int delivery, boolean more, byte[] payload) {
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(delivery)
                .withDeliveryTag(new byte[] {(byte) delivery})
                .withMessageFormat(0)
                .withSettled(false)
                .withMore(more)
                .withPayload(payload)
                .now();
    }

    /** Half of the window, as parts of one message that has no end. */
    private void sendHalfOfTheWindow(int delivery) {
        for (long frame = 0; frame < window / 2; frame++) {
            transfer(delivery, true, new byte[] {0});
        }
    }

    @Test
    void aWindowIsOpenedAnewWhenHalfOfItIsUsedUp() {
        assertThat(window).isGreaterThan(100);
        for (int n = 1; n <= 3; n++) {
            peer.expectFlow().withNextIncomingId(n * (window / 2)).withIncomingWindow(window);
            sendHalfOfTheWindow(0);
            FramePeer.done(peer);
        }
    }

    @Test
    void theClientsOwnWindowStaysAsItIs() {
        for (int delivery = 0; delivery < 5; delivery++) {
            peer.expectDisposition();
            transfer(delivery, false, Encoded.text("message " + delivery));
            FramePeer.done(peer);
        }
        peer.expectAttach().ofSender();
        peer.remoteAttach()
                .ofReceiver()
                .withName("from-q")
                .withHandle(1)
                .withSource()
                .withAddress("q")
                .withCapabilities("queue")
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
        FramePeer.done(peer);
        peer.expectTransfer().withNonNullPayload();
        peer.expectTransfer().withNonNullPayload();
        peer.remoteFlow()
                .withHandle(1)
                .withDeliveryCount(0)
                .withLinkCredit(100)
                .withNextIncomingId(0)
                .withIncomingWindow(2)
                .withNextOutgoingId(5)
                .withOutgoingWindow(1_000)
                .now();
        FramePeer.done(peer);
        peer.expectFlow().withIncomingWindow(window);
        sendHalfOfTheWindow(5);
        FramePeer.done(peer); // and not one more of the three messages that are left
    }
}
