package io.ringtable.broker.amqp.selector;

import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import java.security.SecureRandom;

/**
 * Finds the application properties of one encoded message by name. Looks through a few one after the other. For many it
 * makes a table of positions, so that a look-up costs the same for any number.
 * <p>
 * Thread: any; immutable. Memory: nothing for up to {@value #FEW} properties, else 8 to 16 bytes for each.
 */
final class PropertyIndex {
    public static final PropertyIndex EMPTY = new PropertyIndex(new byte[0], 0, 0, 0, null);

    /** A secret, so that no client can choose names that share a place of the table. */
    private static final int MULTIPLIER = new SecureRandom().nextInt() | 1;

    private static final int FEW = 16;
    /** The most properties that selectors see of a message that is older than the bound. */
    private static final int MOST = MessageFacts.ENTRIES_MAX;

    private final byte[] bytes;
    private final int first;
    private final int end;
    private final int count;
    private final int[] table; // positions of keys by the hash of their names, 0 = free; null if they are few

    private PropertyIndex(byte[] bytes, int first, int end, int count, int[] table) {
        this.bytes = bytes;
        this.first = first;
        this.end = end;
        this.count = count;
        this.table = table;
    }

    /**
     * Makes the index of a section.
     *
     * @param first where the first key begins
     * @param end the end of the section
     * @param count the number of keys and values that the section says it has
     */
    public static PropertyIndex of(byte[] bytes, int first, int end, int count) {
        int properties = Math.min(MOST, Math.max(0, count / 2));
        PropertyIndex few = new PropertyIndex(bytes, first, end, properties, null);
        return properties <= FEW ? few : new PropertyIndex(bytes, first, end, properties, few.table());
    }

    private int[] table() {
        int[] positions = new int[Integer.highestOneBit(2 * count - 1) * 2];
        int key = first;
        try {
            for (int i = 0; i < count; i++) {
                int value = Encoding.skip(bytes, key, end);
                int after = Encoding.skip(bytes, value, end);
                put(positions, key);
                key = after;
            }
        } catch (MalformedMessage e) {
            // The message is older than this check: the properties before it stand.
        }
        return positions;
    }

    private void put(int[] positions, int key) {
        int start = Encoding.textStart(bytes, key);
        if (start < 0) {
            return; // no name
        }
        int length = Encoding.textLength(bytes, key);
        int slot = slot(positions, hash(start, length));
        while (positions[slot] != 0 && !isSame(positions[slot], start, length)) {
            slot = slot + 1 & positions.length - 1;
        }
        positions[slot] = key; // the later of two with one name counts
    }

    private boolean isSame(int key, int start, int length) {
        int other = Encoding.textStart(bytes, key);
        if (Encoding.textLength(bytes, key) != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (bytes[other + i] != bytes[start + i]) {
                return false;
            }
        }
        return true;
    }

    private int hash(int start, int length) {
        int hash = 0;
        for (int i = 0; i < length; i++) {
            hash = MULTIPLIER * hash + (bytes[start + i] & 0xff);
        }
        return hash;
    }

    private static int hash(String name) {
        int hash = 0;
        for (int i = 0; i < name.length(); i++) {
            hash = MULTIPLIER * hash + name.charAt(i);
        }
        return hash;
    }

    private static int slot(int[] positions, int hash) {
        return (hash ^ hash >>> 16) * 0x9e3779b1 >>> Integer.numberOfLeadingZeros(positions.length - 1);
    }

    /** Returns where the value of that ASCII name begins; -1 if there is none. */
    public int find(String name) {
        try {
            return table == null ? findAmongFew(name) : findInTable(name);
        } catch (MalformedMessage e) {
            return -1; // the message is older than this check
        }
    }

    private int findInTable(String name) throws MalformedMessage {
        int slot = slot(table, hash(name));
        while (table[slot] != 0) {
            if (Encoding.textEquals(bytes, table[slot], name)) {
                return Encoding.skip(bytes, table[slot], end);
            }
            slot = slot + 1 & table.length - 1;
        }
        return -1;
    }

    private int findAmongFew(String name) throws MalformedMessage {
        int found = -1;
        int key = first;
        for (int i = 0; i < count; i++) {
            int value = Encoding.skip(bytes, key, end);
            int after = Encoding.skip(bytes, value, end);
            if (Encoding.textEquals(bytes, key, name)) {
                found = value;
            }
            key = after;
        }
        return found;
    }
}
