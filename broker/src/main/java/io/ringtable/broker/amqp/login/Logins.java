package io.ringtable.broker.amqp.login;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.broker.amqp.login.LoginAttempt.Verdict;
import io.ringtable.broker.amqp.login.LoginFailures.Standing;
import io.ringtable.broker.amqp.settings.Authenticator;
import io.ringtable.broker.amqp.settings.LoginSettings;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks names and passwords, so that wrong ones cost those who send them: what was right lately costs no hash, origins take turns and
 * those that were right come first ({@link LoginQueue}), and who failed too often is put off without a hash ({@link LoginFailures}).
 * <p>
 * Thread: any asks; hashes are made on {@code amqp-login-N}. Failure: a check that throws is answered as refused and logged.
 */
public final class Logins {
    private static final Logger LOG = LoggerFactory.getLogger(Logins.class);
    /** At most half of the processors: whoever is connected needs the rest. */
    public static final int THREADS =
            Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 2));

    private static final int IDLE_SECONDS = 10;

    private final Authenticator authenticator;
    private final AmqpCounters counters;
    private final PeerLog log;
    private final LoginFailures failures;
    private final VerifiedLogins verified;
    private final LoginQueue queue = new LoginQueue(); // guarded by itself, with workers
    private int workers;
    private final ThreadPoolExecutor threads;

    public Logins(
            Authenticator authenticator,
            LoginSettings settings,
            AmqpCounters counters,
            PeerLog log,
            LongSupplier nanos) {
        this.authenticator = authenticator;
        this.counters = counters;
        this.log = log;
        this.failures = new LoginFailures(settings, nanos);
        this.verified = new VerifiedLogins(settings.remembered(), nanos);
        this.threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory("amqp-login", true));
        threads.allowCoreThreadTimeOut(true);
    }

    /** Whether every name may connect, and without one. */
    boolean isOpenToAll() {
        return authenticator == null;
    }

    /** Answers at once where no hash is needed; else when its turn has come, unless it has been withdrawn by then. */
    public void check(LoginAttempt attempt) {
        Verdict known = verdictWithoutHash(attempt);
        if (known == null && !add(attempt)) {
            known = Verdict.CROWDED;
        }
        if (known != null) {
            attempt.answer(known);
        }
    }

    /** The client is gone. */
    void withdraw(LoginAttempt attempt) {
        synchronized (queue) {
            queue.remove(attempt);
        }
    }

    /** For log lines: until a login of that origin and name is looked at again. */
    long waitMs(LoginAttempt attempt) {
        return TimeUnit.NANOSECONDS.toMillis(failures.waitNanos(attempt.origin(), attempt.name()));
    }

    private Verdict verdictWithoutHash(LoginAttempt attempt) {
        if (verified.knows(attempt.name(), attempt.password())) {
            return Verdict.PASSED;
        }
        return failures.waitNanos(attempt.origin(), attempt.name()) > 0 ? Verdict.PUT_OFF : null;
    }

    private boolean add(LoginAttempt attempt) {
        Standing standing = failures.standing(attempt.origin());
        synchronized (queue) {
            if (!queue.add(attempt, standing)) {
                return false;
            }
            if (workers == THREADS) {
                return true;
            }
            workers++;
        }
        try {
            threads.execute(this::work);
        } catch (RejectedExecutionException e) {
            LOG.debug("the server stops", e);
        }
        return true;
    }

    private void work() {
        for (LoginAttempt attempt; (attempt = next()) != null; ) {
            if (attempt.isWanted()) {
                attempt.answer(verdict(attempt));
            }
        }
    }

    private LoginAttempt next() {
        synchronized (queue) {
            LoginAttempt attempt = queue.poll();
            if (attempt == null) {
                workers--;
            }
            return attempt;
        }
    }

    /** Much may have become known while it waited. */
    private Verdict verdict(LoginAttempt attempt) {
        Verdict known = verdictWithoutHash(attempt);
        if (known != null) {
            return known;
        }
        boolean right;
        try {
            counters.loginsHashed.increment();
            right = authenticator.authenticate(attempt.name(), attempt.password());
        } catch (RuntimeException e) {
            log.warn("RT-4333 a login could not be checked: {}: look at the users in the configuration", e);
            LOG.debug("a login could not be checked", e);
            return Verdict.UNCHECKED;
        }
        if (right) {
            verified.remember(attempt.name(), attempt.password());
            failures.passed(attempt.origin(), attempt.name());
            return Verdict.PASSED;
        }
        failures.failed(attempt.origin(), attempt.name());
        return Verdict.WRONG;
    }

    /** Nobody is answered any more. */
    public void stop() {
        threads.shutdownNow();
    }
}
