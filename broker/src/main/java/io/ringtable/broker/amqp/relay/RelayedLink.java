package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.OpenTransfer;
import io.ringtable.wire.RingtableSymbols;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Joins a link of a client with the link that passes it on to the owner of its address. Each end
 * hears what the other one says: attach, detach, and what the direction of the link adds.
 * <p>
 * An owner that hands its shard over ends the link once nothing is owed on it. The link waits here for the next owner,
 * and the client notices a pause (ADR 70). So it is where the owner is lost, if nothing of the link is left open that
 * only that owner could tell (ADR 76).
 * <p>Longer than others, because both ends and the change of one of them are told in one place.
 * <p>
 * Thread: the event loop of both connections. The client's mailbox has what comes from the relay, so a failure is the
 * client's alone.
 */
abstract class RelayedLink implements AmqpLink, ConnectionMailbox.Event, NextOwner.Moving {
    final Front front;
    final OpenConnection connection;
    RelayedSession session; // changes with the owner, as the next two
    Relay relay;

    private CarriedClient said;
    private final Supplier<ErrorCondition> rights;
    final RelayAnswer answer;
    private boolean signalled;
    private boolean opened; // at both ends
    private boolean ended; // at the client
    private boolean detaching; // at the owner, for the client
    private boolean attached; // the owner has answered, and its answer is heard
    private boolean gone; // at the owner
    private Runnable afterwards;
    private int shard; // of the address
    private final OwnerWatch.Tenant tenant = new OwnerWatch.Tenant();
    private NextOwner.Place place; // among the links without an owner; null while it has one
    private AmqpLink before; // of this node, owes something yet; null if nothing does

    /** Makes a link without an owner yet. @param session null until the link has followed its shard */
    RelayedLink(
            Front front,
            RelayedSession session,
            CarriedClient said,
            Supplier<ErrorCondition> rights,
            RelayAnswer answer) {
        this.front = front;
        this.connection = front.connection();
        this.session = session;
        this.relay = session == null ? null : session.relay();
        this.said = said;
        this.rights = rights;
        this.answer = answer;
    }

    /** Returns the link to the owner. */
    abstract Link<?> owner();

    /** Tells whether the owner's answer has the terminus: without one it refuses. */
    abstract boolean hasTerminus();

    /** Adds to what an attach says to the owner. */
    void say(Map<Symbol, Object> properties) {}

    /** Says to the client what the owner's answer says, of what is not the same for all links. */
    abstract void copyAnswer();

    /** Opens the link to the owner. */
    abstract void open();

    /** Begins to pass on: both ends are attached. */
    abstract void begin();

    /** Passes on what waits. */
    abstract void work();

    /** Makes the link to an owner, in the session of the present one. */
    abstract void makeOwner();

    /** Takes over what a link of this node has left unread. */
    void take(List<OpenTransfer> unread) {}

    /** Begins to count where a link of this node has ended. */
    abstract void recount();

    /** Tells whether the owner owes nothing, nor the client: the link may go to another owner. */
    abstract boolean isQuiet();

    /** Tells whether the next owner can go on though this one says no more: what is left open comes again. */
    abstract boolean survivesOwner();

    /** Forgets what the owner has not answered, and answers the client itself. */
    abstract void forgetOwner();

    /** Goes on with another owner: both ends are attached. */
    abstract void goOn();

    /** Tells whether the client may be served by this node itself: nothing of the last owner is left. */
    abstract boolean isEmptied();

    /** Tells whether others serve the client's link as well, and have answered its attach. */
    boolean isPart() {
        return false;
    }

    /** Tells whether something of the client has to reach the owner yet. */
    boolean hasWaiting() {
        return false;
    }

    /** Tells whether the owner owes outcomes. */
    boolean isBusy() {
        return false;
    }

    // ---- attach

    String nameOnRelay() {
        return CarriedClient.prefix(said.connection()) + said.link();
    }

    /** Attaches at the owner of a shard, as the client has attached here. */
    void attach(int itsShard) {
        shard = itsShard;
        attach();
    }

    private void attach() {
        attached = false;
        relay.watch().uses(shard);
        makeOwner();
        Link<?> client = link();
        session.put(client.isSender(), said.link(), this);
        Link<?> owner = owner();
        Map<Symbol, Object> properties = new HashMap<>();
        if (client.getRemoteProperties() != null) {
            properties.putAll(client.getRemoteProperties());
            properties.remove(RingtableSymbols.RELAY_PRODUCER); // which is not for clients to name
        }
        properties.put(RingtableSymbols.CLIENT, said.said());
        if (isPart()) {
            properties.put(RingtableSymbols.PARTS, true);
        }
        owner.setSenderSettleMode(client.getRemoteSenderSettleMode());
        say(properties);
        owner.setProperties(properties);
        owner.setSource(client.getRemoteSource());
        owner.setReceiverSettleMode(client.getRemoteReceiverSettleMode());
        owner.setOfferedCapabilities(client.getRemoteOfferedCapabilities());
        owner.setDesiredCapabilities(client.getRemoteDesiredCapabilities());
        owner.setMaxMessageSize(client.getRemoteMaxMessageSize());
        open();
    }

