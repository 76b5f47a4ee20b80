package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.wire.Encoded;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The incoming windows of sessions (AMQP 1.0 section 2.5.6): a client that never uses the last frame of one is never
 * stuck.
 */
class SessionWindowScenarioTest extends FrameScenario {
    private static final int MORE_CREDIT = 100;

    private long window; // in frames

    @Override
    int linkCredit() {
        return MORE_CREDIT;
    }

    @BeforeEach
    void attach() {
        window = attachSender(peer, 0, "q");
    }

    /** Half of the window, as parts of one message that has no end. */
    private void sendHalfOfTheWindow(int delivery) {
        for (long frame = 0; frame < window / 2; frame++) {
            FramePeer.transfer(peer, 0, delivery, true, new byte[] {0});
        }
    }

    @Test
    void aWindowIsOpenedAnewWhenHalfOfItIsUsedUp() {
        assertThat(window).isGreaterThan(100);
        for (int n = 1; n <= 3; n++) {
            peer.expectFlow().withNextIncomingId(n * (window / 2)).withIncomingWindow(window);
            sendHalfOfTheWindow(0);
            done(peer);
        }
    }

    @Test
    void theClientsOwnWindowStaysAsItIs() {
        for (int delivery = 0; delivery < 5; delivery++) {
            peer.expectDisposition();
            publish(peer, 0, delivery, Encoded.text("message " + delivery));
            done(peer);
        }
        attachReceiver(peer, "from-q", 1, "q");
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
        done(peer);
        peer.expectFlow().withIncomingWindow(window);
        sendHalfOfTheWindow(5);
        done(peer); // and not one more of the three messages that are left
    }
}
