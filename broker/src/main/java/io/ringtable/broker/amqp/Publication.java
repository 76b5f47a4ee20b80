package io.ringtable.broker.amqp;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Deduplication;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.qpid.protonj2.engine.IncomingDelivery;

/**
 * One transfer on its way to the committer and its outcome on the way back: one message, or the messages of a batch.
 * <p>
 * Thread: the connection's event loop, but for {@link #accepted} and {@link #refused}, which put it into the mailbox.
 */
final class Publication implements Completion, ConnectionMailbox.Event {
    private final PublisherLink link;
    private final IncomingDelivery delivery;
    private final LocalTransaction transaction; // null = none: it is handed in on its own
    private final List<byte[]> encoded;
    private final long publishedAt;
    private final int bytes;

    private Address address;
    private List<Message> messages; // null until it is bound, and when it is the committer's
    private Numbers numbers; // null = its link has no producer
    private List<DuplicateId> ids = List.of(); // as Deduplication has them
    /** Places in the address's quota that it holds; the committer's once it is submitted. */
    private int places;

    private final long messageBytes; // of its messages
    private boolean holdsBytes; // in the address's quota; as the places

    private int staging = -1; // large bodies not stored yet; -1 = not begun
    private Refusal refusal; // why a body could not be stored, or the outcome
    private boolean parked;

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

    /** ms since the epoch. */
    long publishedAt() {
        return publishedAt;
    }

    int bytes() {
        return bytes;
    }

    int count() {
        return encoded.size();
    }

    boolean isParked() {
        return parked;
    }

    void parked(boolean value) {
        parked = value;
    }

    /**
     * Reads its messages and addresses them.
     *
     * @param lane whose address is known
     * @throws MalformedMessage if one of them is none
     */
    void bind(Lane lane, MessageFacts facts) throws MalformedMessage {
        Address to = lane.address();
        List<Message> built = new ArrayList<>(encoded.size());
        List<DuplicateId> found = List.of();
        for (byte[] body : encoded) {
            built.add(message(to, body, facts.read(body, 0, body.length)));
            DuplicateId id = lane.duplicateId(facts, body);
            if (id != null) {
                if (found.isEmpty()) {
                    found = new ArrayList<>(Collections.nCopies(encoded.size(), null));
                }
                found.set(built.size() - 1, id);
            }
        }
        address = to;
        messages = built;
        ids = found;
    }

    /** The same for a single message that {@code facts} have just read. */
    void bindRead(Lane lane, MessageFacts facts) throws MalformedMessage {
        byte[] body = encoded.get(0);
        DuplicateId id = lane.duplicateId(facts, body);
        address = lane.address();
        messages = List.of(message(address, body, facts));
        ids = id == null ? List.of() : List.of(id);
    }

    /** @param given by its producer; null if its link has none */
    void number(Numbers given) {
        numbers = given;
    }

    private Deduplication once() {
        if (numbers != null) {
            return new Deduplication(numbers.producer(), numbers.first(), numbers.previous(), ids);
        }
        return Deduplication.ids(ids);
    }

    private Message message(Address to, byte[] body, MessageFacts facts) throws MalformedMessage {
        facts.checkGroup();
        BodyIds bodyIds = link.connection().shard().bodyIds();
        long bodyId = body.length > bodyIds.inlineBytesMax() ? bodyIds.nextBodyId() : 0;
        return new Message(
                to,
                publishedAt,
                facts.priority,
                facts.expiresAt(publishedAt),
                facts.deliveryTime,
                body,
                bodyId,
                facts.group(),
                link.connection().containerId());
    }

    void hold(int more) {
        places += more;
    }

    int missingPlaces() {
        return encoded.size() - places;
    }

    long messageBytes() {
        return messageBytes;
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

    /** It will not be submitted: gives back the places it holds, and bodies that were stored for it. */
    void abandon() {
        if (places > 0 || holdsBytes) {
            address.quota().release(places, holdsBytes ? messageBytes : 0);
            places = 0;
            holdsBytes = false;
        }
        if (messages != null) {
            link.connection().shard().stager().abandon(Message.bodyIds(messages));
        }
    }

    /** Whether its bodies are where the committer wants them; begins to store large ones if nobody did. */
    boolean isStaged(Lane lane) {
        if (staging < 0) {
            stage(lane);
        }
        return staging == 0;
    }

    private void stage(Lane lane) {
        staging = 0;
        for (Message message : messages) {
            if (message.bodyId() != 0) {
                staging++;
                link.connection()
                        .shard()
                        .stager()
                        .stage(
                                message.bodyId(),
                                message.encoded(),
                                failed -> link.connection().mailbox().post(() -> staged(failed, lane)));
            }
        }
    }

    private void staged(Refusal failed, Lane lane) {
        if (failed != null) {
            refusal = failed;
        }
        if (--staging == 0) {
            lane.advance();
        }
    }

    Refusal refusal() {
        return refusal;
    }

    /**
     * Hands it to the committer, or to its transaction, which hands in the whole; the places it held go with it.
     *
     * @return false if the committer has no room
     */
    boolean submit() {
        if (transaction == null && !link.connection().intake().submit(new Work(messages, List.of(), once(), this))) {
            return false;
        }
        List<Message> handedOver = messages;
        places = 0;
        holdsBytes = false;
        messages = null;
        if (transaction != null) {
            link.enlisted(this, handedOver, ids);
        }
        return true;
    }

    @Override
    public void accepted() {
        link.connection().mailbox().put(this);
    }

    @Override
    public void refused(Refusal why) {
        refusal = why;
        link.connection().mailbox().put(this);
    }

    @Override
    public Mailbox mailbox() {
        return link.connection().mailbox();
    }

    @Override
    public void onEventLoop() {
        link.finish(this, refusal == null ? null : Conditions.of(refusal), refusal);
        link.connection().intake().answered();
    }
}