    void onAttached() {
        front.post(() -> {
            if (gone || !hasTerminus()) {
                return; // the detach that follows says why
            }
            attached = true;
            tenant.attached();
            if (place != null) {
                onMoved();
            } else if (isPart() && answer.isWanted()) {
                opened = true;
                relay.counters().relayedLinks.increment();
                begin();
                answer.opened(this);
            } else if (answer.isWanted()) {
                Link<?> client = link();
                Link<?> owner = owner();
                client.setSource(owner.getRemoteSource());
                client.setSenderSettleMode(owner.getRemoteSenderSettleMode());
                client.setReceiverSettleMode(owner.getRemoteReceiverSettleMode());
                client.setOfferedCapabilities(owner.getRemoteOfferedCapabilities());
                client.setProperties(owner.getRemoteProperties());
                copyAnswer();
                client.setMaxMessageSize(owner.getRemoteMaxMessageSize());
                opened = true;
                relay.counters().relayedLinks.increment();
                connection.attached(this);
                client.open();
                begin();
                answer.opened(this);
            } else {
                ended = true;
                answer.gone();
                detachOwner(false);
            }
        });
    }

    // ---- events

    /** Has {@link #work} run soon. */
    void signal() {
        if (!signalled) {
            signalled = true;
            connection.mailbox().post(this);
        }
    }

    @Override
    public void onEventLoop() {
        signalled = false;
        work();
        if (detaching && !hasWaiting()) {
            detachOwner(link().isRemotelyClosed());
        }
        if (session != null) {
            session.endIfDone();
        }
    }

    /** Tells whether frames may be written to the client for this link. */
    boolean reachesClient() {
        return opened && !ended && connection.isRunning() && link().isLocallyOpen() && link().isRemotelyOpen();
    }

    /**
     * Tells whether frames may be written to the owner for this link. Not before its answer is heard, which says what
     * goes first.
     */
    boolean reachesOwner() {
        return attached && !gone && relay.isRunning() && owner().isLocallyOpen() && owner().isRemotelyOpen();
    }

    // ---- detach by the client

    /** Passes a detach of the client on, behind all that came before. */
    void onClientDetach() {
        endAtClient(false);
        if (gone && !hasWaiting()) {
            answerDetach(null);
        } else {
            detaching = true;
            signal();
        }
    }

    private void detachOwner(boolean closed) {
        detaching = false;
        drop();
        if (gone || !relay.isRunning() || !owner().isLocallyOpen()) {
            return;
        }
        if (closed) {
            owner().close();
        } else {
            owner().detach();
        }
    }

    private void answerDetach(ErrorCondition condition) {
        Link<?> client = link();
        if (!connection.isRunning()
                || !client.isLocallyOpen()
                || client.getSession().isLocallyClosed()
                || client.getSession().isRemotelyClosed()) {
            return;
        }
        if (condition != null) {
            client.setCondition(condition);
        }
        if (client.isRemotelyDetached()) {
            client.detach();
        } else {
            client.close();
        }
    }

    // ---- detach by the owner

    void onOwnerDetach(Link<?> ofOwner) {
        front.post(() -> {
            if (gone || ofOwner != owner()) {
                return;
            }
            ErrorCondition condition = owner().getRemoteCondition();
            boolean closed = owner().isRemotelyClosed();
            if (relay.isRunning() && owner().isLocallyOpen()) {
                if (closed) {
                    owner().close();
                } else {
                    owner().detach();
                }
            }
            HandedOver to = opened ? HandedOver.of(condition) : null;
            if (to != null && isWanted() && answer.follows() && isQuiet()) {
                moveTo(to);
                return;
            }
            if (place != null) {
                onRefusedAgain(condition);
                return;
            }
            if (opened && CarriedClient.isAway(condition)) {
                front.ownerLost(relay, condition); // so it is with all links of the client there
                return;
            }
            if (opened && CarriedClient.isAnew(condition)) {
                attachAnew(condition);
                return;
            }
            boolean wasOpen = opened;
            boolean wasEnded = ended;
            ownerGone();
            session.remove(link().isSender(), said.link(), this);
            session.endIfDone();
            if (!wasOpen) {
                if (!wasEnded) {
                    refuse(condition);
                }
            } else if (link().isRemotelyClosedOrDetached()) {
                answerDetach(to == null ? condition : null);
            } else if (to != null) {
                connection.close(Conditions.of(ConnectionError.CONNECTION_FORCED, condition.getDescription()), true);
            } else if (condition != null && ConnectionError.CONNECTION_FORCED.equals(condition.getCondition())) {
                connection.close(condition, true);
            } else {
                detach(condition);
            }
        });
    }

