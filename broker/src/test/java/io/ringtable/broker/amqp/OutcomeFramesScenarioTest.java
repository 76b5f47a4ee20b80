package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.Address;
import io.ringtable.wire.Encoded;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Outcomes in both directions, frame by frame: ranges, what comes again, and what is settled. */
@Timeout(120)
class OutcomeFramesScenarioTest extends FrameScenario {
    @Test
    void outcomesOfNeighbouringDeliveriesLeaveInRangesAndCreditInBatches() {
        attachSender(peer, 0, "ranges");
        AtomicInteger frames = new AtomicInteger();
        AtomicInteger outcomes = new AtomicInteger();
        AtomicInteger credit = new AtomicInteger(CREDIT);
        for (int i = 0; i < 2 * CREDIT; i++) {
            peer.expectDisposition()
                    .withCapture(frame -> {
                        frames.incrementAndGet();
                        long last = frame.getLast() == null
                                ? frame.getFirst().longValue()
                                : frame.getLast().longValue();
                        outcomes.addAndGet((int) (last - frame.getFirst().longValue()) + 1);
                    })
                    .optional();
            peer.expectFlow()
                    .withCapture(flow -> credit.set(flow.getLinkCredit().intValue()))
                    .optional();
        }
        for (int i = 0; i < 5; i++) {
            publish(peer, 0, i, Encoded.text("message " + i));
        }
        Awaitility.await().until(() -> outcomes.get() == 5);
        assertThat(frames.get()).isBetween(1, 5);
        assertThat(broker.shard().lookup().find("ranges").quota().messages()).isGreaterThanOrEqualTo(5);
    }

    @Test
    void releasedDoesNotCountAndModifiedDoes() {
        attachSender(peer, 0, "again");
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        publish(peer, 0, 0, Encoded.text("x"));
        done(peer);
        attachReceiver(peer, "r", 1, "again");
        peer.expectTransfer().withDeliveryId(0).withPayload(Encoded.text("x"));
        flow(1, 0, 1);
        done(peer);
        peer.expectTransfer().withDeliveryId(1).withPayload(Encoded.text("x"));
        peer.remoteDisposition()
                .withRole(true)
                .withFirst(0)
                .withSettled(true)
                .withState()
                .released()
                .now();
        flow(1, 1, 1);
        done(peer);
        peer.expectTransfer()
                .withDeliveryId(2)
                .withMessage()
                .withHeader()
                .withDeliveryCount(1)
                .and()
                .withData("x".getBytes(StandardCharsets.UTF_8));
        peer.remoteDisposition()
                .withRole(true)
                .withFirst(1)
                .withSettled(true)
                .withState()
                .modified(true)
                .now();
        flow(1, 2, 1);
        done(peer);
    }

    @Test
    void anAcknowledgementThatIsNotSettledIsAnsweredWhenItIsDurable() {
        attachSender(peer, 0, "second");
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        publish(peer, 0, 0, Encoded.text("x"));
        done(peer);
        attachReceiver(peer, "r", 1, "second");
        peer.expectTransfer().withDeliveryId(0);
        flow(1, 0, 1);
        done(peer);
        peer.expectDisposition()
                .withRole(false)
                .withFirst(0)
                .withSettled(true)
                .withState()
                .accepted();
        peer.remoteDisposition()
                .withRole(true)
                .withFirst(0)
                .withSettled(false)
                .withState()
                .accepted()
                .now();
        done(peer);
    }

    @Test
    void aRangeWhoseEndIsSettledAlreadyEndsThere() {
        attachSender(peer, 0, "gaps");
        for (int i = 0; i < 4; i++) {
            peer.expectDisposition().optional();
            peer.expectFlow().optional();
        }
        for (int i = 0; i < 4; i++) {
            publish(peer, 0, i, Encoded.text("m" + i));
        }
        Address queue = broker.shard().lookup().find("gaps");
        Awaitility.await().until(() -> peer.getPerformativeCount() >= 4 + 2);
        attachReceiver(peer, "r", 1, "gaps");
        for (int i = 0; i < 4; i++) {
            peer.expectTransfer().withDeliveryId(i);
        }
        flow(1, 0, 4);
        done(peer);
        // 2 first, then 0 to 2: 3 must stay owed.
        settled(2, 2);
        settled(0, 2);
        Awaitility.await()
                .untilAsserted(() -> assertThat(queue.quota().messages()).isLessThanOrEqualTo(CREDIT + 1));
        peer.expectDetach().withClosed(true);
        peer.remoteDetach().withHandle(1).withClosed(true).now();
        done(peer);
        attachReceiver(peer, "r2", 2, "gaps");
        peer.expectTransfer().withPayload(Encoded.text("m3"));
        flow(2, 0, 1);
        done(peer);
    }

    private void settled(int first, int last) {
        peer.remoteDisposition()
                .withRole(true)
                .withFirst(first)
                .withLast(last)
                .withSettled(true)
                .withState()
                .accepted()
                .now();
    }
}
