package io.ringtable.benchmarks.design;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.sqlite.Function;

/**
 * Says where a slot lies in SQLite, whose SQL cannot reverse bits: the function {@code slot_key} of the other engines'
 * parts with the same names. Thread: any.
 */
public enum SlotKey {
    SLOTS_IN_ORDER {
        @Override
        public long of(long slot) {
            return slot;
        }
    },
    /** Puts slots that follow one another into ten parts of the table, by their last digit. */
    SLOTS_SCATTERED {
        @Override
        public long of(long slot) {
            return slot + PARTS[(int) (slot % PARTS.length)] * 1_000_000_000L;
        }
    },
    /** Puts slots that follow one another as far apart as can be. */
    SLOTS_REVERSED {
        @Override
        public long of(long slot) {
            return Integer.toUnsignedLong(Integer.reverse((int) slot));
        }
    };

    private static final int[] PARTS = {0, 5, 1, 8, 2, 7, 3, 6, 4, 9};

    /** Returns the place of a slot. */
    public abstract long of(long slot);

    private String part() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Tells a connection where the slots of a design lie; a queue of rows has none. */
    static void createFor(List<String> parts, Connection connection) throws SQLException {
        for (SlotKey key : values()) {
            if (parts.contains(key.part())) {
                key.createOn(connection);
            }
        }
    }

    /** Returns whether a part has no files, because it is one of these. */
    static boolean isOne(String part) {
        return Arrays.stream(values()).anyMatch(key -> key.part().equals(part));
    }

    /** Creates the function on a connection. */
    public void createOn(Connection connection) throws SQLException {
        Function.create(
                connection,
                "slot_key",
                new Function() {
                    @Override
                    protected void xFunc() throws SQLException {
                        result(of(value_long(0)));
                    }
                },
                1,
                Function.FLAG_DETERMINISTIC);
    }
}
