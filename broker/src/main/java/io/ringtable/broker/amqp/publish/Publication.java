package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.trace.BegunStep;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Deduplication;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.EncodingWriter;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.engine.IncomingDelivery;

/**
 * Holds one transfer on its way to the committer, and its outcome on the way back: one message, or those of a batch.
 * Keeps its places in the quota of its address until the committer takes over.
 * <p>
 * Thread: the connection's event loop; the committer calls {@link #accepted} and {@link #refused}, which put the
 * publication into the mailbox.
 */
final class Publication implements Completion, ConnectionMailbox.Event {
    private static final int NOT_BEGUN = -1;

    private final PublisherLink link;
    private final IncomingDelivery delivery;
    private final LocalTransaction transaction; // null = none: the publication is a work of its own
    private final List<byte[]> encoded;
    private final long publishedAt;
    private final int bytes;
    private final long messageBytes; // of its messages

    private Address address;
    private List<Message> messages; // null before they are built, and once they are the committer's
    private Numbers numbers; // null = its link has no producer
    private TransferOutcomes.SplitBatch batch; // null = it is all of its transfer
    private List<DuplicateId> ids = List.of(); // as Deduplication has them
    private int places; // in the address's quota
    private boolean holdsBytes; // in the address's quota
    private int staging = NOT_BEGUN; // large bodies that are not stored yet
    private Refusal refusal; // why a body could not be stored, or the outcome
    private boolean waitsForRoom;
    private List<TracedPublication> traced = List.of(); // sampled messages
    private WaitingTransfers via; // took it to the committer, or will; null = nothing has it yet
    private int attempt; // counts the homes that it was for

    /** Makes a publication without places. @param transaction null if there is none */
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

    /** Returns the transaction; null if there is none. */
    LocalTransaction transaction() {
        return transaction;
    }

    List<byte[]> encoded() {
        return encoded;
    }

    /** Returns the whole transfer as it came, or as it may have come: a batch is packed anew. */
    byte[] transfer() {
        if (delivery.getMessageFormat() != BatchFormat.CODE) {
            return encoded.get(0);
        }
        EncodingWriter packed = new EncodingWriter();
        encoded.forEach(message -> BatchFormat.add(packed, message));
        return packed.toBytes();
    }

    /** Returns when the broker took the transfer, in ms since the epoch. */
    long publishedAt() {
        return publishedAt;
    }

    /** Returns the bytes of the transfer. */
    int bytes() {
        return bytes;
    }

    /** Returns the bytes of the messages. */
    long messageBytes() {
        return messageBytes;
    }

    int count() {
        return encoded.size();
    }

    /** Sets the messages and their address. @param duplicateIds as {@link Deduplication} has them */
    void built(Address to, List<Message> itsMessages, List<DuplicateId> duplicateIds) {
        address = to;
        messages = itsMessages;
        ids = duplicateIds;
    }

    /** Sets the messages' numbers. @param given by the producer; null if the link has none */
    void number(Numbers given) {
        numbers = given;
    }

    /** Makes the publication one of several of a batch, which have one outcome. */
    void belongsTo(TransferOutcomes.SplitBatch itsBatch) {
        batch = itsBatch;
    }

    /** Returns the batch of which the publication has some messages; null if it has all of its transfer. */
    TransferOutcomes.SplitBatch batch() {
        return batch;
    }

    /** Remembers that the publishing of a message has begun, if its trace is recorded. */
    void traced(Message message) {
        BegunStep begun = BegunStep.of(message);
        if (begun != null) {
            traced = traced.isEmpty() ? new ArrayList<>() : traced;
            traced.add(new TracedPublication(begun, message.address().name(), message.bytes()));
        }
    }

    /** Tells that the publishing of its sampled messages has ended. @param error null if they are accepted */
    void tell(MessageTraces traces, String error) {
        if (!traced.isEmpty()) {
            traced.forEach(each -> traces.ended(each.ended(error)));
            traced = List.of();
        }
    }

    // ---- room in the address

    boolean waitsForRoom() {
        return waitsForRoom;
    }

    void waitsForRoom(boolean value) {
        waitsForRoom = value;
    }

    /** Adds places that were reserved before. */
    void hold(int more) {
        places += more;
    }

    int missingPlaces() {
        return encoded.size() - places;
    }

    /** Tells whether the publication holds a place for each message, and their bytes. */
    boolean hasRoom() {
        return holdsBytes && places == encoded.size();
    }

    /** Takes what is missing of the address's quota, all of it or nothing. */
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

    /** Gives back places that are not enough yet: the publication takes all of them together when there is room. */
    void giveUpPlaces() {
        if (places > 0 && !hasRoom()) {
            address.quota().release(places, 0);
            places = 0;
        }
    }

    /** Notes what takes the publication to the committer, and hears of the answer first. */
    void goesBy(WaitingTransfers itsWay) {
        via = itsWay;
    }

    /** Returns what took the publication to the committer. */
    WaitingTransfers via() {
        return via;
    }

    /** Tells whether its messages have numbers of a producer. */
    boolean isNumbered() {
        return numbers != null;
    }

    /** Returns which of the homes it is for, of those that it was for: its address may move. */
    int attempt() {
        return attempt;
    }

    /** Makes it as it came, for another home of its address. Its places are given back already. */
    void again() {
        attempt++;
        messages = null;
        refusal = null;
        staging = NOT_BEGUN;
        traced = List.of();
    }

    /** Gives back the places: the publication will not be handed in. @return its messages, as far as they were built */
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

    /** Begins to store large bodies. @return their messages; a call of {@link #staged} must follow for each */
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

    /** Counts a body as done. @param failed why it is not stored; null if it is */
    void staged(Refusal failed) {
        if (failed != null) {
            refusal = failed;
        }
        staging--;
    }

    /** Tells whether the bodies are where the committer wants them. */
    boolean isStaged() {
        return staging == 0;
    }

    /** Returns why a body could not be stored; null if all are. */
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

    /** Gives up the messages with their places. @return the messages, which now belong to the caller */
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