    // ---- another owner

    /** Tells whether the link has no owner, or is being attached at another one. */
    boolean isMoving() {
        return place != null;
    }

    /** Hears that another node was seen to own a shard. @return whether the link is attached for it here */
    boolean replaced(int itsShard, OwnerWatch.Look look) {
        if (itsShard != shard || gone || isMoving()) {
            return false;
        }
        RemoteHome home = answer.home();
        if (home != null
                && home.shard() != shard
                && home.node().equals(relay.node().node())) {
            shard = home.shard(); // the address has moved to a shard of this owner, and the link with it
            relay.watch().uses(shard);
            tenant.stays();
            signal();
            return false;
        }
        tenant.replaced(look);
        return true;
    }

    /** Tells whether another node owns the shard: nothing more may be sent to this one. */
    boolean isReplaced() {
        return tenant.isReplaced();
    }

    /** Waits for the next owner: this one has answered all. */
    private void moveTo(HandedOver to) {
        leaveOwner();
        shard = to.shard();
        place = front.nextOwner(shard).wait(this, to);
        session.endIfDone();
    }

    /** Attaches again where the owner has ended the link for that, which may have an outcome left to tell. */
    private void attachAnew(ErrorCondition why) {
        if (survives()) {
            RelayedSession left = session;
            ownerLost(why);
            if (isMoving()) {
                place.rest(); // what the owner ends the link for may not be over
            }
            left.endIfDone();
        } else {
            connection.close(Conditions.of(ConnectionError.CONNECTION_FORCED, why.getDescription()), true);
        }
    }

    private void leaveOwner() {
        gone = true;
        relay.counters().relayedLinks.decrement();
        session.remove(link().isSender(), said.link(), this);
        session.withdrawUnused();
    }

    /** Tells whether the link can do without its owner, who says no more: it may go on at another one, or is over. */
    boolean survives() {
        return isMoving() || ended && !isWanted() || answer.survivesOwner() && (!opened || survivesOwner());
    }

    /**
     * Waits for the next owner: this one says no more. A link that its client has detached waits for nobody. An attach
     * without an answer is refused, for what passes: it begins anew.
     */
    void ownerLost(ErrorCondition why) {
        if (isMoving()) {
            return; // the end of the session tells it
        }
        if (!opened && !ended) {
            ownerGone();
            session.remove(link().isSender(), said.link(), this);
            refuse(why);
        } else if (isWanted()) {
            forgetOwner();
            leaveOwner();
            place = front.nextOwner(shard).waitForAny(this, shard, relay.node());
        } else if (link().isRemotelyClosedOrDetached()) {
            answerDetach(null);
        }
    }

    /** Takes the place of a link of this node, whose shard another one takes over. The client hears nothing of it. */
    void follow(AmqpLink own, HandedOver to) {
        before = own;
        opened = true;
        gone = true;
        shard = to.shard();
        place = front.nextOwner(shard).wait(this, to);
        begin();
        take(own.unread());
        own.unreadTaken();
    }

    /** Tells whether a link of this node owes something yet: no other node is to have the client's link before. */
    private boolean isOwed() {
        return before != null;
    }

    /** Has the link before this one take a transfer, if it must. */
    boolean goesBefore(IncomingDelivery delivery) {
        return isOwed() && before.takesStill(delivery);
    }

    /** Has the link before this one hear of credit: the client may settle nothing before its drain has an answer. */
    void tellBefore() {
        if (isOwed()) {
            before.creditChanged();
        }
    }

    @Override
    public boolean uses(int shard) {
        return isOwed() && before.uses(shard);
    }

    @Override
    public Handing handing(int shard) {
        return isOwed() ? before.handing(shard) : Handing.DONE;
    }

    /** {@inheritDoc} The node that was told before may have the client's link from now on. */
    @Override
    public void handOver(int shard, ErrorCondition condition) {
        endBefore(false);
        recount();
    }

    private void endBefore(boolean lost) {
        if (isOwed()) {
            AmqpLink own = before;
            before = null;
            own.end(lost);
        }
    }

