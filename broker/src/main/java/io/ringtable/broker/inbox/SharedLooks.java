package io.ringtable.broker.inbox;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Has one collector look for all shards that this process has in a database. So empty inboxes cost the same however
 * many shards there are (ADR 80). The first collector whose time has come asks which shards have rows,
 * and tells the others. Which one that is may change with each look, so none waits for another.
 * <p>
 * Thread: any.
 */
public final class SharedLooks {
    private final Map<Integer, InboxCollector> collectors = new ConcurrentHashMap<>();
    private final AtomicLong dueAt; // nanoTime

    /** @param now nanoTime */
    public SharedLooks(long now) {
        this.dueAt = new AtomicLong(now);
    }

    /** Takes part from now on. */
    public void join(int shard, InboxCollector collector) {
        collectors.put(shard, collector);
    }

    /** Takes part no more. The shard may have another collector meanwhile. */
    public void leave(int shard, InboxCollector collector) {
        collectors.remove(shard, collector);
    }

    boolean hasSeveral() {
        return collectors.size() > 1;
    }

    /** Takes the next look, if it is due: the one after it is due that many ns later. @return whether it was taken */
    boolean take(long now, long intervalNanos) {
        long due = dueAt.get();
        return now - due >= 0 && dueAt.compareAndSet(due, now + intervalNanos);
    }

    /** Tells all collectors that rest that rows have come. */
    void tell(Set<Integer> shardsWithRows) {
        for (Integer shard : shardsWithRows) {
            InboxCollector collector = collectors.get(shard); // null: another node has the shard
            if (collector != null) {
                collector.rowsHaveCome();
            }
        }
    }
}
