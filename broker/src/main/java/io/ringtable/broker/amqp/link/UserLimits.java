package io.ringtable.broker.amqp.link;

import io.ringtable.broker.access.UserBounds;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Bounds what each user may have and do with all of its connections together: how many there are, and what they publish
 * in a second. Clients without a name have no such bound.
 * <p>
 * Thread: any.
 */
public final class UserLimits {
    /** The number of users from which the limits look for those that can be forgotten. */
    private static final int LOOK_AT = 10_000;

    private final Function<String, UserBounds> bounds; // of now, by user
    private final LongSupplier nanos;
    private final LongAdder stalls;
    private final ConcurrentHashMap<String, UserLimit> users = new ConcurrentHashMap<>(); // that are connected, or owe
    private volatile int lookAt = LOOK_AT; // written by any that has looked

    /**
     * @param bounds of a user, as they are now; the answer may change
     * @param stalls counts how often a connection waits for its user's rate
     */
    public UserLimits(Function<String, UserBounds> bounds, LongSupplier nanos, LongAdder stalls) {
        this.bounds = bounds;
        this.nanos = nanos;
        this.stalls = stalls;
    }

    /**
     * Counts a connection of the user, until {@link #leave}.
     *
     * @param user empty if nobody logs in
     * @return null if the user has as many connections as it may
     */
    public UserLimit enter(String user) {
        if (user.isEmpty()) {
            return UserLimit.NONE;
        }
        UserLimit[] entered = {null};
        users.compute(user, (name, known) -> {
            UserLimit limit = known == null ? new UserLimit(name, nanos, stalls) : known;
            limit.bound(bounds.apply(name));
            entered[0] = limit.enter() ? limit : null;
            return limit;
        });
        return entered[0];
    }

    /** Returns how many connections the user may have; 0 = no bound. */
    public int connectionsMax(String user) {
        return bounds.apply(user).connectionsMax();
    }

    /** Has the user of open connections follow its bounds of now. */
    public void boundsChanged(UserLimit limit) {
        users.computeIfPresent(limit.user(), (name, known) -> {
            known.bound(bounds.apply(name));
            return known;
        });
    }

    /** Ends the count of a connection. */
    public void leave(UserLimit limit) {
        if (limit == UserLimit.NONE) {
            return;
        }
        users.computeIfPresent(limit.user(), (name, known) -> {
            known.leave();
            return known.isForgettable() ? null : known;
        });
        if (users.size() > lookAt) {
            forgetAll();
        }
    }

    /** Forgets users who left before time had paid for what they published. */
    private void forgetAll() {
        for (String name : List.copyOf(users.keySet())) {
            users.computeIfPresent(name, (key, known) -> known.isForgettable() ? null : known);
        }
        lookAt = Math.max(LOOK_AT, 2 * users.size());
    }

    /** Returns how many users are remembered. */
    int size() {
        return users.size();
    }
}
