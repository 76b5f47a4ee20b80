package io.ringtable.broker.amqp;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Refusal;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Transfers of one link to one address, in their order, that cannot be handed in yet: the address is full, a large
 * body is still being stored, or the hand-off has no room. On a link that does not wait for ever, those for which an
 * address stays full too long are rejected, and from then on every further one at once, until there is room.
 * <p>
 * Thread: the connection's event loop.
 */
final class Lane implements Intake.Waiting {
    private final PublisherLink link;
    private final ArrayDeque<Publication> waiting = new ArrayDeque<>();
    private Address address; // null until it is resolved
    private boolean byMessageId; // its messages are stored once by their own ids
    private boolean listening; // somebody will call advance() when the address has room
    private Runnable stopListening = () -> {};
    private boolean full; // the head waits for places
    private long fullSince; // counts how often it became full, to know a stale timer
    private boolean refusing; // was full for too long

    Lane(PublisherLink link, Address address) {
        this.link = link;
        if (address != null) {
            isFor(address);
        }
    }

    private void isFor(Address found) {
        address = found;
        byMessageId = link.connection().shard().policies().of(found.name()).onceByMessageId();
    }

    /** Null until it is resolved. */
    Address address() {
        return address;
    }

    /** What the message that {@code facts} have just read is stored once by; null = nothing. */
    DuplicateId duplicateId(MessageFacts facts, byte[] message) throws MalformedMessage {
        return byMessageId ? facts.duplicateIdOrMessageId(message) : facts.duplicateId;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** The first that waits does so for places. */
    boolean isFull() {
        return full;
    }

    /** Hands it in, or keeps it until that is possible, or rejects it. */
    void add(Publication publication) {
        if (waiting.isEmpty() && address != null && pass(publication)) {
            return;
        }
        if (full && (refusing || !link.park(publication))) {
            reject(publication, fullCondition());
        } else {
            if (address != null && !full && publication.missingPlaces() == 0 && publication.takeRoom()) {
                publication.isStaged(this); // large bodies are stored side by side
            }
            waiting.add(publication);
            link.connection().intake().waits(this);
        }
    }

    /** The address is known now. */
    void resolved(Address found) {
        isFor(found);
        MessageFacts facts = link.connection().facts();
        for (Iterator<Publication> each = waiting.iterator(); each.hasNext(); ) {
            Publication publication = each.next();
            try {
                publication.bind(this, facts);
            } catch (MalformedMessage e) {
                each.remove();
                reject(publication, PublisherLink.malformed(e));
            }
        }
        advance();
    }

    /** The address does not exist and cannot be created. */
    void unresolved(ErrorCondition why) {
        for (Publication publication; (publication = waiting.poll()) != null; ) {
            reject(publication, why);
        }
        empty();
    }

    /** Hands in as many as go, in order. */
    @Override
    public void advance() {
        if (link.isEnded()) {
            return;
        }
        while (!waiting.isEmpty() && pass(waiting.peek())) {
            waiting.poll();
        }
        if (waiting.isEmpty()) {
            empty();
        }
    }

    private void empty() {
        isFullNoMore();
        link.connection().intake().waitsNoMore(this);
        link.emptied(this);
    }

    /** True if it needs to wait no longer: handed in or rejected. */
    private boolean pass(Publication publication) {
        if (!publication.hasRoom()) {
            ErrorCondition never = tooLarge(publication);
            if (never != null) {
                reject(publication, never);
                return true;
            }
            if (!publication.takeRoom() && !waitForRoom(publication)) {
                return false;
            }
        }
        isFullNoMore();
        refusing = false;
        link.unpark(publication);
        if (!publication.isStaged(this)) {
            return false;
        }
        Refusal refusal = publication.refusal();
        if (refusal != null) {
            reject(publication, Conditions.of(refusal));
            return true;
        }
        return publication.submit();
    }

    /** Null if the address can take it once it is empty. */
    private ErrorCondition tooLarge(Publication publication) {
        AddressQuota quota = address.quota();
        if (publication.count() > quota.messagesMax()) {
            return Conditions.limit(
                    "RT-4050",
                    "a batch of " + publication.count() + " messages is larger than the quota of " + address + ", "
                            + quota.messagesMax() + ": send smaller batches");
        }
        if (publication.messageBytes() > quota.bytesMax()) {
            return Conditions.limit(
                    "RT-4340",
                    "a transfer of " + publication.messageBytes() + " bytes is larger than the quota of " + address
                            + ", " + quota.bytesMax() + " bytes: send smaller ones or raise the quota");
        }
        return null;
    }

    /** @return true if there is room after all */
    private boolean waitForRoom(Publication publication) {
        if (!full) {
            becomesFull();
        }
        if (listening) {
            return false;
        }
        listening = true;
        stopListening =
                address.quota().onMoreRoom(() -> link.connection().mailbox().post(this::onRoom));
        if (publication.takeRoom()) { // it became free before somebody listened
            stopListening.run();
            listening = false;
            return true;
        }
        return false;
    }

    private void becomesFull() {
        full = true;
        for (Publication behind : waiting) {
            if (!behind.isParked()) {
                link.park(behind); // as long as it may; otherwise it counts against the window as before
            }
        }
        long since = ++fullSince;
        if (!link.waitsForEver()) {
            link.connection()
                    .mailbox()
                    .later(() -> overdue(since), link.connection().settings().parkedMs());
        }
        link.connection().server().creditHolders().waits(this, address, link.connection());
    }

    private void onRoom() {
        listening = false;
        advance();
        if (!listening) {
            address.quota().passOn();
        }
    }

    private void isFullNoMore() {
        if (full) {
            full = false;
            link.connection().server().creditHolders().waitsNoMore(this, address);
        }
    }

    private void overdue(long since) {
        if (!full || since != fullSince || link.isEnded()) {
            return;
        }
        refusing = true;
        for (Iterator<Publication> each = waiting.iterator(); each.hasNext(); ) {
            Publication publication = each.next();
            if (!publication.hasRoom()) {
                each.remove();
                reject(publication, fullCondition());
            }
        }
        isFullNoMore();
        advance();
    }

    private void reject(Publication publication, ErrorCondition why) {
        publication.abandon();
        link.unpark(publication);
        link.finish(publication, why, null);
    }

    private ErrorCondition fullCondition() {
        AddressQuota quota = address.quota();
        return Conditions.limit(
                "RT-4051",
                address + " is full: " + quota.messages() + " of " + quota.messagesMax() + " messages, " + quota.bytes()
                        + " of " + quota.bytesMax() + " bytes: let its readers catch up or raise its quota");
    }

    /** The link has ended: what was not handed in vanishes, its publisher has no outcome. */
    void drop() {
        for (Publication publication; (publication = waiting.poll()) != null; ) {
            publication.abandon();
            link.unpark(publication);
            link.lost(publication);
        }
        stopListening.run();
        isFullNoMore();
        link.connection().intake().waitsNoMore(this);
    }
}
