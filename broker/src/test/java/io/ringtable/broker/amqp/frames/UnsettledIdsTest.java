package io.ringtable.broker.amqp.frames;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Knows what is unsettled, beside a set that knows it too. */
public class UnsettledIdsTest {
    private static final long LAST = (1L << 32) - 1;

    @Test
    public void findsWhatASetFinds() {
        Random random = new Random(3);
        for (int round = 0; round < 20; round++) {
            UnsettledIds ids = new UnsettledIds();
            TreeSet<Long> set = new TreeSet<>();
            long next = random.nextInt(100_000);
            for (int step = 0; step < 5_000; step++) {
                if (random.nextInt(3) > 0) {
                    next += random.nextInt(50) == 0 ? random.nextInt(20_000) : 1;
                    ids.add((int) next);
                    set.add(next);
                } else if (!set.isEmpty()) {
                    Long gone = set.ceiling((long) (random.nextDouble() * next));
                    if (gone != null) {
                        ids.remove(gone.intValue());
                        set.remove(gone);
                    }
                }
                long first = (long) (random.nextDouble() * next);
                long last = first + random.nextInt(30_000);
                Long expected = set.ceiling(first);
                assertThat(ids.next(first, last))
                        .isEqualTo(expected == null || expected > last ? UnsettledIds.NONE : expected);
            }
        }
    }

    @Test
    public void knowsTheRelayNumbersBeforeTheyBeginAgain() {
        UnsettledIds ids = new UnsettledIds();
        ids.add(-2);
        ids.add(-1);
        ids.add(0);
        assertThat(ids.next(LAST - 10, LAST)).isEqualTo(LAST - 1);
        ids.remove(-2);
        assertThat(ids.next(LAST - 10, LAST)).isEqualTo(LAST);
        assertThat(ids.next(0, 10)).isZero();
        ids.remove(-1);
        assertThat(ids.next(1, LAST)).isEqualTo(UnsettledIds.NONE);
    }
}
