package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.CatalogRequests;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.HandOff;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.wire.MalformedMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Takes the transfers of one link to one address, in their order. A transfer waits while the address is full, while the
 * stager stores a large body, or while the committer has no room. An impatient link rejects transfers when the address
 * stays full too long. From then on it rejects each further one immediately, until there is room.
 * <p>
 * An address may move to another shard (ADR 66). Transfers that its old home refuses for that reason, and those behind
 * them, go to the next one in their order.
 * <p>Longer than others, because every way of a transfer to one address leads through it.
 * <p>
 * Thread: the connection's event loop.
 */
final class WaitingTransfers implements HandOff.Waiting {
    private final PublisherLink link;
    private final OpenConnection connection;
    private final WaitingRoom waitingRoom;
    private final MessageBuilder builder;
    private final HandOff handOff;
    private final CreditHolders creditHolders;
    private final CurrentPolicies policies;
    private final Shard shard;
    private final CatalogMailbox catalog;
    private final CatalogRequests requests;
    private final long patienceMs; // of an impatient link

    private final ArrayDeque<Publication> waiting = new ArrayDeque<>();
    private Address address; // null until it is resolved
    private HandOff.ToHome toHome; // as address
    private BodyIds bodyIds; // of the home; as address
    private boolean byMessageId; // the broker stores its messages once by their message ids
    private boolean listening; // the quota will call when the address has room
    private Runnable stopListening = () -> {};
    private boolean full; // the head waits for places
    private long fullSince; // counts how often it became full, to know a stale timer
    private boolean refusing; // was full for too long
    private int handedIn; // to the committer, without an answer
    private final ArrayDeque<Publication> returned = new ArrayDeque<>(1); // refused, as the address moves; in order
    private boolean following; // the next home has been asked for
    private Runnable whenAnswered = () -> {}; // all that was handed in; the link has ended
    private Runnable onMoved = () -> {}; // null = the link ends instead

    /**
     * @param address null until it is resolved
     * @param home of the address; null as well
     */
    WaitingTransfers(Publishing publishing, PublisherLink link, MessageBuilder builder, Address address, Home home) {
        this.link = link;
        this.connection = publishing.connection();
        this.waitingRoom = link.waitingRoom();
        this.builder = builder;
        this.handOff = publishing.handOff();
        this.creditHolders = publishing.creditHolders();
        this.shard = publishing.shard();
        this.policies = shard.policies();
        this.catalog = shard.catalog();
        this.requests = publishing.requests();
        this.patienceMs = publishing.settings().parkedTimeout().toMillis();
        if (address != null) {
            isFor(address, home);
        }
    }

    private void isFor(Address found, Home home) {
        address = found;
        connection.dependsOn(home);
        toHome = handOff.to(home);
        bodyIds = home.bodyIds();
        followPolicy();
    }

    private void followPolicy() {
        byMessageId = policies.of(address.name()).onceByMessageId();
    }

    /** Follows the policy of now, for the transfers that come and for those that wait. */
    void policiesChanged() {
        if (address == null) {
            return;
        }
        followPolicy();
        if (address.quota().isBeyond()) {
            waiting.forEach(Publication::giveUpPlaces);
        }
        if (!waiting.isEmpty()) {
            advance(); // one may be larger than the quota of now
        }
    }

    /**
     * Has the listener called once the address has another home, for which all that waits is built by then.
     *
     * @param listener null = the link does not follow: it has a producer, which its home holds for it
     */
    void onMoved(Runnable listener) {
        onMoved = listener;
    }

    /** Tells whether the address moves, and transfers wait for its next home. */
    boolean isMoving() {
        return address != null && address.quota().isClosed();
    }

    /** Returns null until the address is resolved. */
    Address address() {
        return address;
    }

    /** Tells whether the address lives in the shard of that number. */
    boolean uses(int number) {
        return toHome != null && toHome.home().number() == number;
    }

    /** Tells whether the address lives in the shard of that number, which has not ended here. */
    boolean isServed(int number) {
        return uses(number) && !toHome.home().isOver();
    }

