package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.wire.RingtableSymbols;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Joins a link of a client with the link that passes it on to the owner of its address. Each end
 * hears what the other one says: attach, detach, and what the direction of the link adds.
 * <p>
 * Thread: the event loop of both connections. The client's mailbox has what comes from the relay, so a failure is the
 * client's alone.
 */
abstract class RelayedLink implements AmqpLink, ConnectionMailbox.Event {
    final Front front;
    final OpenConnection connection;
    final RelayedSession session;
    final Relay relay;

    private final CarriedClient said;
    private final Supplier<ErrorCondition> rights;
    private final RelayAnswer answer;
    private boolean signalled;
    private boolean opened; // at both ends
    private boolean ended; // at the client
    private boolean detaching; // at the owner, for the client
    private boolean gone; // at the owner
    private Runnable afterwards;

    RelayedLink(
            Front front,
            RelayedSession session,
            CarriedClient said,
            Supplier<ErrorCondition> rights,
            RelayAnswer answer) {
        this.front = front;
        this.connection = front.connection();
        this.session = session;
        this.relay = session.relay();
        this.said = said;
        this.rights = rights;
        this.answer = answer;
    }

    /** Returns the link to the owner. */
    abstract Link<?> owner();

    /** Tells whether the owner's answer has the terminus: without one it refuses. */
    abstract boolean hasTerminus();

    /** Says to the client what the owner's answer says. */
    abstract void copyAnswer();

    /** Opens the link to the owner. */
    abstract void open();

    /** Begins to pass on: both ends are attached. */
    abstract void begin();

    /** Passes on what waits. */
    abstract void work();

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

    /** Attaches at the owner, as the client has attached here. */
    void attach() {
        Link<?> client = link();
        session.put(client.isSender(), said.link(), this);
        Link<?> owner = owner();
        Map<Symbol, Object> properties = new HashMap<>();
        if (client.getRemoteProperties() != null) {
            properties.putAll(client.getRemoteProperties());
        }
        properties.put(RingtableSymbols.CLIENT, said.said());
        owner.setProperties(properties);
        owner.setSource(client.getRemoteSource());
        owner.setSenderSettleMode(client.getRemoteSenderSettleMode());
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
            if (answer.isWanted()) {
                copyAnswer();
                Link<?> client = link();
                Link<?> owner = owner();
                client.setSource(owner.getRemoteSource());
                client.setSenderSettleMode(owner.getRemoteSenderSettleMode());
                client.setReceiverSettleMode(owner.getRemoteReceiverSettleMode());
                client.setOfferedCapabilities(owner.getRemoteOfferedCapabilities());
                client.setProperties(owner.getRemoteProperties());
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
        session.endIfDone();
    }

    /** Tells whether frames may be written to the client for this link. */
    boolean reachesClient() {
        return opened && !ended && connection.isRunning() && link().isLocallyOpen() && link().isRemotelyOpen();
    }

    /** Tells whether frames may be written to the owner for this link. */
    boolean reachesOwner() {
        return !gone && relay.isRunning() && owner().isLocallyOpen() && owner().isRemotelyOpen();
    }

    // ---- detach by the client

    /** Passes a detach of the client on, behind all that came before. */
    void onClientDetach() {
        endAtClient();
        detaching = true;
        signal();
        if (gone) {
            answerDetach(null);
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

    void onOwnerDetach() {
        front.post(() -> {
            if (gone) {
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
                answerDetach(condition);
            } else if (condition != null && ConnectionError.CONNECTION_FORCED.equals(condition.getCondition())) {
                connection.close(condition, true);
            } else {
                detach(condition);
            }
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
        if (!gone) {
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
        endAtClient();
        if (tell) {
            link().setCondition(condition);
            link().close();
        }
        detachOwner(false);
    }

    @Override
    public void end(boolean lost) {
        endAtClient(); // the session at the owner ends with the client's
    }

    private void endAtClient() {
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
