package io.ringtable.broker.amqp.login;

import io.ringtable.broker.amqp.settings.LoginSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Says which logins are put off because too many failed before, and in which order the others are looked at. It counts by address and user name, by address, and by user name; the
 * last stops only addresses that have failed with that name themselves, so that nobody locks a user out from elsewhere. It does not know
 * which names exist.
 * <p>
 * Thread: any.
 */
final class LoginFailures {
    /** What is known of an origin; the better ones come first. */
    public enum Standing {
        /** Somebody there was right lately, and nobody wrong. */
        GOOD,
        NEW,
        /** Somebody there was wrong lately. */
        FAILED
    }

    private static final int GOOD_MAX = 10_000;

    private record Pair(String origin, String name) {}

    private final FailureBudget pairs;
    private final FailureBudget origins;
    private final FailureBudget names;
    private final LongSupplier nanos;
    /** Origins where somebody was right; those of late stand last. */
    private final Map<String, Boolean> good = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > GOOD_MAX;
        }
    };

    LoginFailures(LoginSettings settings, LongSupplier nanos) {
        long recovery = settings.failureRecovery().toNanos();
        int sum = LoginSettings.SUM_FACTOR;
        this.pairs = new FailureBudget(settings.failuresMax(), recovery);
        this.origins = new FailureBudget(settings.failuresMax() * sum, recovery / sum);
        this.names = new FailureBudget(settings.failuresMax() * sum, recovery / sum);
        this.nanos = nanos;
    }

    /** Until it may be tried; 0 = now. */
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

    /** Its earlier failures were slips. */
    public synchronized void passed(String origin, String name) {
        pairs.passed(new Pair(origin, name));
        good.put(origin, true);
    }
}
