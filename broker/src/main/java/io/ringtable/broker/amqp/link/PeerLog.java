package io.ringtable.broker.amqp.link;

import io.ringtable.broker.message.Printable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Writes the log lines that peers cause, also those who have not logged in: each is one line without a stack trace, its values are made
 * {@link Printable}, and each kind of line has a budget of {@value #BURST} lines at once and {@value #PER_SECOND} a second after that. The next
 * line says how many were left out.
 * <p>
 * Thread: any.
 */
public final class PeerLog {
    private static final int BURST = 50;
    private static final int PER_SECOND = 5;
    private static final long NANOS_PER_LINE = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;

    private final Logger log;
    private final LongSupplier nanos;
    private final ConcurrentHashMap<String, Budget> budgets = new ConcurrentHashMap<>(); // by format

    public PeerLog(Logger log, LongSupplier nanos) {
        this.log = log;
        this.nanos = nanos;
    }

    /** @param format a constant, with its code at the head: lines of one format share a budget */
    public void warn(String format, Object... values) {
        long leftOut = leftOut(format);
        if (leftOut >= 0) {
            log.warn(line(format, leftOut), printable(values));
        }
    }

    public void info(String format, Object... values) {
        long leftOut = leftOut(format);
        if (leftOut >= 0) {
            log.info(line(format, leftOut), printable(values));
        }
    }

    private long leftOut(String format) {
        return budgets.computeIfAbsent(format, key -> new Budget()).take(nanos.getAsLong());
    }

    private static String line(String format, long leftOut) {
        return leftOut == 0 ? format : format + " (lines like this left out before: " + leftOut + ")";
    }

    private static Object[] printable(Object[] values) {
        Object[] shown = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            shown[i] = values[i] instanceof Number ? values[i] : Printable.value(values[i]);
        }
        return shown;
    }

    /** Its state is guarded by its own lock, held for a few instructions. */
    private static final class Budget {
        private long lines = BURST;
        private long since;
        private long leftOut;

        /** @return how many lines were left out before this one; -1 if it is to be left out as well */
        synchronized long take(long now) {
            long earned = (now - since) / NANOS_PER_LINE;
            if (lines + earned >= BURST) {
                lines = BURST;
                since = now;
            } else if (earned > 0) {
                lines += earned;
                since += earned * NANOS_PER_LINE;
            }
            if (lines == 0) {
                leftOut++;
                return -1;
            }
            lines--;
            long before = leftOut;
            leftOut = 0;
            return before;
        }
    }
}
