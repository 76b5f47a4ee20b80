package io.ringtable.broker.amqp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.amqp.attach.LinkNames;
import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.carried.Redirect;
import io.ringtable.broker.amqp.frames.FailureNaming;
import io.ringtable.broker.amqp.frames.FramePipeline;
import io.ringtable.broker.amqp.frames.RelayedTransfers;
import io.ringtable.broker.amqp.frames.TurnQueue;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.login.LoginPeer;
import io.ringtable.broker.amqp.login.SaslLogin;
import io.ringtable.broker.amqp.transport.ConnectionLease;
import io.ringtable.broker.amqp.transport.Heartbeat;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.wire.MalformedMessage;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.codec.DecodeException;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.exceptions.EngineStateException;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one connection: its protocol engine, its sessions and links. The links are those of its client or, if the
 * peer is another node, those of the {@link RelayedClients}.
 * <p>
 * Thread: the channel's event loop; others reach it through its {@link #mailbox}. Failure: a violation of the
 * protocol fails the engine, which writes a close frame with the condition. A lost channel gives everything back.
 * <p>Longer than others, because it joins socket, engine and login with whoever has the links.
 */
final class AmqpConnection implements OpenConnection, LoginPeer {
    private static final Logger LOG = LoggerFactory.getLogger(AmqpConnection.class);

    private static final String STOPS = "RT-4037 the broker stops: connect again";

    private final AmqpServer server;
    private final AmqpProperties settings;
    private final AmqpTransport transport;
    private final ConnectionMailbox mailbox;
    private final ConnectionMemory memory;
    private final SaslLogin login; // null without a SASL layer
    private final FramePipeline pipeline;
    private final Engine engine;
    private final Connection connection;
    private final Opening opening;
    private final Heartbeat heartbeat;
    private final ConnectionLease lease;
    private final ServedClient served;

    private ConnectionPeer peer; // the served client, or those that another node carries
    private boolean stopping;
    private String stopsFor; // null unless it stops
    private boolean over;
    private Identity identity = Identity.ANONYMOUS; // until the login
    private Supplier<Identity> standing; // who the client is now; null until the login

    AmqpConnection(AmqpServer server, AmqpTransport transport, boolean sasl) {
        this.server = server;
        this.settings = server.settings();
        this.transport = transport;
        AmqpCounters counters = server.counters();
        this.mailbox = new ConnectionMailbox(
                transport.channel().eventLoop(), this::run, this::endOfBatch, counters.longestTurn);
        this.memory = new ConnectionMemory(settings, reason -> mailbox.post(() -> close(reason, true)));

        this.login = sasl ? new SaslLogin(server.logins(), counters, server.peerLog(), this) : null;
        TurnQueue turnQueue = server.turnQueue(transport.channel().eventLoop());
        RelayedTransfers relayed = server.isInCluster() ? new RelayedTransfers() : null;
        this.pipeline = new FramePipeline(
                settings, turnQueue, mailbox, transport::holdInput, this::steal, memory, counters, relayed, login);
        this.engine = pipeline.engine();
        this.connection = engine.connection();
        ClientEntry entry = new ClientEntry(this, server);
        this.opening = new Opening(this, server, entry, connection);
        this.standing = sasl ? null : server.logins().standingWithoutLogin();
        this.heartbeat = new Heartbeat(engine, transport.channel().eventLoop(), this::flush);
        this.lease = ConnectionLease.of(transport.channel());
        this.served = new ServedClient(
                this,
                server,
                entry,
                pipeline,
                memory,
                transport.socket().host(),
                this::onIdle,
                server.front(this, transport, relayed, memory, this::onIdle));
        this.peer = served;

        connection.setMaxFrameSize(settings.maxFrameSize().toBytes());
        connection.openHandler(opened -> onOpen());
        connection.closeHandler(closed -> onClose());
        connection.sessionOpenHandler(this::onBegin);
        connection.receiverOpenHandler(this::onAttach);
        connection.senderOpenHandler(this::onAttach);
        engine.outputHandler(transport::write);
        engine.errorHandler(this::onFailure);
        engine.start();
    }

    // ---- from the socket

    void ingest(ByteBuf arrived) {
        if (!engine.isRunning()) {
            return;
        }
        try {
            pipeline.ingest(arrived);
        } catch (MalformedMessage e) {
            fail(new DecodeException(e.code() + " " + e.getMessage()));
        } catch (EngineStateException e) {
            LOG.debug("{} failed", transport, e); // onFailure has said why
        }
    }