    /** {@inheritDoc} A client that has detached may have published before that. */
    @Override
    public boolean isWanted() {
        Link<?> client = link();
        return connection.isRunning()
                && client.isLocallyOpen()
                && client.getSession().isLocallyOpen()
                && client.getSession().isRemotelyOpen()
                && (!ended || detaching && hasWaiting());
    }

    @Override
    public boolean goesOnHere() {
        if (isOwed() || !answer.isHere() || !isEmptied()) {
            return false;
        }
        try {
            if (ended) {
                drop(); // as of a link of this node that has ended
                answerDetach(null);
            } else {
                answer.serveHere();
            }
        } catch (RuntimeException e) { // fails this client only
            connection.fail(e);
        }
        place = null;
        front.post(() -> {}); // a turn, at the end of which the client hears of it
        return true;
    }

    @Override
    public RemoteHome seen() {
        return answer.home();
    }

    @Override
    public void attach(Relay to) {
        front.post(() -> {
            if (place == null) {
                return; // it has given up
            }
            if (!isWanted() || front.isOver()) {
                leave();
            } else if (!to.isRunning() || isOwed()) {
                place.notYet();
            } else {
                session = front.session(link().getSession(), to);
                relay = to;
                RemoteHome home = answer.home();
                shard = home == null ? shard : home.shard(); // the address may have moved
                said = front.carried(said.link(), false);
                gone = false;
                attach();
            }
        });
    }

    private void onMoved() {
        NextOwner.Place found = place;
        place = null;
        relay.counters().relayedLinks.increment();
        found.served();
        if (isWanted()) {
            goOn();
            signal();
        } else {
            detachOwner(link().isRemotelyClosed());
        }
    }

    /** Hears that a node has refused the link. One that is not the owner yet is asked again. */
    private void onRefusedAgain(ErrorCondition condition) {
        gone = true;
        session.remove(link().isSender(), said.link(), this);
        boolean isNotYet = condition != null
                && (ConnectionError.CONNECTION_FORCED.equals(condition.getCondition())
                        || CarriedClient.isElsewhere(condition));
        if (!isWanted()) {
            leave();
        } else if (isNotYet) {
            place.notYet();
        } else {
            NextOwner.Place found = place;
            place = null;
            found.served();
            detach(condition);
        }
    }

    /** Waits no more: nobody needs the link. */
    private void leave() {
        NextOwner.Place left = place;
        place = null;
        gone = true;
        left.left();
        drop();
        if (link().isRemotelyClosedOrDetached()) {
            answerDetach(null);
        }
    }

    @Override
    public void giveUp(ErrorCondition why) {
        front.post(() -> {
            place = null;
            connection.close(why, true);
            drop();
        });
    }

    private void refuse(ErrorCondition condition) {
        if (!answer.isWanted()) {
            answer.gone();
        } else {
            answer.refused(condition == null ? Relay.endedUnasked() : condition);
        }
    }

    /** Forgets the link to the owner: it is over, or its session is. */
    void ownerGone() {
        if (!gone && place != null) {
            gone = true;
            place.notYet(); // the relay to the next owner is lost, or the client's session
        } else if (!gone) {
            gone = true;
            drop();
            if (opened) {
                relay.counters().relayedLinks.decrement();
            }
            if (afterwards != null) {
                front.post(afterwards);
            }
        }
    }

    /** Hears that the session at the owner has ended: an attach without an answer gets none. */
    void sessionGone() {
        boolean isUnanswered = isPart() && !opened && !gone;
        ownerGone();
        if (isUnanswered) {
            answer.gone();
        }
    }

    /** Goes on once the owner has let go of the link's name. */
    void afterwards(Runnable then) {
        afterwards = then;
    }

    // ---- of every link

    @Override
    public ErrorCondition refusal() {
        return rights.get();
    }

    @Override
    public void detach(ErrorCondition condition) {
        boolean tell = reachesClient();
        endAtClient(true);
        if (tell) {
            link().setCondition(condition);
            link().close();
        }
        detachOwner(false);
    }

    @Override
    public void end(boolean lost) {
        endAtClient(lost); // the session at the owner ends with the client's
        if (place != null) {
            drop(); // no session has what waits
        }
    }

    private void endAtClient(boolean lost) {
        endBefore(lost);
        if (!ended) {
            ended = true;
            clientGone();
            connection.ended(this);
        }
    }

    boolean isEnded() {
        return ended;
    }

    /** Forgets what is of no use once the link has ended at the client. */
    void clientGone() {}

    /** Forgets what has not been passed on to the owner, and will not be. */
    void drop() {}

    /** Tells whether neither end needs the link any more. */
    boolean isOver() {
        return ended;
    }
}
