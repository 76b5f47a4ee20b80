package io.ringtable.broker.inspect;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.LoginIds;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.MessageGroup;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.store.MessageRow;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoredMessage;
import java.time.Instant;

/**
 * Reads single messages from the store.
 * <p>
 * Thread: inspector. Failure: what is gone or cannot be read is refused, with the reason.
 */
final class MessageRows {
    private static final byte[] NO_BODY = {};

    private final RingReads store;
    private final CatalogLookup catalog;
    private final LoginIds logins;
    private final Ring ring;

    MessageRows(RingReads store, CatalogLookup catalog, LoginIds logins, Ring ring) {
        this.store = store;
        this.catalog = catalog;
        this.logins = logins;
        this.ring = ring;
    }

    Ring ring() {
        return ring;
    }

    /** Returns the row of a message. */
    MessageRow find(long sequence) {
        MessageRow row = store.readMessage(sequence);
        if (row == null) {
            row = store.readMessage(sequence); // the message may have moved to the backlog meanwhile
        }
        if (row == null) {
            throw new Refusal.Refused(gone(sequence));
        }
        return row;
    }

    private Refusal gone(long sequence) {
        String text = sequence >= ring.next()
                ? "no message has had the number " + sequence + " yet: the next one gets " + ring.next()
                : "message " + sequence + " is over: nobody owes it, and its row is gone (the gate is at " + ring.gate()
                        + ")";
        return new Refusal(Refusal.Reason.NOT_FOUND, "RT-7201", text);
    }

    Address addressOf(StoredMessage message) {
        Address address = catalog.find(message.addressId());
        if (address == null) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-7202",
                    "the address of message " + message.sequence() + " was deleted, and the message with it"));
        }
        return address;
    }

    /** Returns the message that a row read with its body holds, without its group. @param encoded its bytes */
    Message message(Address address, StoredMessage row, byte[] encoded) {
        return message(address, row, encoded, null);
    }

    /** Returns the message that a row read with its body holds. */
    Message message(Address address, StoredMessage row, byte[] encoded, MessageGroup group) {
        return new Message(
                address,
                row.publishedAt(),
                row.priority(),
                row.expiresAt(),
                row.deliverAt(),
                encoded,
                row.bodyId(),
                group,
                logins.of(row.loginId()));
    }

    /** Returns the encoded message; no bytes at all if it is damaged. */
    byte[] encoded(StoredMessage message) {
        if (message.body() != null) {
            return message.body();
        }
        try {
            return store.readBody(message.bodyId());
        } catch (StoreFailure failure) {
            if (failure.kind() == StoreFailure.Kind.CORRUPT) {
                return NO_BODY; // its chunks are missing: the rest of it is shown
            }
            throw failure;
        }
    }

    /** Returns a time as people read it; null for 0, which stands for none. */
    static Instant time(long ms) {
        return ms == 0 ? null : Instant.ofEpochMilli(ms);
    }

    static String place(boolean inRing) {
        return inRing ? "ring" : "backlog";
    }
}
