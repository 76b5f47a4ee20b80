package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.PartKey;
import io.ringtable.wire.MalformedMessage;
import java.util.List;

/**
 * Takes the transfers of one link to a queue with parts. The part of a message is that of its group or partition key,
 * or else of its duplicate id. Any other message goes to the part of the link (ADR 58). A transfer that waits for its
 * part lets those for other parts pass.
 * <p>
 * Thread: the connection's event loop.
 */
final class PartTransfers {
    private final MessageFacts facts;
    private final CurrentPolicies policies;
    private final Parts parts;
    private final int ofLink; // the place of the part that gets what has no key
    private final List<WaitingTransfers> waiting; // by part
    private boolean byMessageId; // the broker stores messages once by their message ids

    PartTransfers(Publishing publishing, PublisherLink link, MessageBuilder builder, Parts parts) {
        this.facts = publishing.facts();
        this.policies = publishing.shard().policies();
        this.parts = parts;
        this.ofLink = parts.ofNextLink();
        this.waiting = parts.all().stream()
                .map(part -> new WaitingTransfers(
                        publishing, link, builder, part, publishing.shard().homeOf(part)))
                .toList();
        followPolicy();
    }

    private void followPolicy() {
        byMessageId = policies.of(ofLink().name()).onceByMessageId();
    }

    void policiesChanged() {
        followPolicy();
        waiting.forEach(WaitingTransfers::policiesChanged);
    }

    /** Returns the part that gets what has no key. */
    Address ofLink() {
        return parts.all().get(ofLink);
    }

    /** Returns the place of that part. */
    int placeOfLink() {
        return ofLink;
    }

    /** Tells whether the address is the first part, of the same life of its shard. @param address null if unknown */
    boolean isOf(Address address) {
        return parts.all().get(0) == address;
    }

    /**
     * Returns the place of the part that gets a message whose facts have just been read.
     *
     * @throws MalformedMessage if its key or id cannot be one
     */
    int placeOf(byte[] message) throws MalformedMessage {
        String key = facts.orderKey(message);
        if (key != null) {
            return parts.indexOf(PartKey.of(key));
        }
        DuplicateId id = byMessageId ? facts.duplicateIdOrMessageId(message) : facts.duplicateId();
        return id == null ? ofLink : parts.indexOf(PartKey.of(id));
    }

    /** Returns what takes transfers to the part in that place. */
    WaitingTransfers to(int place) {
        return waiting.get(place);
    }

    /** Reads a message that is admitted already, and takes it to its part behind those that came before. */
    void move(Publication publication) throws MalformedMessage {
        byte[] message = publication.encoded().get(0);
        facts.read(message, 0, message.length);
        WaitingTransfers toPart = to(placeOf(message));
        toPart.buildRead(publication);
        toPart.add(publication);
    }

    /** Tells whether a transfer waits for room in its part. */
    boolean isFull() {
        for (WaitingTransfers ofPart : waiting) {
            if (ofPart.isFull()) {
                return true;
            }
        }
        return false;
    }

    boolean uses(int shard) {
        return waiting.stream().anyMatch(ofPart -> ofPart.uses(shard));
    }

    /** Tells whether a transfer waits for a committer that has no room. */
    boolean isStalled() {
        for (WaitingTransfers ofPart : waiting) {
            if (!ofPart.isEmpty() && ofPart.isStalled()) {
                return true;
            }
        }
        return false;
    }

    boolean isEmpty() {
        return waiting.stream().allMatch(WaitingTransfers::isEmpty);
    }

    /** Drops the transfers of a link that has ended; their publisher gets no outcome. */
    void drop() {
        waiting.forEach(WaitingTransfers::drop);
    }
}