    /** Gives credit and writes outcomes, with one flush, after everything that arrived together has been read. */
    void endOfBatch() {
        if (engine.isRunning()) {
            peer.endOfBatch();
            pipeline.openWindows();
        }
        pipeline.endOfBatch();
        flush();
    }

    private void flush() {
        pipeline.flush();
        transport.flush();
    }

    void onWritable() {
        endOfBatch();
    }

    // ---- from other threads

    @Override
    public ConnectionMailbox mailbox() {
        return mailbox;
    }

    private void run(ConnectionMailbox.Event event) {
        try {
            event.onEventLoop();
        } catch (EngineStateException e) {
            LOG.debug("{} failed", transport, e);
        } catch (RuntimeException | Error e) { // fails this connection only: the loop serves others
            fail(e);
        }
    }

    // ---- open, begin, close

    private void onOpen() {
        transport.handshakeDone();
        ErrorCondition refusal = opening.open();
        if (refusal != null) {
            server.peerLog().info("{} refused: {}", transport, refusal.getDescription());
            close(refusal, false);
            return;
        }
        if (opening.isRelay()) {
            carryClients();
        } else {
            served.begin();
            served.opens(new Redirect(connection, transport.socket().tls() != null, server.redirectedClients()));
        }
        heartbeat.begin();
    }

    private void carryClients() {
        LOG.info("{} carries clients of another node", transport);
        pipeline.carriesClients();
        RelayedClients relayed = new RelayedClients(this, transport, server, pipeline);
        peer = relayed;
        connection.sessionOpenHandler(relayed::onBegin);
        connection.receiverOpenHandler(relayed::onAttach);
        connection.senderOpenHandler(relayed::onAttach);
    }

    private void onBegin(Session session) {
        pipeline.begun(session);
        session.setHandleMax(settings.linksMax() - 1L);
        served.begin(session);
        session.closeHandler(this::onEnd);
        session.open();
    }

    private void onEnd(Session session) {
        served.end(session, false);
        session.close();
    }

    private void onAttach(Receiver receiver) {
        if (isOwnLink(receiver)) {
            served.onAttach(receiver);
        }
    }

    private void onAttach(Sender sender) {
        if (isOwnLink(sender)) {
            served.onAttach(sender);
        }
    }

    /** Refuses a link of somebody else: the connection has not shown that it is one of a node. */
    private boolean isOwnLink(Link<?> link) {
        if (!CarriedClient.isNamed(link)) {
            return true;
        }
        if (isRunning()) {
            served.refuse(link, CarriedClient.refusal("the connection is no relay"));
        }
        return false;
    }

    private void onClose() {
        boolean answer = connection.isLocallyClosed();
        peer.endLinks(false);
        connection.close();
        if (answer) {
            transport.closeNow();
        } else {
            pipeline.flush();
            transport.closeAfterFlush();
        }
    }

    @Override
    public void close(ErrorCondition condition, boolean lost) {
        if (engine.isRunning() && connection.isLocallyOpen()) {
            peer.endLinks(lost);
            connection.setCondition(condition);
            connection.close();
            pipeline.flush();
            transport.closeAfterFlush();
        } else {
            transport.closeNow();
        }
    }

    @Override
    public void fail(Throwable cause) {
        if (engine.isRunning()) {
            engine.engineFailed(cause);
        }
    }

    private void onFailure(Engine failed) {
        Throwable cause = failed.failureCause();
        if (FailureNaming.isViolation(cause)) {
            server.counters().protocolErrors.increment();
        }
        ErrorCondition condition = connection.getCondition();
        server.peerLog()
                .warn(
                        "{} closed: {} {}",
                        transport,
                        condition == null ? "" : condition.getCondition(),
                        condition == null ? cause : condition.getDescription());
        LOG.debug("{} failed", transport, cause);
        peer.endLinks(true);
        transport.closeNow();
    }

    /** Ends everything of a connection whose channel is gone. */
    void lost() {
        over = true;
        peer.endLinks(true);
        pipeline.lost();
        peer.lost();
        heartbeat.end();
        engine.shutdown();
    }

    /** Stops giving credit; closes when everything that was handed in has its outcome, or when the time is over. */
    void stop(boolean graceful) {
        stop(graceful, STOPS);
    }

    private void stop(boolean graceful, String why) {
        stopping = true;
        stopsFor = why;
        if (!graceful || peer.isIdle()) {
            closeFor(why);
        } else {
            mailbox.later(() -> closeFor(why), settings.stopTimeout().toMillis());
        }
    }

