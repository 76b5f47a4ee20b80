package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Deduplication;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.engine.IncomingDelivery;

/**
 * One transfer on its way to the committer and its outcome on the way back: one message, or the messages of a batch. Holds
 * its places in the quota of its address until it is handed over.
 * <p>
 * Thread: the connection's event loop; {@link #accepted} and {@link #refused} are the committer's, and put it into the mailbox.
 */
final class Publication implements Completion, ConnectionMailbox.Event {
    private static final int NOT_BEGUN = -1;

    private final PublisherLink link;
    private final IncomingDelivery delivery;
    private final LocalTransaction transaction; // null = none: it is handed in on its own
    private final List<byte[]> encoded;
    private final long publishedAt;
    private final int bytes;
    private final long messageBytes; // of its messages

    private Address address;
    private List<Message> messages; // null until they are built, and when they are the committer's
    private Numbers numbers; // null = its link has no producer
    private List<DuplicateId> ids = List.of(); // as Deduplication has them
    private int places; // in the address's quota
    private boolean holdsBytes; // in the address's quota
    private int staging = NOT_BEGUN; // large bodies that are not stored yet
    private Refusal refusal; // why a body could not be stored, or the outcome
    private boolean waitsForRoom;

    /** @param transaction null if it is not part of one */
    Publication(
            PublisherLink link,
            IncomingDelivery delivery,
            LocalTransaction transaction,
            List<byte[]> encoded,
            int bytes,
            long publishedAt) {
        this.link = link;
        this.delivery = delivery;
        this.transaction = transaction;
        this.encoded = encoded;
        this.bytes = bytes;
        this.publishedAt = publishedAt;
        this.messageBytes = encoded.size() == 1 ? encoded.get(0).length : sum(encoded);
    }

    private static long sum(List<byte[]> encoded) {
        long sum = 0;
        for (byte[] message : encoded) {
            sum += message.length;
        }
        return sum;
    }

    IncomingDelivery delivery() {
        return delivery;
    }

    /** Null if it is not part of one. */
    LocalTransaction transaction() {
        return transaction;
    }

    List<byte[]> encoded() {
        return encoded;
    }

    /** ms since the epoch. */
    long publishedAt() {
        return publishedAt;
    }

    /** Of the transfer. */
    int bytes() {
        return bytes;
    }

    /** Of its messages. */
    long messageBytes() {
        return messageBytes;
    }

    int count() {
        return encoded.size();
    }

    /** Its messages have been read, and their address is known. @param duplicateIds as {@link Deduplication} has them */
    void built(Address to, List<Message> itsMessages, List<DuplicateId> duplicateIds) {
        address = to;
        messages = itsMessages;
        ids = duplicateIds;
    }

    /** @param given by its producer; null if its link has none */
    void number(Numbers given) {
        numbers = given;
    }

    // ---- room in the address

    boolean waitsForRoom() {
        return waitsForRoom;
    }

    void waitsForRoom(boolean value) {
        waitsForRoom = value;
    }

    /** It gets places that were reserved before. */
    void hold(int more) {
        places += more;
    }

    int missingPlaces() {
        return encoded.size() - places;
    }

    /** Whether it holds a place for each message, and their bytes. */
    boolean hasRoom() {
        return holdsBytes && places == encoded.size();
    }

    /** Takes what is missing of its address's quota, all of it or nothing. */
    boolean takeRoom() {
        if (!hasRoom()) {
            if (!address.quota().tryReserve(missingPlaces(), messageBytes)) {
                return false;
            }
            places = encoded.size();
            holdsBytes = true;
        }
        return true;
    }

    /** It will not be handed in: gives back the places that it holds. @return its messages, as far as they were built */
    List<Message> abandon() {
        if (places > 0 || holdsBytes) {
            address.quota().release(places, holdsBytes ? messageBytes : 0);
            places = 0;
            holdsBytes = false;
        }
        return messages == null ? List.of() : messages;
    }

    // ---- large bodies

    boolean isStagingBegun() {
        return staging != NOT_BEGUN;
    }

    /** @return its messages whose bodies are to be stored first, to be followed by {@link #staged} for each */
    List<Message> beginStaging() {
        staging = 0;
        List<Message> large = List.of();
        for (Message message : messages) {
            if (message.bodyId() != 0) {
                large = staging++ == 0 ? new ArrayList<>() : large;
                large.add(message);
            }
        }
        return large;
    }

    /** A body is stored. @param failed why it is not; null if it is */
    void staged(Refusal failed) {
        if (failed != null) {
            refusal = failed;
        }
        staging--;
    }

    /** Whether its bodies are where the committer wants them. */
    boolean isStaged() {
        return staging == 0;
    }

    /** Why a body could not be stored; null if all are. */
    Refusal refusal() {
        return refusal;
    }

    // ---- to the committer and back

    Work work() {
        Deduplication once = numbers == null
                ? Deduplication.ids(ids)
                : new Deduplication(numbers.producer(), numbers.first(), numbers.previous(), ids);
        return new Work(messages, List.of(), once, this);
    }

    List<DuplicateId> duplicateIds() {
        return ids;
    }

    /** It is somebody else's now, with its places. @return its messages */
    List<Message> handOver() {
        List<Message> handedOver = messages;
        places = 0;
        holdsBytes = false;
        messages = null;
        return handedOver;
    }

    @Override
    public void accepted() {
        link.mailbox().put(this);
    }

    @Override
    public void refused(Refusal why) {
        refusal = why;
        link.mailbox().put(this);
    }

    @Override
    public Mailbox mailbox() {
        return link.mailbox();
    }

    @Override
    public void onEventLoop() {
        link.answered(this, refusal);
    }
}
