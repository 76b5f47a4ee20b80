package io.ringtable.broker.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Several leases of one node: what belongs to no shard in particular leaves while one of them runs. */
class LatestLeaseTest {
    private static final Duration LENGTH = Duration.ofSeconds(20);
    private static final Duration USABLE = Duration.ofSeconds(19);

    private long now;
    private final Lease first = Lease.begun(LENGTH, () -> now, 0);
    private Lease second = Lease.begun(LENGTH, () -> now, 0);
    private final Lease any = Lease.latest(() -> Stream.of(first, second));

    @Test
    void theOneThatEndsLastCounts() {
        now = Duration.ofSeconds(10).toNanos();
        first.renewed(now);
        assertThat(any.leftNanos()).isEqualTo(USABLE.toNanos());
        now = USABLE.toNanos();
        assertThat(second.isOver()).isTrue();
        assertThat(any.isOver()).isFalse();
        now += USABLE.toNanos();
        assertThat(any.isOver()).isTrue();
    }

    @Test
    void aLeaseThatIsTakenAwayLeavesTheOthers() {
        second.end();
        assertThat(any.isOver()).isFalse();
        first.end();
        assertThat(any.isOver()).isTrue();
    }

    @Test
    void theLeaseOfAShardThatCameBackCounts() {
        first.end();
        second.end();
        second = Lease.begun(LENGTH, () -> now, 0);
        assertThat(any.isOver()).isFalse();
        assertThat(any.isBounded()).isTrue();
    }

    @Test
    void itsEndEndsEach() {
        any.end();
        assertThat(first.isOver()).isTrue();
        assertThat(second.isOver()).isTrue();
    }
}
