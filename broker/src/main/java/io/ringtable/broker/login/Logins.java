package io.ringtable.broker.login;

import io.ringtable.broker.access.Identity;
import io.ringtable.broker.login.LoginAttempt.Verdict;
import io.ringtable.broker.login.LoginFailures.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks names with passwords or proofs, so that wrong ones cost their senders. A password that was right lately costs
 * no hash. Origins take turns, and those with right logins come first ({@link LoginQueue}). After too many failures a
 * login is put off without a hash ({@link LoginFailures}). A broker has one of these for all ways in, so that nobody
 * has twice as many tries by using two.
 * <p>
 * Thread: any asks; threads {@code login-N} make hashes. Failure: the broker refuses a login whose check throws, and
 * logs it.
 */
public final class Logins {
    private static final Logger LOG = LoggerFactory.getLogger(Logins.class);
    /** Limits the threads to half of the processors: connected clients need the rest. */
    public static final int THREADS =
            Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 2));

    private static final int IDLE_SECONDS = 10;
    private static final AtomicInteger THREAD_NUMBERS = new AtomicInteger();

    private final LoginRules rules;
    private final Authenticator authenticator;
    private final LongAdder hashed;
    private final BiConsumer<String, Object> warn;
    private final LoginFailures failures;
    private final VerifiedLogins verified;
    private final LoginQueue queue = new LoginQueue(); // guarded by itself, with the next two
    private int workers;
    private boolean isStopped;
    private final ThreadPoolExecutor threads;

    /**
     * @param hashed counts passwords that were hashed
     * @param warn writes a line that clients cause, as often as the log can bear: its format, and the value in it
     * @param nanos ns of a clock that only goes forward
     */
    public Logins(LoginRules rules, LongAdder hashed, BiConsumer<String, Object> warn, LongSupplier nanos) {
        this.rules = rules;
        this.authenticator = rules.authenticator();
        this.hashed = hashed;
        this.warn = warn;
        this.failures = new LoginFailures(rules.bounds(), nanos);
        this.verified = new VerifiedLogins(rules.bounds().loginRemembered(), nanos);
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Logins::thread);
        threads.allowCoreThreadTimeOut(true);
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "login-" + THREAD_NUMBERS.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }

    /** Tells whether clients may connect under any name, and without one. */
    public boolean isOpenToAll() {
        return rules.isOpenToAll();
    }

    /** Lets a listener hear that users came, changed or went, until {@link #forget}. */
    public void onChange(Runnable listener) {
        if (authenticator != null) {
            authenticator.onChange(listener);
        }
    }

    public void forget(Runnable listener) {
        if (authenticator != null) {
            authenticator.forget(listener);
        }
    }

    public LoginRules rules() {
        return rules;
    }

    /** Answers immediately where no hash is needed; else when the attempt's turn comes, unless it was withdrawn. */
    public void check(LoginAttempt attempt) {
        Verdict known = verdictWithoutHash(attempt);
        if (known == null && !add(attempt)) {
            known = Verdict.CROWDED;
        }
        if (known != null) {
            attempt.answer(known);
        }
    }

    /** Returns what a login of that user stands on now; null if there is no such user. */
    public String proof(String name) {
        return authenticator.proof(name);
    }

    /**
     * Returns what says, whenever it is asked, who a user is that has passed; null once the user or the password is
     * gone.
     *
     * @param proof what the login stood on when it began; may be null
     */
    public Supplier<Identity> standing(String name, String proof) {
        return () -> proof != null && proof.equals(authenticator.proof(name))
                ? new Identity(name, authenticator.groups(name))
                : null;
    }

    /** Returns the same of a client that did not log in. */
    public Supplier<Identity> standingWithoutLogin() {
        return () -> isOpenToAll() ? Identity.ANONYMOUS : null;
    }

    /** Withdraws an attempt: its client is gone. */
    public void withdraw(LoginAttempt attempt) {
        synchronized (queue) {
            queue.remove(attempt);
        }
    }

    /**
     * Judges a proof that costs no slow hash, unless too many logins of that origin and name failed before. Thread:
     * any, event loops included.
     */
    public Verdict judge(String origin, String name, BooleanSupplier proof) {
        if (failures.waitNanos(origin, name) > 0) {
            return Verdict.PUT_OFF;
        }
        if (proof.getAsBoolean()) {
            failures.passed(origin, name);
            return Verdict.PASSED;
        }
        failures.failed(origin, name);
        return Verdict.WRONG;
    }

    /** Returns how long a login of that origin and name must wait, in ms, for log lines. */
    public long waitMs(String origin, String name) {
        return TimeUnit.NANOSECONDS.toMillis(failures.waitNanos(origin, name));
    }

    private Verdict verdictWithoutHash(LoginAttempt attempt) {
        if (attempt.password() != null
                && verified.knows(attempt.name(), attempt.password(), authenticator.proof(attempt.name()))) {
            return Verdict.PASSED;
        }
        return failures.waitNanos(attempt.origin(), attempt.name()) > 0 ? Verdict.PUT_OFF : null;
    }

    private boolean add(LoginAttempt attempt) {
        Standing standing = failures.standing(attempt.origin());
        synchronized (queue) {
            if (isStopped || !queue.add(attempt, standing)) {
                return false;
            }
            if (workers < THREADS) {
                workers++;
                threads.execute(this::work);
            }
            return true;
        }
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

    /** Checks the password, unless the verdict has become known while the attempt waited. */
    private Verdict verdict(LoginAttempt attempt) {
        Verdict known = verdictWithoutHash(attempt);
        if (known != null) {
            return known;
        }
        boolean right;
        String proof = authenticator.proof(attempt.name()); // as it is before the check
        try {
            if (attempt.password() != null) {
                hashed.increment();
            }
            right = attempt.isRight(authenticator);
        } catch (RuntimeException e) {
            warn.accept("RT-4333 the check of a login failed: {}: look at ringtable.security", e);
            LOG.debug("the check of a login failed", e);
            return Verdict.UNCHECKED;
        }
        if (right) {
            if (attempt.password() != null) {
                verified.remember(attempt.name(), attempt.password(), proof);
            }
            failures.passed(attempt.origin(), attempt.name());
            return Verdict.PASSED;
        }
        failures.failed(attempt.origin(), attempt.name());
        return Verdict.WRONG;
    }

    /** Stops all checks. Attempts that wait, or still come, are put off. */
    public void stop() {
        List<LoginAttempt> waiting = new ArrayList<>();
        synchronized (queue) {
            isStopped = true;
            for (LoginAttempt attempt; (attempt = queue.poll()) != null; ) {
                waiting.add(attempt);
            }
        }
        threads.shutdownNow();
        waiting.forEach(attempt -> attempt.answer(Verdict.CROWDED));
    }
}
