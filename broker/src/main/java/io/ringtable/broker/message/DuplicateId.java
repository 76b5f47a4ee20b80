package io.ringtable.broker.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Identifies a message to the broker, so that it is stored once however often it is sent. Ids are equal if their bytes
 * are. The bytes of a string are its UTF-8. With users an id belongs to the user who sends it: the same id of another
 * user is another one.
 * <p>
 * Immutable.
 */
public final class DuplicateId {
    /** Limits the length of an id, in bytes. */
    public static final int BYTES_MAX = 400;

    /** Limits the length of a message id, in bytes. */
    public static final int MESSAGE_ID_BYTES_MAX = BYTES_MAX - 2;

    /** Begins ids made from message ids: no UTF-8 begins so, and no application makes such binary ids by chance. */
    private static final byte MESSAGE_ID = (byte) 0xff;

    /** Begins ids that belong to a user: no UTF-8 begins so either. */
    private static final byte OWNED = (byte) 0xfe;

    private final byte[] bytes;
    private final int hash;
    private final boolean owned;

    /** Stands for a user in the ids that belong to it. Immutable. */
    public static final class Owner {
        private static final int HASH_BYTES = 16; // of 32: no two users of a broker meet
        private static final int BYTES = 1 + HASH_BYTES;

        private final byte[] prefix;

        private Owner(byte[] prefix) {
            this.prefix = prefix;
        }

        /** Returns the owner of a user's ids; null without a user, as such ids belong to nobody. */
        public static Owner of(String user) {
            if (user.isEmpty()) {
                return null;
            }
            byte[] prefix = new byte[BYTES];
            prefix[0] = OWNED;
            System.arraycopy(Hash.sha256(user.getBytes(StandardCharsets.UTF_8)), 0, prefix, 1, HASH_BYTES);
            return new Owner(prefix);
        }
    }

    /** Makes an id. @param bytes 1 to {@value #BYTES_MAX}; kept, never changed */
    public DuplicateId(byte[] bytes) {
        this(bytes, false);
    }

    private DuplicateId(byte[] bytes, boolean owned) {
        if (bytes.length < 1 || bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException("a duplicate id of " + bytes.length + " bytes");
        }
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
        this.owned = owned;
    }

    /** Returns an id as a row has it. */
    public static DuplicateId stored(byte[] row) {
        return new DuplicateId(row, row.length > Owner.BYTES && row[0] == OWNED);
    }

    /**
     * Returns the id as it belongs to a user. An id that is too long for a row with its owner is there by its SHA-256.
     *
     * @param owner null = nobody
     */
    public DuplicateId ownedBy(Owner owner) {
        if (owner == null) {
            return this;
        }
        byte[] itself = Owner.BYTES + bytes.length <= BYTES_MAX ? bytes : Hash.sha256(bytes);
        byte[] both = Arrays.copyOf(owner.prefix, Owner.BYTES + itself.length);
        System.arraycopy(itself, 0, both, Owner.BYTES, itself.length);
        return new DuplicateId(both, true);
    }

    /** Tells whether the id belongs to a user. */
    public boolean isOwned() {
        return owned;
    }

    /** Returns an owned id as nobody's, as it was sent unless it is too long. */
    public DuplicateId unowned() {
        return new DuplicateId(Arrays.copyOfRange(bytes, Owner.BYTES, bytes.length));
    }

    /**
     * Makes an id from a message's own id, by policy of its address. Such an id differs from ids of another type, and
     * from duplicate ids that publishers gave.
     *
     * @param type stands for the type of the value
     * @param value 1 to {@value #MESSAGE_ID_BYTES_MAX} bytes
     */
    public static DuplicateId ofMessageId(char type, byte[] value) {
        byte[] id = new byte[value.length + 2];
        id[0] = MESSAGE_ID;
        id[1] = (byte) type;
        System.arraycopy(value, 0, id, 2, value.length);
        return new DuplicateId(id);
    }

    /** Returns the bytes: shared, never changed. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DuplicateId that && that.hash == hash && Arrays.equals(that.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
