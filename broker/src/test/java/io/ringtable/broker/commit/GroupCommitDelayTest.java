package io.ringtable.broker.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupCommitDelayTest {
    private static final int MICROS_MAX = 1_000;

    private long now = 5;
    private long waited;
    private final GroupCommitDelay linger = new GroupCommitDelay(MICROS_MAX, () -> now, nanos -> {
        waited += nanos;
        now += nanos;
    });

    @Test
    void waitsForThoseWhoHaveMoreOnTheirWayAsLongAsSomethingComesAndNoLongerThanItMay() {
        int messages = 6;
        List<FilteredWork> works = worksOf(2, messages);
        linger.begin();
        while (linger.step(works, messages)) {
            messages += 6;
        }
        assertThat(waited).isEqualTo(MICROS_MAX * 1_000L);
        assertThat(messages).isEqualTo(6 + 5 * 6);
    }

    @Test
    void goesAtOnceForThoseWhoWaitForEachOutcome() {
        linger.begin();
        assertThat(linger.step(worksOf(1, 1), 1)).isFalse();
        assertThat(linger.step(worksOf(64, 64), 64)).isFalse();
        assertThat(waited).isZero();
    }

    @Test
    void goesAtOnceWhenEnoughIsThere() {
        linger.begin();
        assertThat(linger.step(worksOf(1, 256), 256)).isFalse();
        assertThat(waited).isZero();
    }

    @Test
    void endsWithAStepThatBringsNothingAndThenSkipsMoreAndMoreFlushes() {
        List<Integer> tried = new ArrayList<>();
        for (int flush = 0; flush < 32; flush++) {
            long before = waited;
            linger.begin();
            while (linger.step(worksOf(1, 4), 4)) {
                assertThat(waited - before).as("one step").isEqualTo(200_000);
            }
            if (waited > before) {
                tried.add(flush);
            }
        }
        assertThat(tried).containsExactly(0, 2, 6, 14, 30);
    }

    @Test
    void isNotDoneWhereItIsSetToNothing() {
        GroupCommitDelay none = new GroupCommitDelay(0, () -> now, nanos -> waited += nanos);
        none.begin();
        assertThat(none.step(worksOf(1, 10), 10)).isFalse();
        assertThat(waited).isZero();
    }

    private static List<FilteredWork> worksOf(int connections, int count) {
        List<Mailbox> mailboxes = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            int number = i;
            mailboxes.add(() -> {
                throw new AssertionError("nobody wakes connection " + number);
            });
        }
        List<FilteredWork> works = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            works.add(FilteredWork.whole(
                    new Work(List.of(), List.of(), new OfConnection(mailboxes.get(i % connections)))));
        }
        return works;
    }

    private record OfConnection(Mailbox mailbox) implements Completion {
        @Override
        public void accepted() {
            throw new AssertionError("nothing is flushed here");
        }

        @Override
        public void refused(Refusal refusal) {
            throw new AssertionError("nothing is refused here: " + refusal);
        }
    }
}
