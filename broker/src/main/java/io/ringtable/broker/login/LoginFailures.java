package io.ringtable.broker.login;

import io.ringtable.broker.config.SecurityProperties;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Decides which logins are put off because too many failed before, and in which order the others are checked. The class
 * counts failures by address and user name, by address, and by user name. The last count stops only addresses that have
 * failed with that name themselves, so nobody can lock a user out from elsewhere. The class does not know which names
 * exist.
 * <p>
 * Thread: any.
 */
final class LoginFailures {
    /** Ranks what is known of an origin; better ranks come first. */
    public enum Standing {
        /** Means that a login from there was right lately, and none wrong. */
        GOOD,
        NEW,
        /** Means that a login from there was wrong lately. */
        FAILED
    }

    private static final int GOOD_MAX = 10_000;

    /** How many times more an address may fail with all names together, and a name from all addresses together. */
    private static final int SUM_FACTOR = 10;

    private record Pair(String origin, String name) {}

    private final FailureBudget pairs;
    private final FailureBudget origins;
    private final FailureBudget names;
    private final LongSupplier nanos;
    /** Holds origins with a right login, the most recent last. */
    private final Map<String, Boolean> good = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > GOOD_MAX;
        }
    };

    LoginFailures(SecurityProperties bounds, LongSupplier nanos) {
        long recovery = bounds.loginFailureRecovery().toNanos();
        int failuresMax = bounds.loginFailuresMax();
        this.pairs = new FailureBudget(failuresMax, recovery);
        this.origins = new FailureBudget(failuresMax * SUM_FACTOR, recovery / SUM_FACTOR);
        this.names = new FailureBudget(failuresMax * SUM_FACTOR, recovery / SUM_FACTOR);
        this.nanos = nanos;
    }

    /** Returns how long the attempt must wait; 0 = the broker may check it now. */
    synchronized long waitNanos(String origin, String name) {
        long now = nanos.getAsLong();
        Pair pair = new Pair(origin, name);
        long wait = Math.max(pairs.waitNanos(pair, now), origins.waitNanos(origin, now));
        return pairs.hasFailed(pair, now) ? Math.max(wait, names.waitNanos(name, now)) : wait;
    }

    public synchronized Standing standing(String origin) {
        if (origins.hasFailed(origin, nanos.getAsLong())) {
            return Standing.FAILED;
        }
        return good.containsKey(origin) ? Standing.GOOD : Standing.NEW;
    }

    public synchronized void failed(String origin, String name) {
        long now = nanos.getAsLong();
        pairs.failed(new Pair(origin, name), now);
        origins.failed(origin, now);
        names.failed(name, now);
    }

    /** Forgives the earlier failures of a name and origin that logged in: they were slips. */
    public synchronized void passed(String origin, String name) {
        pairs.passed(new Pair(origin, name));
        good.put(origin, true);
    }
}
