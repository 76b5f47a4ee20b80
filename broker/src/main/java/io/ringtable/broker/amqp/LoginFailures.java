package io.ringtable.broker.amqp;

import java.util.function.LongSupplier;

/**
 * Says which logins are put off because too many failed before. It counts by address and user name, by address, and by user name; the
 * last stops only addresses that have failed with that name themselves, so that nobody locks a user out from elsewhere. It does not know
 * which names exist.
 * <p>
 * Thread: any.
 */
final class LoginFailures {
    private record Pair(String origin, String name) {}

    private final FailureBudget pairs;
    private final FailureBudget origins;
    private final FailureBudget names;
    private final LongSupplier nanos;

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

    synchronized void failed(String origin, String name) {
        long now = nanos.getAsLong();
        pairs.failed(new Pair(origin, name), now);
        origins.failed(origin, now);
        names.failed(name, now);
    }

    /** Its earlier failures were slips. */
    synchronized void passed(String origin, String name) {
        pairs.passed(new Pair(origin, name));
    }
}
