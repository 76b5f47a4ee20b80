package io.ringtable.broker.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.SecurityProperties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

public class LoginFailuresTest {
    private static final SecurityProperties BOUNDS =
            TestSettings.of("ringtable.security.login-failures-max", 3).logins().bounds();

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final LoginFailures failures = new LoginFailures(BOUNDS, nanos::get);

    private void fail(String source, String name, int times) {
        for (int i = 0; i < times; i++) {
            failures.failed(source, name);
        }
    }

    private long waitMs(String source, String name) {
        return TimeUnit.NANOSECONDS.toMillis(failures.waitNanos(source, name));
    }

    @Test
    public void aNameOfAnAddressMayFailSoOftenAndOnceMoreAfterEachInterval() {
        fail("1.1.1.1", "ann", 2);
        assertThat(waitMs("1.1.1.1", "ann")).isZero();
        fail("1.1.1.1", "ann", 1);
        assertThat(waitMs("1.1.1.1", "ann")).isEqualTo(10_000);
        assertThat(waitMs("1.1.1.1", "bob")).isZero();
        assertThat(waitMs("2.2.2.2", "ann")).isZero();

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        assertThat(waitMs("1.1.1.1", "ann")).isZero();
        fail("1.1.1.1", "ann", 1);
        assertThat(waitMs("1.1.1.1", "ann")).isEqualTo(10_000);
    }

    @Test
    public void anAddressMayFailTenTimesAsOftenWithAllNames() {
        for (int i = 0; i < 30; i++) {
            assertThat(waitMs("1.1.1.1", "user" + i)).isZero();
            fail("1.1.1.1", "user" + i, 1);
        }
        assertThat(waitMs("1.1.1.1", "ann")).isEqualTo(1_000);
        assertThat(waitMs("2.2.2.2", "ann")).isZero();
    }

    @Test
    public void nobodyLocksAUserOutFromElsewhere() {
        for (int i = 0; i < 1_000; i++) {
            fail("1.1.1." + i, "ann", 1);
        }
        assertThat(waitMs("1.1.1.7", "ann")).as("an address that failed").isPositive();
        assertThat(waitMs("2.2.2.2", "ann")).as("an address that did not").isZero();
    }

    @Test
    public void whoeverWasRightBeginsAnew() {
        fail("1.1.1.1", "ann", 2);
        failures.passed("1.1.1.1", "ann");
        fail("1.1.1.1", "ann", 2);
        assertThat(waitMs("1.1.1.1", "ann")).isZero();
    }
}
