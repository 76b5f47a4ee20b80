package io.ringtable.broker.login;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts failures by key and forgives one of them after each interval: a token bucket that costs one number per key.
 * Remembers the {@value #KEYS_MAX} keys that failed last; a forgotten key counts as new.
 * <p>
 * Not thread-safe: {@link LoginFailures} guards it.
 */
final class FailureBudget {
    private static final int KEYS_MAX = 10_000;

    private final int most;
    private final long recoveryNanos;
    /** Holds by key when its last failure will be forgiven, the most recent failures last. */
    private final Map<Object, Long> forgivenAt = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Long> eldest) {
            return size() > KEYS_MAX;
        }
    };

    FailureBudget(int most, long recoveryNanos) {
        this.most = most;
        this.recoveryNanos = recoveryNanos;
    }

    public void failed(Object key, long now) {
        forgivenAt.merge(
                key, now + recoveryNanos, (before, first) -> (before - now > 0 ? before : now) + recoveryNanos);
    }

    public void passed(Object key) {
        forgivenAt.remove(key);
    }

    /** Returns how long the key must wait until it may fail again; 0 = it may now. */
    long waitNanos(Object key, long now) {
        return Math.max(0, owedNanos(key, now) - (most - 1) * recoveryNanos);
    }

    boolean hasFailed(Object key, long now) {
        return owedNanos(key, now) > 0;
    }

    private long owedNanos(Object key, long now) {
        Long at = forgivenAt.get(key);
        return at == null ? 0 : at - now;
    }
}
