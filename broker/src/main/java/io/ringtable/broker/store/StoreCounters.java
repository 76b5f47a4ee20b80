package io.ringtable.broker.store;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what an engine tells about its own log, apart from what its callers can measure. An engine whose commit is
 * part of one call, and whose log is its server's, adds nothing here.
 * <p>
 * Thread: any writer adds; any reads.
 */
public final class StoreCounters {
    /** Counts commits that were a statement of their own. */
    public final LongAdder commits = new LongAdder();
    /** Sums the time of those commits in ns, the sync of the log included. */
    public final LongAdder commitNanos = new LongAdder();
    /** Sums the bytes written to the log. */
    public final LongAdder logBytes = new LongAdder();
}
