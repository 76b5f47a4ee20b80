package io.ringtable.broker.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.store.RingOwnership;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The keeper renews in time, however long the database took to give the shard; the clock is the test's. */
class LeaseKeeperTest {
    private static final Duration LENGTH = Duration.ofSeconds(2);
    private static final long EPOCH = 7;

    private final CountDownLatch renewed = new CountDownLatch(1);

    /** Renews for whoever owns the shard, and is asked for nothing else. */
    private RingOwnership store() {
        return (RingOwnership) Proxy.newProxyInstance(
                RingOwnership.class.getClassLoader(),
                new Class<?>[] {RingOwnership.class},
                (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("renew");
                    assertThat(arguments).containsExactly(EPOCH);
                    renewed.countDown();
                    return null;
                });
    }

    @Test
    void aLeaseOfWhichMuchIsGoneWhenItIsGivenIsRenewedAtOnce() throws InterruptedException {
        long asked = 0;
        long now = LENGTH.toNanos() / 4 * 3; // the answer took so long, and the clock stands still from now on
        Lease lease = Lease.begun(LENGTH, () -> now, asked);
        long left = lease.leftNanos();

        LeaseKeeper keeper = new LeaseKeeper("lease-keeper", store(), lease, LENGTH, asked, EPOCH, reason -> {});
        try {
            keeper.start();
            assertThat(renewed.await(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            keeper.close();
        }

        assertThat(left).isPositive();
    }

    @Test
    void aRenewalCountsAsLateOnceHalfOfTheLeaseIsOver() {
        AtomicLong now = new AtomicLong();
        Lease lease = Lease.begun(LENGTH, now::get, 0);

        now.set(LENGTH.toNanos() / 4);
        lease.renewed(now.get());
        long inTime = lease.lateRenewals();
        long asked = now.addAndGet(LENGTH.toNanos() / 4);
        now.addAndGet(LENGTH.toNanos() / 4); // the database took so long to answer
        lease.renewed(asked);

        assertThat(inTime).isZero();
        assertThat(lease.lateRenewals()).isEqualTo(1);
    }
}
