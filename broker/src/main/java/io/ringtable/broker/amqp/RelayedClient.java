package io.ringtable.broker.amqp;

import io.netty.channel.EventLoop;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.frames.FailureNaming;
import io.ringtable.broker.amqp.frames.FramePipeline;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.status.ConnectionStatus;
import java.time.Instant;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Stands for a client whose connection another node has, and some of whose links this one serves. The client's own are
 * its name, rights, bounds, memory and links; socket, engine and event loop are the relay's.
 * <p>
 * The owner cannot close the client's connection. It detaches all links with the condition that would close it, and
 * takes no others until the other node has ended the client's sessions.
 * <p>
 * Thread: the event loop of the relay; operators ask for the number from any.
 */
final class RelayedClient implements OpenConnection, OpenClient {
    private final RelayedClients clients;
    private final AmqpConnection relay;
    private final AmqpTransport transport; // the relay's
    private final AmqpServer server;
    private final CarriedClient first; // as the first attach has said
    private final long number;
    private final Instant since = Instant.now();
    private final ClientEntry entry;
    private final ConnectionMemory memory;
    private final ServedClient served;
    private int sessions; // that are open
    private Identity identity; // as the latest attach has said
    private boolean waiting; // for a turn
    private ErrorCondition ending; // why the client must go; null while it is served
    private boolean over;

    /** Makes a client without sessions, which counts nowhere before {@link #enter}. */
    RelayedClient(
            RelayedClients clients,
            AmqpConnection relay,
            AmqpTransport transport,
            AmqpServer server,
            FramePipeline pipeline,
            CarriedClient first) {
        this.clients = clients;
        this.relay = relay;
        this.transport = transport;
        this.server = server;
        this.first = first;
        this.identity = first.identity();
        this.number = server.admission().nextNumber();
        this.entry = new ClientEntry(this, server);
        this.memory = new ConnectionMemory(
                server.settings(), reason -> relay.mailbox().post(() -> close(reason, true)));
        this.served = new ServedClient(this, server, entry, pipeline, memory, first.host(), relay::onIdle, null);
    }

    // ---- from the relay

    /** Counts the client. @return why the broker refuses it; null if it serves it */
    ErrorCondition enter() {
        ErrorCondition refusal = entry.enter(false); // its node has looked whether it is the only one
        if (refusal == null) {
            served.begin();
        } else {
            server.peerLog().info("{} refused: {}", this, refusal.getDescription());
        }
        return refusal;
    }

    /** Takes over what a later attach says of the client. @return why the attach is refused; null if it is not */
    ErrorCondition follow(CarriedClient latest) {
        if (ending != null) {
            return ending;
        }
        if (!latest.container().equals(first.container())
                || !latest.identity().name().equals(identity.name())) {
            return CarriedClient.refusal("connection '" + first.connection() + "' is of user '"
                    + Printable.value(identity.name()) + "' with container id '"
                    + Printable.value(first.container()) + "', and another attach says otherwise");
        }
        if (!latest.identity().equals(identity)) {
            identity = latest.identity();
            served.rulesChanged();
        }
        return null;
    }

    void begin(Session session) {
        sessions++;
        served.begin(session);
    }

    /** Ends a session. @return whether it was the last */
    boolean end(Session session, boolean isLost) {
        served.end(session, isLost);
        return --sessions == 0;
    }

    /** Gives credit and writes what had to wait; asks for another turn if something still has to. */
    void takeTurn() {
        waiting = false;
        served.endOfBatch();
        if (served.hasWaiting()) {
            waitsForTurn();
        }
    }

    /** Gives everything back: the last session has ended, or the relay. */
    void lost() {
        over = true;
        served.endLinks(true);
        served.lost();
    }

    /** Returns the id of the client's connection at its node. */
    String connectionId() {
        return first.connection();
    }

    // ---- for links

    @Override
    public boolean isRunning() {
        return !over && relay.isRunning();
    }

    @Override
    public boolean isStopping() {
        return relay.isStopping();
    }

    @Override
    public int linkCount() {
        return served.links().size();
    }

    @Override
    public boolean canWrite() {
        return relay.canWrite();
    }

    @Override
    public ConnectionMailbox mailbox() {
        return relay.mailbox();
    }

    @Override
    public String containerId() {
        return first.container();
    }

    @Override
    public Identity identity() {
        return identity;
    }

    @Override
    public String owner() {
        return user().isEmpty() ? "host " + first.host() : "user '" + user() + "'";
    }

    @Override
    public String nameOf(Link<?> link) {
        return link.getName().substring(CarriedClient.prefix(first.connection()).length());
    }

    @Override
    public ErrorCondition refusalToCreate(Link<?> link, NodeName address) {
        return CarriedClient.of(link).mayCreate() ? null : CarriedClient.elsewhere(address.name());
    }

    @Override
    public boolean isCarried() {
        return true;
    }

    @Override
    public void dependsOn(Home home) {
        relay.dependsOn(home);
    }

    @Override
    public void waitsForTurn() {
        if (!waiting && !over) {
            waiting = true;
            clients.waits(this);
        }
    }

    @Override
    public void attached(AmqpLink link) {
        served.links().attached(link);
        memory.links(1);
        if (ending != null) {
            mailbox().post(() -> link.detach(ending)); // its attach was on its way when the client had to go
        }
    }

    @Override
    public void ended(AmqpLink link) {
        if (served.ended(link)) {
            memory.links(-1);
        }
    }

    @Override
    public void close(ErrorCondition condition, boolean lost) {
        if (ending == null && !over) {
            ending = condition;
            server.peerLog().info("{} ended: {}", this, condition.getDescription());
            served.detachLinks(condition);
        }
    }

    /** Ends this client, and no other one of the relay. */
    @Override
    public void fail(Throwable cause) {
        if (FailureNaming.isViolation(cause)) {
            server.counters().protocolErrors.increment();
        }
        close(FailureNaming.conditionOf(cause), true);
    }

    // ---- for operators

    @Override
    public long number() {
        return number;
    }

    @Override
    public EventLoop loop() {
        return transport.loop();
    }

    @Override
    public String loopName() {
        return transport.loopName();
    }

    @Override
    public ServedClient served() {
        return served;
    }

    @Override
    public ConnectionStatus status() {
        String way = Printable.value(first.host()) + " through " + transport.id();
        return served.status(id(), way, transport.socket().tls(), null, since);
    }

    @Override
    public void run(Runnable action) {
        mailbox().run(action::run);
    }

    @Override
    public void closeFor(String why) {
        close(Conditions.of(ConnectionError.CONNECTION_FORCED, why), true);
    }

    /** Names the client by the id that it has here, with its container id and its way. */
    @Override
    public String toString() {
        return "connection " + id() + " from " + Printable.value(first.host())
                + (first.container().isEmpty() ? "" : " of '" + Printable.value(first.container()) + "'") + " through "
                + transport.id();
    }
}
