package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.frames.Chunks;
import io.ringtable.broker.amqp.link.Conditions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Mirrors one session of a client on a relay, with the links of it that one node serves. So the windows are those of
 * the client alone.
 * <p>
 * Thread: the event loop of the client's connection.
 */
final class RelayedSession {
    private static final ErrorCondition LOST =
            Conditions.of(ConnectionError.CONNECTION_FORCED, "RT-4568 the client was lost");

    private final Front front;
    private final Relay relay;
    private final Session session;
    private final Map<String, RelayedLink> publishers = new HashMap<>(); // by name, until the owner has let go
    private final Map<String, RelayedLink> consumers = new HashMap<>(); // the same
    private final Set<RelayedMessages> messages = new LinkedHashSet<>(); // of links without a target
    private final Set<Runnable> blocked = new LinkedHashSet<>(); // wait for the owner's window or the socket
    private RelayedCoordinator coordinator; // null before the first transaction
    private boolean ending;

    /** Begins a session on a relay that is open. */
    RelayedSession(Front front, Relay relay) {
        this.front = front;
        this.relay = relay;
        this.session = relay.begin(front, this::unblock);
    }

    Session session() {
        return session;
    }

    Relay relay() {
        return relay;
    }

    /** Tells whether a link is attached, or about to be. */
    boolean hasLinks() {
        return links().stream().anyMatch(link -> !link.isOver() && !link.isMoving())
                || messages.stream().anyMatch(each -> each.isBusy() && !each.isMoving());
    }

    List<RelayedLink> links() {
        List<RelayedLink> all = new ArrayList<>(publishers.values());
        all.addAll(consumers.values());
        return all;
    }

    private Map<String, RelayedLink> ofRole(boolean consumer) {
        return consumer ? consumers : publishers;
    }

    /** Returns the link that has the name on the relay still; null if none has. */
    RelayedLink named(boolean consumer, String name) {
        return ofRole(consumer).get(name);
    }

    void put(boolean consumer, String name, RelayedLink link) {
        ofRole(consumer).put(name, link);
    }

    void remove(boolean consumer, String name, RelayedLink link) {
        ofRole(consumer).remove(name, link);
    }

    /** Returns what declares and discharges transactions at the owner. */
    RelayedCoordinator coordinator() {
        if (coordinator == null) {
            coordinator = new RelayedCoordinator(front, this, front.carriedCoordinator());
        }
        return coordinator;
    }

    /** Hears that a link goes to another owner: what clients' transactions do there may begin with it. */
    void withdrawUnused() {
        if (coordinator != null) {
            coordinator.withdrawUnused();
        }
    }

    /**
     * Makes room in a window for bytes that nobody will read, and tells the owner.
     *
     * @param its this session of the relay, or one to an earlier owner
     */
    void giveBack(Session its, int bytes) {
        Chunks.giveBack(its, bytes);
        consumers.values().stream()
                .filter(RelayedLink::reachesOwner)
                .findFirst() // without any the next one tells it
                .ifPresent(consumer -> RelayFrames.flow((Receiver) consumer.owner()));
    }

    void put(RelayedMessages toAddress) {
        messages.add(toAddress);
    }

    void remove(RelayedMessages toAddress) {
        messages.remove(toAddress);
    }

    /** Tells whether the owner owes outcomes. */
    boolean isBusy() {
        return links().stream().anyMatch(RelayedLink::isBusy)
                || messages.stream().anyMatch(RelayedMessages::isBusy);
    }

    /** Tells whether everything on the session may go on at another owner, though this one says no more. */
    boolean survivesOwner() {
        return links().stream().allMatch(RelayedLink::survives)
                && messages.stream().allMatch(RelayedMessages::survivesOwner);
    }

    /** Has links of a shard on a relay send no more, as another owner was seen. @return whether there is one here */
    boolean replaced(Relay its, int shard, OwnerWatch.Look look) {
        if (its != relay) {
            return false;
        }
        boolean isUsed = false;
        for (RelayedLink link : links()) {
            isUsed |= link.replaced(shard, look);
        }
        for (RelayedMessages each : messages) {
            isUsed |= each.replaced(shard, look);
        }
        return isUsed;
    }

    /** Has everything wait for the next owner; the session must end then. @param why for attaches without an answer */
    void ownerLost(ErrorCondition why) {
        links().forEach(link -> link.ownerLost(why));
        List.copyOf(messages).forEach(RelayedMessages::ownerLost);
    }

    /** Has somebody try again when the owner's window or the socket of the relay has room. */
    void block(Runnable again) {
        blocked.add(again);
    }

    void unblock() {
        if (!blocked.isEmpty()) {
            List<Runnable> again = List.copyOf(blocked);
            blocked.clear();
            again.forEach(front::post);
        }
    }

    /**
     * Ends the session at the owner, once what the client has published on it is on its way.
     *
     * @param lost whether the client may have seen deliveries without telling their outcome; then at once
     */
    void end(boolean lost) {
        ending = true;
        if (lost) {
            session.setCondition(LOST);
            close();
        } else {
            endIfDone();
        }
    }

    /** Goes on with the end of the session: a link has nothing more to pass on. */
    void endIfDone() {
        boolean isAsking = coordinator != null && coordinator.hasWaiting();
        if (ending
                && !isAsking
                && links().stream().noneMatch(RelayedLink::hasWaiting)
                && messages.stream().noneMatch(RelayedMessages::hasWaiting)) {
            close();
        }
    }

    private void close() {
        ending = false;
        if (relay.isRunning() && session.isLocallyOpen()) {
            session.close();
        }
        blocked.clear();
        links().forEach(RelayedLink::sessionGone);
        if (coordinator != null) {
            coordinator.gone(null);
        }
        List.copyOf(messages).forEach(RelayedMessages::ownerGone);
        messages.clear();
        publishers.clear();
        consumers.clear();
        front.ended(this);
    }
}
