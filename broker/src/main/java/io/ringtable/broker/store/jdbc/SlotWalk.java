package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.store.RingRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.Consumer;

/**
 * Reads back the ring of an engine whose slots are rows by number: from the slot of the gate onwards, for as long as each slot holds
 * the sequence that follows. Where that ends, every slot must hold the lap before.
 * <p>
 * Thread: whoever holds the store's write lock, so that the shard stands still meanwhile.
 */
public final class SlotWalk {
    private static final int SLOT_COLUMN = 13;

    /** Reads the ring rows of {@code [fromSlot, toSlot)} in order of their slots. */
    @FunctionalInterface
    public interface Slots {
        ResultSet read(int fromSlot, int toSlot) throws SQLException;
    }

    /** Reads one row: the highest sequence, and how many slots there are. */
    @FunctionalInterface
    public interface Highest {
        ResultSet read() throws SQLException;
    }

    private final int capacity;
    private final int slotsAtATime;
    private final Slots slots;
    private final Highest highest;
    private final Consumer<RingRow> ringRows;

    /** @param slotsAtATime how many one statement reads */
    public SlotWalk(int capacity, int slotsAtATime, Slots slots, Highest highest, Consumer<RingRow> ringRows) {
        this.capacity = capacity;
        this.slotsAtATime = slotsAtATime;
        this.slots = slots;
        this.highest = highest;
        this.ringRows = ringRows;
    }

    /** @return the sequence after the last one */
    public long from(long gate) throws SQLException {
        int turn = (int) (gate % capacity);
        long next = walk(gate, turn, capacity);
        if (next == gate + capacity - turn) {
            next = walk(next, 0, turn);
        }
        try (ResultSet row = highest.read()) {
            row.next();
            if (row.getLong(1) != next - 1 || row.getLong(2) != capacity) {
                throw StoreErrors.corrupt("the ring has " + row.getLong(2) + " slots up to sequence " + row.getLong(1)
                        + " where its capacity is " + capacity + " and its messages end with " + (next - 1));
            }
        }
        return next;
    }

    /** The sequence after the last one that stands in its place from the slot on. */
    private long walk(long next, int fromSlot, int toSlot) throws SQLException {
        long expected = next;
        for (int from = fromSlot; from < toSlot; from += slotsAtATime) {
            try (ResultSet rows = slots.read(from, Math.min(toSlot, from + slotsAtATime))) {
                while (rows.next()) {
                    long sequence = rows.getLong(1);
                    if (sequence == expected - capacity) {
                        return expected;
                    }
                    long slot = rows.getLong(SLOT_COLUMN);
                    if (sequence != expected || slot != expected % capacity) {
                        throw StoreErrors.corrupt("slot " + slot + " holds sequence " + sequence + " where " + expected
                                + " or its lap before must stand");
                    }
                    ringRows.accept(Rows.ringRow(rows));
                    expected++;
                }
            }
        }
        return expected;
    }
}
