package io.ringtable.broker.deduplication;

import io.ringtable.broker.catalog.StoredOnce;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.store.Flush;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Holds the most recent duplicate ids of one address, as the tables have them, and those of the open flush. A new id
 * takes the place of the oldest.
 * <p>
 * Thread: committer.
 */
final class RecentDuplicateIds {
    private record Entry(DuplicateId id, int position, long ordinal) {}

    /** Records one addition of the open flush. @param dropped the id that made room; null = there was room */
    private record Step(Entry kept, Entry dropped) {}

    private final long addressId;
    private final int size;
    private final Map<DuplicateId, Entry> known = new HashMap<>();
    private final ArrayDeque<Entry> order = new ArrayDeque<>(); // oldest first
    private final ArrayDeque<Step> staged = new ArrayDeque<>();
    private int unowned; // of the known ones: of earlier versions, or of a time without users
    private int nextPosition; // never used before
    private long nextOrdinal;

    /** @param size at least 1 */
    RecentDuplicateIds(long addressId, int size) {
        this.addressId = addressId;
        this.size = size;
    }

    /**
     * Restores the ids from the tables. These hold more than are kept now if the broker kept more before: the youngest
     * count.
     */
    static RecentDuplicateIds recovered(long addressId, int size, List<Flush.DuplicateId> rows) {
        RecentDuplicateIds ids = new RecentDuplicateIds(addressId, size);
        rows.stream()
                .sorted(Comparator.comparingLong(Flush.DuplicateId::ordinal))
                .forEach(ids::load);
        return ids;
    }

    private void load(Flush.DuplicateId row) {
        Entry kept = new Entry(DuplicateId.stored(row.id()), row.position(), row.ordinal());
        if (order.size() == size) {
            dropOldest();
        }
        order.addLast(kept);
        know(kept);
        nextPosition = Math.max(nextPosition, row.position() + 1);
        nextOrdinal = row.ordinal() + 1;
    }

    /** Returns the kept ids, oldest first, between two flushes. */
    List<StoredOnce.Id> all() {
        return order.stream()
                .map(kept -> new StoredOnce.Id(
                        kept.position(), kept.ordinal(), kept.id().bytes()))
                .toList();
    }

    /** @return false if the id is known, durably or by the open flush */
    boolean stage(DuplicateId id) {
        if (isKnown(id)) {
            return false;
        }
        Entry dropped = order.size() < size ? null : dropOldest();
        Entry kept = new Entry(id, dropped == null ? nextPosition++ : dropped.position(), nextOrdinal++);
        order.addLast(kept);
        know(kept);
        staged.addLast(new Step(kept, dropped));
        return true;
    }

    /** Tells whether the id was seen. An id that belongs to nobody counts for every user. */
    private boolean isKnown(DuplicateId id) {
        return known.containsKey(id) || unowned > 0 && id.isOwned() && known.containsKey(id.unowned());
    }

    private void know(Entry entry) {
        if (known.put(entry.id(), entry) == null && !entry.id().isOwned()) {
            unowned++;
        }
    }

    private void forget(Entry entry) {
        if (known.remove(entry.id(), entry) && !entry.id().isOwned()) {
            unowned--;
        }
    }

    /** Drops the oldest row. Its id may have come again while fewer were kept: then the younger row keeps it known. */
    private Entry dropOldest() {
        Entry oldest = order.removeFirst();
        forget(oldest);
        return oldest;
    }

    /** Passes on what the open flush writes: for each place, the last id that took it. */
    void forEachStaged(Consumer<Flush.DuplicateId> action) {
        for (Step step : staged) {
            Entry kept = step.kept();
            if (known.get(kept.id()) == kept) {
                action.accept(new Flush.DuplicateId(
                        addressId, kept.position(), kept.ordinal(), kept.id().bytes()));
            }
        }
    }

    void commit() {
        staged.clear();
    }

    void rollBack() {
        for (Iterator<Step> steps = staged.descendingIterator(); steps.hasNext(); ) {
            Step step = steps.next();
            order.removeLast();
            forget(step.kept());
            nextOrdinal--;
            if (step.dropped() == null) {
                nextPosition--;
            } else {
                order.addFirst(step.dropped());
                if (!known.containsKey(step.dropped().id())) {
                    know(step.dropped());
                }
            }
        }
        staged.clear();
    }
}
