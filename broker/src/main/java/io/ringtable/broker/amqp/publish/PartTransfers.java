package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.message.Refusal;
import io.ringtable.wire.MalformedMessage;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Takes the transfers of one link to an address with parts. The part of a message is that of its group or partition
 * key, or else of its duplicate id. Any other message goes to the part of the link (ADR 58). A transfer that waits for
 * its part lets those for other parts pass.
 * <p>
 * A part may be at another node: {@link RemoteParts} passes its messages on (ADR 81). Or it may be away when the link
 * begins (ADR 68). Messages of its keys are refused until it is back, since another part would break their order. The
 * first one afterwards takes the part into use. The part of the link is one that is there. A part that fails later ends
 * the connection, and one that is handed over is reached at its next node.
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
    private final WaitingTransfers[] waiting; // by part; null = this node did not have it at the last look
    private final RemoteParts remote;
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
        this.remote = new RemoteParts(publishing, link, parts, this::takeBack);
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
        return next(first, place -> waiting[place] != null, next(first, remote::isSeen, first));
    }

    private int next(int first, IntPredicate isThere, int otherwise) {
        return IntStream.range(first, first + waiting.length)
                .map(place -> place % waiting.length)
                .filter(isThere)
                .findFirst()
                .orElse(otherwise);
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

    /** Returns the part in that place; null if this node did not have it at the last look. */
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
     * Makes sure that the part in that place takes transfers, here or at another node.
     *
     * @throws Refusal.Refused while that part is away
     */
    void require(int place) {
        if (!remote.takes(place) && waiting[place] == null && !isBack(place)) {
            Refusal away = away(parts.all().get(place));
            if (!remote.begin(place, away)) {
                throw new Refusal.Refused(away);
            }
        }
    }

    /** Looks again for a part that was elsewhere or away, and takes it into use. */
    private boolean isBack(int place) {
        Address before = parts.all().get(place);
        Home home = shard.homeOf(before);
        Address part = home.refusal() == null ? home.lookup().find(before.name()) : null; // not the object of before
        return part != null && part.kind() == before.kind() && use(place, part);
    }

    /** Tells whether a transfer goes to another node. While a shard is handed over, its open transactions stay. */
    private boolean goesElsewhere(int place, LocalTransaction transaction) {
        boolean staysHere = waiting[place] != null && remote.isIdle(place) && waiting[place].holdsPart(transaction);
        return remote.takes(place) && !staysHere;
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

    // ---- transfers

    /**
     * Admits a single message whose facts have just been read, and takes it to its part.
     *
     * @throws Refusal.Refused while that part is away
     */
    void publishRead(int place, Publication publication) throws MalformedMessage {
        require(place);
        if (!goesElsewhere(place, publication.transaction())) {
            waiting[place].buildRead(publication);
        }
        admit(place, publication);
    }

    /** Reads the messages for a part that {@link #require} has found, before any of their batch is admitted. */
    void prepare(int place, Publication publication) throws MalformedMessage {
        if (!goesElsewhere(place, publication.transaction())) {
            waiting[place].build(publication);
        }
    }

    /** Takes messages to their part that are prepared. */
    void admit(int place, Publication publication) {
        if (goesElsewhere(place, publication.transaction())) {
            link.passesOn(publication);
            remote.send(place, publication);
        } else {
            link.admit(publication, waiting[place]);
        }
    }

    /** Reads a message that is admitted already, and takes it to its part behind those that came before. */
    void move(Publication publication) throws MalformedMessage {
        byte[] message = publication.encoded().get(0);
        facts.read(message, 0, message.length);
        move(placeOf(message), publication);
    }

    private void move(int place, Publication publication) throws MalformedMessage {
        require(place);
        if (goesElsewhere(place, publication.transaction())) {
            remote.send(place, publication);
        } else {
            waiting[place].build(publication);
            waiting[place].add(publication);
        }
    }

    private void takeBack(int place, Publication publication) {
        try {
            move(place, publication);
        } catch (MalformedMessage e) {
            link.passedOn(publication, Conditions.malformed(e));
        } catch (Refusal.Refused away) {
            link.passedOn(publication, Conditions.of(away.refusal()));
        }
    }

    /** Tells whether a transfer waits for room in its part. */
    boolean isFull() {
        if (remote.isFull()) {
            return true;
        }
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

    /** Tells whether the committer of the part has no room. */
    boolean isStalled(int place) {
        return waiting[place] != null && waiting[place].isStalled();
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

    /** Tells whether nothing waits, nor has no outcome. */
    boolean isIdle() {
        for (WaitingTransfers ofPart : waiting) {
            if (ofPart != null && !ofPart.isIdle()) {
                return false;
            }
        }
        return remote.isIdle();
    }

    // ---- another node takes a shard over

    private IntStream placesIn(int number) {
        return IntStream.range(0, waiting.length)
                .filter(place -> waiting[place] != null && waiting[place].uses(number));
    }

    /** Tells whether the parts of this node may go to another one while the link stays. */
    boolean mayHandOver() {
        return publishing.front() != null;
    }

    /** Has messages for the part in a shard go to the next owner, also those that wait. */
    void passOn(HandedOver to) {
        placesIn(to.shard()).forEach(place -> {
            remote.follow(place, to);
            waiting[place].moveTo(publication -> {
                link.goesElsewhere(publication);
                publication.again();
                remote.send(place, publication);
            });
        });
    }

    /** Says how far the messages are that this node has for the part in a shard. */
    AmqpLink.Handing handing(int number) {
        return placesIn(number).allMatch(place -> waiting[place].isIdle())
                ? AmqpLink.Handing.DONE
                : AmqpLink.Handing.OWES;
    }

    /** Forgets the part in a shard that this node has no more. */
    void forget(int number) {
        placesIn(number).forEach(place -> {
            waiting[place].drop();
            waiting[place] = null;
        });
    }

    /** Drops the transfers of a link that has ended; their publisher gets no outcome. */
    void drop() {
        for (WaitingTransfers ofPart : waiting) {
            if (ofPart != null) {
                ofPart.drop();
            }
        }
        remote.end();
    }
}