    /** Tells whether a transaction holds something of the shard in which the address lives. */
    boolean holdsPart(LocalTransaction transaction) {
        return transaction != null
                && toHome != null
                && transaction.uses(toHome.home().number());
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Tells whether nothing waits, nor comes back since the address moves. */
    boolean isIdle() {
        return waiting.isEmpty() && handedIn == 0;
    }

    /** Returns whether the first waiting transfer waits for places. */
    boolean isFull() {
        return full;
    }

    /** Tells whether the committer has no room. */
    boolean isStalled() {
        return toHome != null && toHome.isFull();
    }

    /** Reads and addresses the messages of a publication, once the address is known. */
    void build(Publication publication) throws MalformedMessage {
        builder.build(publication, address, bodyIds, byMessageId);
    }

    /** Builds a single message whose facts have just been read. */
    void buildRead(Publication publication) throws MalformedMessage {
        builder.buildRead(publication, address, bodyIds, byMessageId);
    }

    /** Hands a transfer in, keeps it until that is possible, or rejects it. */
    void add(Publication publication) {
        publication.goesBy(this);
        if (isMoving()) {
            waiting.add(publication);
            follow();
            return;
        }
        if (waiting.isEmpty() && address != null && pass(publication)) {
            return;
        }
        if (full && (refusing || !waitingRoom.enter(publication))) {
            reject(publication, fullCondition());
        } else {
            if (address != null && !full && publication.missingPlaces() == 0 && publication.takeRoom()) {
                isStaged(publication); // its large bodies are staged while others wait
            }
            waiting.add(publication);
            handOff.waits(this);
        }
    }

    /** Goes on with an address that is known now. */
    void resolved(Address found, Home home) {
        isFor(found, home);
        for (Iterator<Publication> each = waiting.iterator(); each.hasNext(); ) {
            Publication publication = each.next();
            try {
                build(publication);
            } catch (MalformedMessage e) {
                each.remove();
                reject(publication, Conditions.malformed(e));
            }
        }
        advance();
    }

    /** Takes all transfers to an address that has parts, as is known now. */
    void moveTo(PartTransfers parts) {
        for (Publication publication; (publication = waiting.poll()) != null; ) {
            try {
                parts.move(publication);
            } catch (MalformedMessage e) {
                reject(publication, Conditions.malformed(e));
            } catch (Refusal.Refused away) {
                reject(publication, Conditions.of(away.refusal()));
            }
        }
        empty();
    }

    /** Lets go of all transfers, whose address another node has. @param other takes each */
    void moveTo(Consumer<Publication> other) {
        for (Publication publication; (publication = waiting.poll()) != null; ) {
            abandon(publication);
            other.accept(publication);
        }
        empty();
    }

    /** Rejects all transfers to an address that does not exist and cannot be created. */
    void unresolved(ErrorCondition why) {
        for (Publication publication; (publication = waiting.poll()) != null; ) {
            reject(publication, why);
        }
        empty();
    }

    /** Hands in as many transfers as possible, in order. */
    @Override
    public void advance() {
        if (link.isEnded()) {
            return;
        }
        if (isMoving()) {
            follow();
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
        handOff.waitsNoMore(this);
        link.wantCredit();
    }

    /** Returns true if the transfer need not wait any longer: it is handed in or rejected. */
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
        waitingRoom.leave(publication);
        if (!isStaged(publication)) {
            return false;
        }
        Refusal refusal = publication.refusal();
        if (refusal != null) {
            reject(publication, Conditions.of(refusal));
            return true;
        }
        return handIn(publication);
    }

    /** Hands a transfer to the committer or to its transaction. @return false if the committer has no room */
    private boolean handIn(Publication publication) {
        if (publication.transaction() == null) {
            if (!toHome.submit(publication.work())) {
                return false;
            }
            handedIn++;
            publication.handOver();
        } else {
            link.enlisted(publication);
            publication.transaction().arrived(toHome.home(), publication.handOver(), publication.duplicateIds());
        }
        return true;
    }

    // ---- large bodies

    /** Returns whether its large bodies are staged; the first call begins to stage them. */
    private boolean isStaged(Publication publication) {
        if (!publication.isStagingBegun()) {
            int attempt = publication.attempt();
            for (Message message : publication.beginStaging()) {
                toHome.home()
                        .stager()
                        .stage(
                                message.bodyId(),
                                message.encoded(),
                                failed -> link.mailbox().post(() -> staged(publication, attempt, failed)));
            }
        }
        return publication.isStaged();
    }

    private void staged(Publication publication, int attempt, Refusal failed) {
        if (attempt != publication.attempt()) {
            return; // the address has moved since, and this body is given up
        }
        publication.staged(failed);
        if (publication.isStaged()) {
            advance();
        }
    }

    // ---- room in the address

    /** Returns null if the address, once it is empty, has room for the transfer. */
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

    /** Waits for room. @return true if there is room after all */
    private boolean waitForRoom(Publication publication) {
        if (!full) {
            becomesFull();
        }
        if (listening) {
            return false;
        }
        listening = true;
        stopListening = address.quota().onMoreRoom(() -> link.mailbox().post(this::onRoom));
        if (publication.takeRoom()) { // room came before the listener
            stopListening.run();
            listening = false;
            return true;
        }
        return false;
    }

    private void becomesFull() {
        full = true;
        for (Publication behind : waiting) {
            if (!behind.waitsForRoom()) {
                waitingRoom.enter(behind); // or else it still counts against the link's bound
            }
        }
        long since = ++fullSince;
        if (!waitingRoom.isPatient()) {
            link.mailbox().later(() -> overdue(since), patienceMs);
        }
        creditHolders.waits(this, address, link.mailbox());
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
            creditHolders.waitsNoMore(this, address);
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

    private ErrorCondition fullCondition() {
        AddressQuota quota = address.quota();
        return Conditions.limit(
                "RT-4051",
                address + " is full: " + quota.messages() + " of " + quota.messagesMax() + " messages, " + quota.bytes()
                        + " of " + quota.bytesMax() + " bytes: let its readers catch up or raise its quota");
    }

    // ---- to the next home of the address

    /**
     * Hears what the committer has answered.
     *
     * @return whether the transfer goes to another home, and has no outcome yet
     */
    boolean answered(Publication publication, Refusal refusal) {
        if (--handedIn == 0) {
            whenAnswered.run();
        }
        boolean comesBack = refusal != null && refusal.code().equals(Address.MOVES) && !link.isEnded();
        if (comesBack && publication.isNumbered()) {
            link.attachAnew(Conditions.of(refusal));
            return false;
        }
        if (comesBack) {
            returned.add(publication);
        }
        if (isMoving() && !link.isEnded()) {
            follow();
        }
        return comesBack;
    }

    /**
     * Asks where the address lives now, once all that was handed in has its answer. So the transfers of the link stay
     * in their order.
     */
    void follow() {
        if (handedIn > 0 || following) {
            return;
        }
        following = true;
        if (onMoved == null) {
            link.mailbox().post(() -> link.attachAnew(Conditions.of(address.moves())));
            return;
        }
        requests.ask(
                () -> catalog.ensure(address.name(), address.kind()),
                this::followed,
                () -> {}); // the link has ended, and all that waited with it
    }

    /** @param failure why there is no next home; null if there is one */
    private void followed(Address next, Throwable failure) {
        following = false;
        if (link.isEnded()) {
            return;
        }
        List<Publication> all = new ArrayList<>(returned);
        all.addAll(waiting);
        returned.clear();
        waiting.clear();
        all.forEach(this::abandon); // places and bodies of the old home
        stopListening.run();
        listening = false;
        refusing = false;
        empty();
        if (failure != null) {
            all.forEach(publication -> link.refuse(publication, Conditions.of(failure)));
            return;
        }
        isFor(next, shard.homeOf(next));
        for (Publication publication : all) {
            publication.again();
            try {
                build(publication);
                waiting.add(publication);
            } catch (MalformedMessage e) {
                reject(publication, Conditions.malformed(e));
            }
        }
        onMoved.run();
        if (!waiting.isEmpty()) {
            handOff.waits(this);
        }
        advance();
    }

    // ---- transfers that are not handed in

    private void reject(Publication publication, ErrorCondition why) {
        abandon(publication);
        link.refuse(publication, why);
    }

    private void abandon(Publication publication) {
        List<Long> bodies = Message.bodyIds(publication.abandon());
        if (!bodies.isEmpty()) {
            toHome.home().stager().abandon(bodies);
        }
        waitingRoom.leave(publication);
    }

    /** Runs an action once all that was handed in has its answer: the link has ended. */
    void whenAnswered(Runnable action) {
        if (handedIn == 0) {
            action.run();
        } else {
            whenAnswered = action;
        }
    }

    /** Drops the transfers of a link that has ended; their publisher gets no outcome. */
    void drop() {
        returned.forEach(link::lost);
        returned.clear();
        for (Publication publication; (publication = waiting.poll()) != null; ) {
            abandon(publication);
            link.lost(publication);
        }
        stopListening.run();
        isFullNoMore();
        handOff.waitsNoMore(this);
    }
}
