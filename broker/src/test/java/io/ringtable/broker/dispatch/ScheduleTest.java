package io.ringtable.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private final Schedule schedule = new Schedule();
    private final List<Long> due = new ArrayList<>();

    private int release(long now, int max) {
        return schedule.release(now, max, (sequence, priority) -> due.add(sequence));
    }

    @Test
    void releasesByTimeAndThenBySequence() {
        schedule.add(30, 1, 4);
        schedule.add(10, 5, 4);
        schedule.add(20, 2, 4);
        schedule.add(10, 3, 4);
        assertThat(schedule.next()).isEqualTo(10);
        assertThat(release(20, 10)).isEqualTo(3);
        assertThat(due).containsExactly(3L, 5L, 2L);
        assertThat(schedule.next()).isEqualTo(30);
    }

    @Test
    void releasesNothingBeforeItsTime() {
        schedule.add(10, 1, 4);
        assertThat(release(9, 10)).isZero();
        assertThat(release(10, 10)).isOne();
        assertThat(schedule.isEmpty()).isTrue();
        assertThat(schedule.next()).isEqualTo(Schedule.NEVER);
    }

    @Test
    void releasesNoMoreAtATimeThanItMay() {
        for (long sequence = 0; sequence < 5; sequence++) {
            schedule.add(1, sequence, 4);
        }
        assertThat(release(1, 2)).isEqualTo(2);
        assertThat(schedule.next()).isEqualTo(1);
        assertThat(release(1, 10)).isEqualTo(3);
        assertThat(due).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void keepsThePriority() {
        List<Integer> priorities = new ArrayList<>();
        schedule.add(2, 1, 9);
        schedule.add(1, 2, 0);
        schedule.release(2, 10, (sequence, priority) -> priorities.add(priority));
        assertThat(priorities).containsExactly(0, 9);
    }

    @Test
    void whatIsRemovedIsNeverDue() {
        schedule.add(1, 1, 4);
        schedule.add(2, 2, 4);
        assertThat(schedule.remove(1)).isTrue();
        assertThat(schedule.remove(1)).as("a second time").isFalse();
        assertThat(schedule.contains(1)).isFalse();
        assertThat(schedule.next()).isEqualTo(2);
        release(2, 10);
        assertThat(due).containsExactly(2L);
    }

    @Test
    void clearForgetsEverything() {
        schedule.add(1, 1, 4);
        schedule.clear();
        assertThat(schedule.isEmpty()).isTrue();
        assertThat(release(Long.MAX_VALUE - 1, 10)).isZero();
    }

    @Test
    void staysInOrderHoweverManyComeAndGo() {
        Random random = new Random(4711);
        List<long[]> expected = new ArrayList<>();
        for (long sequence = 0; sequence < 5_000; sequence++) {
            long at = random.nextInt(500);
            schedule.add(at, sequence, 4);
            if (random.nextInt(4) == 0) {
                schedule.remove(sequence);
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
