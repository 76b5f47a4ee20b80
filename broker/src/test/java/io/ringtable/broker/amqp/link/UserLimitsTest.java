package io.ringtable.broker.amqp.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.access.UserBounds;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class UserLimitsTest {
    private static final String USERS = "ringtable.security.users[0].";

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // it overflows

    private UserLimits limits(Object... namesAndValues) {
        return new UserLimits(TestSettings.of(namesAndValues).logins()::boundsOf, nanos::get, new LongAdder());
    }

    private void pass(long ms) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
    }

    @Test
    void aUserHasAsManyConnectionsAsItMayAndOthersHaveTheirOwn() {
        UserLimits limits = limits("ringtable.security.user-connections-max", 2);
        UserLimit first = limits.enter("shop");

        assertThat(limits.enter("shop")).isSameAs(first);
        assertThat(limits.enter("shop")).isNull();
        assertThat(limits.enter("other")).isNotNull();

        limits.leave(first);
        assertThat(limits.enter("shop")).isNotNull();
        assertThat(limits.enter("shop")).isNull();
    }

    @Test
    void theBoundsOfTheUserItselfComeFirstAndZeroIsNone() {
        UserLimits limits = limits(
                "ringtable.security.user-connections-max",
                1,
                "ringtable.security.user-messages-per-second",
                1,
                USERS + "name",
                "import",
                USERS + "password",
                "{external}",
                USERS + "connections-max",
                0,
                USERS + "messages-per-second",
                0,
                USERS + "bytes-per-second",
                "1KB");
        assertThat(limits.enter("import")).isNotNull();
        UserLimit limit = limits.enter("import");

        limit.take(1_000_000, 0);
        assertThat(limit.isUsedUp()).isFalse();
        limit.take(0, 2_048);
        assertThat(limit.waitMs()).isEqualTo(1_000);
    }

    @Test
    void aClientWithoutANameHasNoBound() {
        UserLimits limits =
                limits("ringtable.security.user-connections-max", 1, "ringtable.security.user-messages-per-second", 1);
        limits.enter("");
        UserLimit limit = limits.enter("");

        limit.take(1_000, 1_000);

        assertThat(limit.isUsedUp()).isFalse();
        assertThat(limit.window(1_000, 1)).isEqualTo(1_000);
    }

    @Test
    void aUserIsAheadByOneSecondAndThenPaysForEachMessage() {
        UserLimit limit =
                limits("ringtable.security.user-messages-per-second", 100).enter("shop");

        limit.take(100, 1_000_000);
        assertThat(limit.isUsedUp()).isFalse();
        limit.take(50, 0);
        assertThat(limit.isUsedUp()).isTrue();
        assertThat(limit.waitMs()).isEqualTo(500);

        pass(499);
        assertThat(limit.isUsedUp()).isTrue();
        pass(1);
        assertThat(limit.isUsedUp()).isFalse();

        pass(60_000); // a rest makes nobody richer than one second
        limit.take(101, 0);
        assertThat(limit.waitMs()).isEqualTo(10);
    }

    @Test
    void allConnectionsOfAUserPayTogether() {
        UserLimits limits = limits("ringtable.security.user-bytes-per-second", "1000B");
        UserLimit one = limits.enter("shop");
        UserLimit two = limits.enter("shop");

        one.take(1, 1_000);
        assertThat(two.isUsedUp()).isFalse();
        one.take(1, 1);
        assertThat(two.isUsedUp()).isTrue();
    }

    @Test
    void anotherRateCountsAtOnceAndWhatIsOwedCostsWhatItCostsNow() {
        AtomicReference<UserBounds> bounds = new AtomicReference<>(new UserBounds(0, 10, 0));
        UserLimits limits = new UserLimits(user -> bounds.get(), nanos::get, new LongAdder());
        UserLimit limit = limits.enter("shop");
        limit.take(30, 1_000_000);
        assertThat(limit.waitMs()).isEqualTo(2_000);

        bounds.set(new UserBounds(0, 100, 0));
        limits.boundsChanged(limit);
        assertThat(limit.waitMs()).isEqualTo(200);
        bounds.set(new UserBounds(0, 5, 0));
        limits.boundsChanged(limit);
        assertThat(limit.waitMs()).isEqualTo(4_000);

        bounds.set(UserBounds.NONE);
        limits.boundsChanged(limit);
        limit.take(1_000_000, 1_000_000);
        assertThat(limit.isUsedUp()).isFalse();
        assertThat(limit.window(1_000, 1)).isEqualTo(1_000);

        bounds.set(new UserBounds(0, 0, 1_000));
        limits.boundsChanged(limit);
        limit.take(1, 1_000);
        assertThat(limit.isUsedUp()).as("one second is free").isFalse();
        limit.take(1, 500);
        assertThat(limit.waitMs()).isEqualTo(500);
    }

    @Test
    void anotherNumberOfConnectionsCountsForNewOnesAndClosesNone() {
        AtomicReference<UserBounds> bounds = new AtomicReference<>(new UserBounds(3, 0, 0));
        UserLimits limits = new UserLimits(user -> bounds.get(), nanos::get, new LongAdder());
        UserLimit limit = limits.enter("shop");
        limits.enter("shop");

        bounds.set(new UserBounds(1, 0, 0));
        limits.boundsChanged(limit);
        assertThat(limits.enter("shop")).isNull();
        limits.leave(limit);
        assertThat(limits.enter("shop")).as("one is open still").isNull();
        bounds.set(new UserBounds(2, 0, 0));
        assertThat(limits.enter("shop")).isSameAs(limit);
    }

    @Test
    void aUserThatConnectsAnewOwesWhatItOwed() {
        UserLimits limits = limits("ringtable.security.user-messages-per-second", 10);
        UserLimit before = limits.enter("shop");
        before.take(30, 0);
        limits.leave(before);

        UserLimit after = limits.enter("shop");
        assertThat(after.waitMs()).isEqualTo(2_000);

        pass(3_000);
        limits.leave(after);
        assertThat(limits.size()).as("users that owe nothing").isZero();
    }

    @Test
    void aLinkHasCreditForAQuarterOfASecondAndForOneMessageAtLeast() {
        UserLimits limits = limits(
                "ringtable.security.user-messages-per-second", 400, "ringtable.security.user-bytes-per-second", "40KB");
        UserLimit limit = limits.enter("shop");

        assertThat(limit.window(1_000, 1)).isEqualTo(100);
        assertThat(limit.window(10, 1)).isEqualTo(10);
        assertThat(limit.window(1_000, 1_024)).isEqualTo(10);
        assertThat(limit.window(1_000, 1_000_000)).isEqualTo(1);
    }
}
