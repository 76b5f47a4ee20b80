package io.ringtable.broker.dispatch.owed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DelayedMessagesTest {
    private final DelayedMessages delayed = new DelayedMessages();
    private final List<Long> due = new ArrayList<>();

    private int release(long now, int max) {
        return delayed.release(now, max, (sequence, priority) -> due.add(sequence));
    }

    @Test
    void releasesByTimeAndThenBySequence() {
        delayed.add(30, 1, 4);
        delayed.add(10, 5, 4);
        delayed.add(20, 2, 4);
        delayed.add(10, 3, 4);
        assertThat(delayed.next()).isEqualTo(10);
        assertThat(release(20, 10)).isEqualTo(3);
        assertThat(due).containsExactly(3L, 5L, 2L);
        assertThat(delayed.next()).isEqualTo(30);
    }

    @Test
    void releasesNothingBeforeItsTime() {
        delayed.add(10, 1, 4);
        assertThat(release(9, 10)).isZero();
        assertThat(release(10, 10)).isOne();
        assertThat(delayed.isEmpty()).isTrue();
        assertThat(delayed.next()).isEqualTo(DelayedMessages.NEVER);
    }

    @Test
    void releasesNoMoreAtATimeThanItMay() {
        for (long sequence = 0; sequence < 5; sequence++) {
            delayed.add(1, sequence, 4);
        }
        assertThat(release(1, 2)).isEqualTo(2);
        assertThat(delayed.next()).isEqualTo(1);
        assertThat(release(1, 10)).isEqualTo(3);
        assertThat(due).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void keepsThePriority() {
        List<Integer> priorities = new ArrayList<>();
        delayed.add(2, 1, 9);
        delayed.add(1, 2, 0);
        delayed.release(2, 10, (sequence, priority) -> priorities.add(priority));
        assertThat(priorities).containsExactly(0, 9);
    }

    @Test
    void whatIsRemovedIsNeverDue() {
        delayed.add(1, 1, 4);
        delayed.add(2, 2, 4);
        assertThat(delayed.remove(1)).isTrue();
        assertThat(delayed.remove(1)).as("a second time").isFalse();
        assertThat(delayed.contains(1)).isFalse();
        assertThat(delayed.next()).isEqualTo(2);
        release(2, 10);
        assertThat(due).containsExactly(2L);
    }

    @Test
    void clearForgetsEverything() {
        delayed.add(1, 1, 4);
        delayed.clear();
        assertThat(delayed.isEmpty()).isTrue();
        assertThat(release(Long.MAX_VALUE - 1, 10)).isZero();
    }

    @Test
    void staysInOrderHoweverManyComeAndGo() {
        Random random = new Random(4711);
        List<long[]> expected = new ArrayList<>();
        for (long sequence = 0; sequence < 5_000; sequence++) {
            long at = random.nextInt(500);
            delayed.add(at, sequence, 4);
            if (random.nextInt(4) == 0) {
                delayed.remove(sequence);
            } else {
                expected.add(new long[] {at, sequence});
            }
        }
        expected.sort(Comparator.<long[]>comparingLong(each -> each[0]).thenComparingLong(each -> each[1]));
        for (long now = 0; now < 500; now++) {
            release(now, Integer.MAX_VALUE);
        }
        assertThat(due).isEqualTo(expected.stream().map(each -> each[1]).toList());
    }
}
