package io.ringtable.broker.deduplication;

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
 * The last ids that messages of one address came with, as the tables have them, and those of the open flush. A new one takes the
 * place of the oldest.
 * <p>
 * Thread: committer.
 */
final class RecentDuplicateIds {
    private record Entry(DuplicateId id, int position, long ordinal) {}

    /** @param dropped what it took the place of; null = there was room */
    private record Step(Entry kept, Entry dropped) {}

    private final long addressId;
    private final int size;
    private final Map<DuplicateId, Entry> known = new HashMap<>();
    private final ArrayDeque<Entry> order = new ArrayDeque<>(); // oldest first
    private final ArrayDeque<Step> staged = new ArrayDeque<>();
    private int nextPosition; // never used so far
    private long nextOrdinal;

    /** @param size at least 1 */
    RecentDuplicateIds(long addressId, int size) {
        this.addressId = addressId;
        this.size = size;
    }

    /** As the tables have it. They hold more ids where more were kept before: the youngest count. */
    static RecentDuplicateIds recovered(long addressId, int size, List<Flush.DuplicateId> rows) {
        RecentDuplicateIds ids = new RecentDuplicateIds(addressId, size);
        rows.stream()
                .sorted(Comparator.comparingLong(Flush.DuplicateId::ordinal))
                .forEach(ids::load);
        return ids;
    }

    private void load(Flush.DuplicateId row) {
        Entry kept = new Entry(new DuplicateId(row.id()), row.position(), row.ordinal());
        if (order.size() == size) {
            dropOldest();
        }
        order.addLast(kept);
        known.put(kept.id(), kept);
        nextPosition = Math.max(nextPosition, row.position() + 1);
        nextOrdinal = row.ordinal() + 1;
    }

    /** @return false if it is known: durably, or by the open flush */
    boolean stage(DuplicateId id) {
        if (known.containsKey(id)) {
            return false;
        }
        Entry dropped = order.size() < size ? null : dropOldest();
        Entry kept = new Entry(id, dropped == null ? nextPosition++ : dropped.position(), nextOrdinal++);
        order.addLast(kept);
        known.put(id, kept);
        staged.addLast(new Step(kept, dropped));
        return true;
    }

    /** Its id may have come again since, while fewer were kept: then it stays known by its younger row. */
    private Entry dropOldest() {
        Entry oldest = order.removeFirst();
        known.remove(oldest.id(), oldest);
        return oldest;
    }

    /** What the open flush writes; of ids that follow each other on one place the last. */
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
            known.remove(step.kept().id());
            nextOrdinal--;
            if (step.dropped() == null) {
                nextPosition--;
            } else {
                order.addFirst(step.dropped());
                known.putIfAbsent(step.dropped().id(), step.dropped());
            }
        }
        staged.clear();
    }
}
