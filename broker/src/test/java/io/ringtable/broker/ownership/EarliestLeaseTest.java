package io.ringtable.broker.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several leases of one node: the first that ends silences it. */
class EarliestLeaseTest {
    private static final Duration LENGTH = Duration.ofSeconds(20);
    private static final Duration USABLE = Duration.ofSeconds(19);

    private long now;
    private final Lease first = Lease.begun(LENGTH, () -> now, 0);
    private final Lease second = Lease.begun(LENGTH, () -> now, 0);
    private final Lease all = Lease.earliest(List.of(first, second));

    @Test
    void theOneThatEndsFirstCounts() {
        now = Duration.ofSeconds(10).toNanos();
        first.renewed(now);
        assertThat(all.leftNanos()).isEqualTo(USABLE.toNanos() - now);
        assertThat(all.isOver()).isFalse();
        now = USABLE.toNanos();
        assertThat(first.isOver()).isFalse();
        assertThat(all.isOver()).isTrue();
    }

    @Test
    void aLeaseThatIsTakenAwayEndsAll() {
        second.end();
        assertThat(all.isOver()).isTrue();
        assertThat(first.isOver()).isFalse();
    }

    @Test
    void itsEndEndsEach() {
        all.end();
        assertThat(first.isOver()).isTrue();
        assertThat(second.isOver()).isTrue();
    }

    @Test
    void oneLeaseStandsForItself() {
        assertThat(Lease.earliest(List.of(first))).isSameAs(first);
    }
}