    /** Hears that the last work that a client has handed in has its answer. */
    void onIdle() {
        if (stopping && peer.isIdle()) {
            closeFor(stopsFor);
        }
    }

    /** Closes the connection, so that the client may connect again. @param why for the client */
    void closeFor(String why) {
        if (!over) {
            close(Conditions.of(ConnectionError.CONNECTION_FORCED, why), true);
        }
    }

    /** Closes the connection if it holds anything of a shard that is no longer served. @param why for the client */
    void leave(int shard, String why) {
        mailbox.run(() -> {
            boolean mustClose = peer.leave(shard, why);
            flush();
            if (mustClose || !lease.forget(shard)) {
                closeFor(why);
            }
        });
    }

    /**
     * Lets go of a shard that another node takes over. Links of this node's own clients and those that a relay carries
     * go to that node, and the connection stays. If it holds what cannot go, it closes when all that it has handed in
     * has its answer.
     *
     * @return completes when nothing of the shard is left
     */
    CompletableFuture<Void> finish(HandedOver to, String why) {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        transport.channel().closeFuture().addListener(closed -> gone.complete(null));
        mailbox.run(() -> {
            if (peer.handOver(to, why, () -> lease.forget(to.shard()), () -> gone.complete(null))) {
                return;
            }
            if (!peer.leave(to.shard(), why)) {
                gone.complete(null);
            } else if (!over) {
                stop(true, why);
            }
        });
        flush();
        return gone;
    }

    /** Detaches the links that the rules no longer permit; the others follow the policies of now. Thread: any. */
    void rulesChanged() {
        mailbox.post(() -> peer.rulesChanged());
    }

    /** Closes if the login counts no longer; else follows the groups that the user has now. Thread: any. */
    void usersChanged() {
        mailbox.post(() -> {
            peer.boundsChanged();
            Identity now = standing == null ? identity : standing.get();
            if (now == null) {
                String text = "RT-7620 the login of this connection counts no longer: connect again. The user was"
                        + " removed or has another password, or there are users now and clients have to log in";
                server.peerLog().info("{} closed: {}", transport, text);
                close(Conditions.of(AmqpError.UNAUTHORIZED_ACCESS, text), true);
            } else if (!now.equals(identity)) {
                identity = now;
                served.rulesChanged();
            }
        });
    }

    /** Detaches a link since another one of its name attaches on the same session. */
    private void steal(String name, boolean consumer, int channel) {
        for (AmqpLink link : peer.linksBeside(name)) {
            if (ConnectionLinks.is(link, name, consumer)
                    && pipeline.channelOf(link.link().getSession()) == channel) {
                link.detach(LinkNames.Claim.stolenCondition());
                return;
            }
        }
        throw new ProtocolViolationException("a second attach of link '" + name + "' while the first is answered");
    }

    // ---- for links

    @Override
    public void dependsOn(Home home) {
        if (home.lease().isBounded()) {
            lease.dependsOn(home.number(), home.lease());
        }
    }

    @Override
    public void attached(AmqpLink link) {
        served.links().attached(link);
    }

    @Override
    public void replaced(AmqpLink before, AmqpLink now) {
        served.links().replace(before, now);
    }

    @Override
    public void ended(AmqpLink link) {
        served.ended(link);
    }

    @Override
    public int linkCount() {
        return served.links().size();
    }

    @Override
    public boolean canWrite() {
        return transport.isWritable();
    }

    @Override
    public boolean isRunning() {
        return engine.isRunning() && !over && connection.isLocallyOpen() && connection.isRemotelyOpen();
    }

    @Override
    public boolean isStopping() {
        return stopping;
    }

    @Override
    public Channel channel() {
        return transport.channel();
    }

    @Override
    public void closeAfterFlush() {
        transport.closeAfterFlush();
    }

    @Override
    public void loggedIn(Identity who, Supplier<Identity> itsStanding) {
        identity = who;
        standing = itsStanding;
    }

    @Override
    public Identity identity() {
        return identity;
    }

    @Override
    public String owner() {
        return user().isEmpty() ? "host " + transport.socket().host() : "user '" + user() + "'";
    }

    @Override
    public String containerId() {
        String id = connection.getRemoteContainerId();
        return id == null ? "" : id;
    }

    // ---- for operators

    ServedClient served() {
        return served;
    }

    ConnectionStatus status() {
        SocketFacts socket = transport.socket();
        return served.status(
                socket.id(), socket.remote(), socket.tls(), login == null ? null : login.mechanism(), socket.since());
    }

    @Override
    public String toString() {
        return transport.toString();
    }
}
