package io.ringtable.broker.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class StepQueueTest {
    static final Address ADDRESS = new Address(1, "orders", AddressKind.QUEUE, new AddressQuota(1, 1));

    private static final int PER_SECOND = 500;

    @Test
    void writesOnItsOwnThread() {
        List<String> threads = new CopyOnWriteArrayList<>();
        try (StepQueue queue =
                new StepQueue(step -> threads.add(Thread.currentThread().getName()), PER_SECOND)) {
            queue.ended(step(1));
            await().untilAsserted(() -> assertThat(threads).containsExactly("tracer"));
        }
    }

    @Test
    void writesWhatWasToldBeforeItCloses() {
        List<Integer> written = new CopyOnWriteArrayList<>();
        StepQueue queue = new StepQueue(step -> written.add(step.bytes()), PER_SECOND);
        for (int i = 1; i <= 3; i++) {
            queue.ended(step(i));
        }
        queue.close();

        assertThat(written).containsExactly(1, 2, 3);
        assertThat(queue.dropped()).isZero();
    }

    @Test
    void dropsAndCountsWhatComesTooFastAndKeepsNobodyWaiting() {
        CountDownLatch stuck = new CountDownLatch(1);
        List<Integer> written = new CopyOnWriteArrayList<>();
        StepQueue queue = new StepQueue(
                step -> {
                    try {
                        stuck.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    written.add(step.bytes());
                },
                PER_SECOND);
        int told = 40_000;
        for (int i = 0; i < told; i++) {
            queue.ended(step(i));
        }
        long dropped = queue.dropped();
        stuck.countDown();
        queue.close();

        assertThat(dropped).isBetween(20_000L, told - 16_384L);
        assertThat(written).hasSize((int) (told - dropped)).isSorted();
    }

    @Test
    void countsWhatCannotBeWrittenAndGoesOn() {
        List<Integer> written = new CopyOnWriteArrayList<>();
        StepQueue queue = new StepQueue(
                step -> {
                    if (step.bytes() == 1) {
                        throw new IllegalStateException("this one is refused");
                    }
                    written.add(step.bytes());
                },
                PER_SECOND);
        queue.ended(step(1));
        queue.ended(step(2));
        queue.close();

        assertThat(written).containsExactly(2);
        assertThat(queue.dropped()).isEqualTo(1);
    }

    private static TracedStep step(int bytes) {
        TraceContext context = new TraceContext("1".repeat(32), "2".repeat(16));
        return new TracedStep(TracedStep.Kind.COMMIT, context, 1, 2, "orders", "", bytes, null, null);
    }
}
