package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.message.Refusal;
import io.ringtable.wire.MalformedMessage;

/**
 * Takes the transfers of one link to an address with parts. The part of a message is that of its group or partition
 * key, or else of its duplicate id. Any other message goes to the part of the link (ADR 58). A transfer that waits for
 * its part lets those for other parts pass.
 * <p>
 * A part may be away when the link begins (ADR 68). Messages of its keys are refused until it is back, since another
 * part would break their order. The first one afterwards takes the part into use. The part of the link is one that is
 * there. A part that leaves later ends the connection.
 * <p>
 * Thread: the connection's event loop.
 */
final class PartTransfers {
    private final Publishing publishing;
    private final PublisherLink link;
    private final MessageBuilder builder;
    private final MessageFacts facts;
    private final Shard shard;
    private final CurrentPolicies policies;
    private final Parts parts;
    private final int ofLink; // the place of the part that gets what has no key
    private final WaitingTransfers[] waiting; // by part; null = it was away at the last look
    private boolean byMessageId; // the broker stores messages once by their message ids

    PartTransfers(Publishing publishing, PublisherLink link, MessageBuilder builder, Parts parts) {
        this.publishing = publishing;
        this.link = link;
        this.builder = builder;
        this.facts = publishing.facts();
        this.shard = publishing.shard();
        this.policies = shard.policies();
        this.parts = parts;
        this.waiting = new WaitingTransfers[parts.all().size()];
        for (int place = 0; place < waiting.length; place++) {
            use(place, parts.all().get(place));
        }
        this.ofLink = nextThatIsThere(parts.ofNextLink());
        followPolicy();
    }

    private boolean use(int place, Address part) {
        Home home = shard.homeOf(part);
        if (home.refusal() != null) {
            return false;
        }
        waiting[place] = new WaitingTransfers(publishing, link, builder, part, home);
        return true;
    }

    private int nextThatIsThere(int first) {
        for (int i = 0; i < waiting.length; i++) {
            int place = (first + i) % waiting.length;
            if (waiting[place] != null) {
                return place;
            }
        }
        return first;
    }

    private void followPolicy() {
        byMessageId = policies.of(ofLink().name()).onceByMessageId();
    }

    void policiesChanged() {
        followPolicy();
        for (WaitingTransfers ofPart : waiting) {
            if (ofPart != null) {
                ofPart.policiesChanged();
            }
        }
    }

    /** Returns the part that gets what has no key. */
    Address ofLink() {
        Address there = there(ofLink);
        return there == null ? parts.all().get(ofLink) : there;
    }

    /** Returns the place of that part. */
    int placeOfLink() {
        return ofLink;
    }

    /** Returns the part in that place; null if it was away at the last look. */
    Address there(int place) {
        return waiting[place] == null ? null : waiting[place].address();
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

    /**
     * Returns what takes transfers to the part in that place.
     *
     * @throws Refusal.Refused while that part is away
     */
    WaitingTransfers to(int place) {
        if (waiting[place] == null && !isBack(place)) {
            throw new Refusal.Refused(away(parts.all().get(place)));
        }
        return waiting[place];
    }

    /** Looks again for a part that was away, and takes it into use. */
    private boolean isBack(int place) {
        Parts now = shard.partsOf(ofLink());
        Address part = now == null ? null : now.inShardOf(parts.all().get(place)); // not the object of before
        return part != null && use(place, part);
    }

    private Refusal away(Address part) {
        Refusal why = shard.refusalFor(part);
        return new Refusal(
                Refusal.Reason.UNAVAILABLE,
                "RT-4586",
                "the part of " + part + " that gets all messages of this key or id is away: send this one again a"
                        + " little later. It goes to no other part, which would break the order of its key; "
                        + (why == null ? "attach again, as the queue has other parts now" : why));
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
            if (ofPart != null && ofPart.isFull()) {
                return true;
            }
        }
        return false;
    }

    boolean uses(int shard) {
        for (WaitingTransfers ofPart : waiting) {
            if (ofPart != null && ofPart.uses(shard)) {
                return true;
            }
        }
        return false;
    }

    /** Tells whether a transfer waits for a committer that has no room. */
    boolean isStalled() {
        for (WaitingTransfers ofPart : waiting) {
            if (ofPart != null && !ofPart.isEmpty() && ofPart.isStalled()) {
                return true;
            }
        }
        return false;
    }

    boolean isEmpty() {
        for (WaitingTransfers ofPart : waiting) {
            if (ofPart != null && !ofPart.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** Drops the transfers of a link that has ended; their publisher gets no outcome. */
    void drop() {
        for (WaitingTransfers ofPart : waiting) {
            if (ofPart != null) {
                ofPart.drop();
            }
        }
    }
}
