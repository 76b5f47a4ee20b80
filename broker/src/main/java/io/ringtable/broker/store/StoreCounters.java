package io.ringtable.broker.store;

import java.util.concurrent.atomic.LongAdder;

/**
 * What an engine tells about its own log, apart from what its callers can measure. An engine whose commit is part of one
 * call, and whose log is its server's, adds nothing here.
 * <p>
 * Thread: whoever writes adds; any reads.
 */
public final class StoreCounters {
    /** Commits that were a statement of their own. */
    public final LongAdder commits = new LongAdder();
    /** Time of those, the sync of the log included. */
    public final LongAdder commitNanos = new LongAdder();
    /** Bytes written to the log. */
    public final LongAdder logBytes = new LongAdder();
}
