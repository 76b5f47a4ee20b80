package io.ringtable.broker.amqp.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import org.junit.jupiter.api.Test;

public class CoalescingTest {
    private static final int TURNS = 1_000;

    private long now;
    private int napped;
    private int ready;
    private final Coalescing coalescing = new Coalescing(() -> now, nanos -> {
        napped++;
        now += nanos;
    });

    @Test
    public void letsALoopThatIsWokenAgainAndAgainTakeNaps() throws Exception {
        ready = 3;
        int blocked = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            now += 10_000;
            int strategy = turn(false);
            assertThat(strategy).isIn(SelectStrategy.SELECT, ready);
            blocked += strategy == SelectStrategy.SELECT ? 1 : 0;
        }
        assertThat(napped).isGreaterThan(TURNS * 8 / 10);
        assertThat(blocked + napped).isEqualTo(TURNS);
    }

    @Test
    public void wakesALoopWithFewEventsAtOnce() throws Exception {
        ready = 1;
        for (int turn = 0; turn < TURNS; turn++) {
            now += turn % 16 == 0 ? 100_000 : 10_000;
            assertThat(turn(false)).isEqualTo(SelectStrategy.SELECT);
        }
        assertThat(napped).isZero();
    }

    @Test
    public void sleepsUntilItIsWokenOnceANapFoundNothing() throws Exception {
        ready = 1;
        while (napped == 0) {
            turn(false);
        }
        ready = 0;
        assertThat(turn(false)).isEqualTo(SelectStrategy.SELECT);
        int before = napped;
        assertThat(turn(false)).isEqualTo(SelectStrategy.SELECT);
        assertThat(napped).isEqualTo(before);
    }

    @Test
    public void neverNapsWhileTasksWait() throws Exception {
        ready = 1;
        for (int turn = 0; turn < TURNS; turn++) {
            assertThat(turn(true)).isEqualTo(ready);
        }
        assertThat(napped).isZero();
    }

    private int turn(boolean hasTasks) throws Exception {
        return coalescing.calculateStrategy(() -> ready, hasTasks);
    }
}
