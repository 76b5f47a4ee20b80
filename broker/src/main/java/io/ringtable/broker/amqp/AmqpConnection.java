package io.ringtable.broker.amqp;

import io.netty.util.concurrent.Future;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Printable;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.codec.DecodeException;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.exceptions.EngineStateException;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.engine.impl.ProtonEngine;
import org.apache.qpid.protonj2.engine.impl.ProtonFrameDecodingHandler;
import org.apache.qpid.protonj2.engine.impl.ProtonFrameEncodingHandler;
import org.apache.qpid.protonj2.engine.impl.ProtonPerformativeHandler;
import org.apache.qpid.protonj2.engine.impl.sasl.ProtonSaslHandler;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Role;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: its engine, its sessions and links.
 * <p>
 * Thread: the channel's event loop; others reach it through its {@link #mailbox}. Failure: a violation of the
 * protocol fails this engine, which writes a close frame with the condition; a lost channel gives everything back.
 */
final class AmqpConnection {
    private static final Logger LOG = LoggerFactory.getLogger(AmqpConnection.class);

    private static final Symbol SOLE_CONNECTION = Symbol.valueOf("sole-connection-for-container");
    private static final Symbol[] OFFERED = {
        Symbol.valueOf("ANONYMOUS-RELAY"),
        Symbol.valueOf("DELAYED_DELIVERY"),
        Symbol.valueOf("SHARED-SUBS"),
        SOLE_CONNECTION,
        BatchFormat.CAPABILITY
    };
    /** One that does not desire to be the only one of its id may join one that does: "weak", as such clients share an id. */
    private static final UnsignedInteger WEAK_DETECTION = UnsignedInteger.ONE;

    private static final Map<Symbol, Object> PROPERTIES = Map.of(
            Symbol.valueOf("product"), "Ringtable", Symbol.valueOf("sole-connection-detection-policy"), WEAK_DETECTION);
    private static final Symbol ESTABLISHMENT_FAILED = Symbol.valueOf("amqp:connection-establishment-failed");

    /** A silent peer and a due heartbeat are looked for this many times per time-out. */
    private static final int TICKS_PER_TIMEOUT = 8;

    private static final int TICK_LEAST_MS = 25;

    private final AmqpServer server;
    private final AmqpTransport transport;
    private final ProtonEngine engine;
    private final Connection connection;
    private final FrameGuard frames;
    private final DispositionRanges dispositions = new DispositionRanges();
    private final LinkNameGuard linkNames = new LinkNameGuard(this);
    private final FrameTurns turns = new FrameTurns(this);
    private final SessionWindows windows;
    private final ConnectionMailbox mailbox;

    private final Set<AmqpLink> links = new LinkedHashSet<>();
    private int receivingLinks; // of them
    private final Temporaries temporaries = new Temporaries(this);
    private final CatalogRequests requests = new CatalogRequests(this);
    private final Intake intake;
    private final Transactions transactions = new Transactions(this);
    private final Set<OutgoingLink> paused = new LinkedHashSet<>(); // unable to write: window or socket
    private final MessageFacts facts = new MessageFacts();
    private final DeliveryHeader deliveryHeader = new DeliveryHeader();
    private DeliveryCodes deliveryCodes; // null until a link needs it, or where none does

    private Future<?> ticks;
    private boolean stopping;
    private boolean over;
    private boolean entered; // counted under its container id
    private String user = ""; // as it logged in; empty where everybody may connect

    AmqpConnection(AmqpServer server, AmqpTransport transport, boolean sasl) {
        this.server = server;
        this.transport = transport;
        this.mailbox = new ConnectionMailbox(
                transport.channel().eventLoop(), this::run, this::endOfBatch, server.counters().longestTurn);
        this.intake = new Intake(this);
        this.windows = new SessionWindows(server.settings().maxFrameSize());
        this.engine = createEngine(sasl);
        this.frames = new FrameGuard(server.settings().maxFrameSize(), engine::ingest);
        this.connection = engine.connection();
        connection.setMaxFrameSize(server.settings().maxFrameSize());
        connection.openHandler(opened -> onOpen());
        connection.closeHandler(closed -> onClose());
        connection.sessionOpenHandler(this::onBegin);
        Attaching attaching = new Attaching(this);
        connection.receiverOpenHandler(attaching::onPublisher);
        connection.senderOpenHandler(attaching::onConsumer);
        engine.outputHandler(transport::write);
        engine.errorHandler(this::onFailure);
        engine.start();
    }

    /** As the library's factory does, without its frame logger and with handlers of ours. */
    private ProtonEngine createEngine(boolean sasl) {
        ProtonEngine created = new ProtonEngine();
        // The first, as failures stop at the next one.
        created.pipeline()
                .addLast(FailureNaming.NAME, new FailureNaming(server.settings().containerId()));
        created.pipeline().addLast("amqp", new ProtonPerformativeHandler());
        created.pipeline().addLast(SessionWindows.NAME, windows);
        created.pipeline().addLast(LinkNameGuard.NAME, linkNames);
        created.pipeline().addLast(UnsettledRanges.NAME, new UnsettledRanges(turns));
        created.pipeline().addLast(DispositionRanges.NAME, dispositions);
        created.pipeline().addLast(FrameTurns.NAME, turns);
        if (sasl) {
            created.pipeline().addLast("sasl", new ProtonSaslHandler());
        }
        created.pipeline().addLast("frame-decoder", new ProtonFrameDecodingHandler());
        created.pipeline().addLast("frame-encoder", new ProtonFrameEncodingHandler());
        created.pipeline().addLast(StateChangesEnd.NAME, new StateChangesEnd());
        if (sasl) {
            created.saslDriver().server().setListener(new SaslLogin(server, this));
        }
        return created;
    }

    // ---- from the socket

    void ingest(byte[] bytes, int from, int length) {
        if (!engine.isRunning()) {
            return;
        }
        try {
            frames.ingest(bytes, from, length);
        } catch (MalformedMessage e) {
            fail(new DecodeException(e.code() + " " + e.getMessage()));
        } catch (EngineStateException e) {
            LOG.debug("{} failed", transport, e); // onFailure has said why
        }
    }

    /** After everything that arrived together has been read: credit, outcomes, one flush. */
    void endOfBatch() {
        if (engine.isRunning()) {
            resumePaused();
            intake.endOfBatch();
            windows.endOfBatch(engine);
        }
        turns.endOfBatch();
        dispositions.flush();
        transport.flush();
    }

    private void resumePaused() {
        if (paused.isEmpty()) {
            return;
        }
        List<OutgoingLink> again = List.copyOf(paused);
        paused.clear();
        for (OutgoingLink link : again) {
            link.resume();
        }
    }

    void onWritable() {
        endOfBatch();
    }

    // ---- from other threads

    /** Of its event loop. */
    TurnQueue turnQueue() {
        return server.turnQueue(transport.channel().eventLoop());
    }

    ConnectionMailbox mailbox() {
        return mailbox;
    }

    private void run(ConnectionMailbox.Event event) {
        try {
            event.onEventLoop();
        } catch (EngineStateException e) {
            LOG.debug("{} failed", transport, e);
        } catch (RuntimeException | Error e) { // of this connection's event: the loop serves others
            fail(e);
        }
    }

    // ---- open, begin, close

    private void onOpen() {
        transport.handshakeDone();
        connection.setContainerId(server.settings().containerId());
        connection.setChannelMax(server.settings().sessionsMax() - 1);
        if (server.settings().idleTimeoutMs() > 0) {
            connection.setIdleTimeout(server.settings().idleTimeoutMs());
        }
        connection.setOfferedCapabilities(OFFERED);
        ErrorCondition refusal = refusal();
        connection.setProperties(refusal == null ? PROPERTIES : Map.of(ESTABLISHMENT_FAILED, true));
        connection.open();
        if (refusal != null) {
            server.peerLog().info("{} refused: {}", transport, refusal.getDescription());
            close(refusal, false);
        } else {
            intake.begin(server.heldBytes().enter(owner()));
            beginTicks();
        }
    }

    private ErrorCondition refusal() {
        if (server.isOverConnections()) {
            return Conditions.limit(
                    "RT-4035",
                    "too many connections: amqp.connections-max="
                            + server.settings().connectionsMax() + ": close some or raise it");
        }
        String container = containerId();
        String owner = user.isEmpty() ? null : shard().lookup().ownerOf(container);
        if (owner != null && !owner.equals(user)) {
            return containerRefusal("RT-4332", "belongs to another user, who used it first: choose another client id");
        }
        boolean sole = NodeName.has(connection.getRemoteDesiredCapabilities(), SOLE_CONNECTION);
        Containers.Entry entry = server.containers().enter(container, user, sole);
        entered = entry == Containers.Entry.ENTERED;
        return switch (entry) {
            case ENTERED -> null;
            case IN_USE ->
                containerRefusal(
                        "RT-4036", "is in use by another connection: close that one or choose another client id");
            case OF_ANOTHER_USER -> containerRefusal("RT-4335", "is in use by another user: choose another client id");
        };
    }

    private ErrorCondition containerRefusal(String code, String why) {
        return Conditions.of(
                AmqpError.INVALID_FIELD,
                code + " container id '" + Printable.value(containerId()) + "' " + why,
                Map.of(Symbol.valueOf("invalid-field"), Symbol.valueOf("container-id")));
    }

    private void beginTicks() {
        long own = connection.getIdleTimeout();
        long remote = connection.getRemoteIdleTimeout();
        long shortest = Math.min(own > 0 ? own : Long.MAX_VALUE, remote > 0 ? remote : Long.MAX_VALUE);
        if (shortest == Long.MAX_VALUE) {
            return;
        }
        long every = Math.max(TICK_LEAST_MS, shortest / TICKS_PER_TIMEOUT);
        ticks = transport.channel().eventLoop().scheduleAtFixedRate(this::tick, every, every, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        if (!engine.isRunning() || connection.isLocallyClosed()) {
            ticks.cancel(false);
            return;
        }
        try {
            engine.tick(TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        } catch (EngineStateException e) {
            LOG.debug("{} is idle", transport, e);
        }
        dispositions.flush();
        transport.flush();
    }

    private void onBegin(Session session) {
        linkNames.begun(session);
        windows.begun(session);
        session.setHandleMax(server.settings().linksMax() - 1L);
        int capacity = intake.sessionCapacity();
        session.setLinkedResource(capacity);
        session.setIncomingCapacity(capacity);
        session.closeHandler(this::onEnd);
        session.open();
    }

    private void onEnd(Session session) {
        for (AmqpLink link : List.copyOf(links)) {
            if (link.link().getSession() == session) {
                link.end(false);
            }
        }
        intake.sessionEnded(session.getLinkedResource(Integer.class));
        session.close();
    }

    private void onClose() {
        boolean answer = connection.isLocallyClosed();
        endLinks(false);
        connection.close();
        if (answer) {
            transport.closeNow();
        } else {
            dispositions.flush();
            transport.closeAfterFlush();
        }
    }

    /** Closes with a condition. */
    void close(ErrorCondition condition, boolean lost) {
        if (engine.isRunning() && connection.isLocallyOpen()) {
            endLinks(lost);
            connection.setCondition(condition);
            connection.close();
            dispositions.flush();
            transport.closeAfterFlush();
        } else {
            transport.closeNow();
        }
    }

    /** Something of ours went wrong while serving this connection. */
    void fail(Throwable cause) {
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
        endLinks(true);
        transport.closeNow();
    }

    /** The channel is gone. */
    void lost() {
        over = true;
        endLinks(true);
        linkNames.lost();
        requests.lost();
        intake.lost();
        if (ticks != null) {
            ticks.cancel(false);
        }
        if (entered) {
            server.containers().leave(containerId());
        }
        engine.shutdown();
    }

    private void endLinks(boolean lost) {
        for (AmqpLink link : List.copyOf(links)) {
            link.end(lost);
        }
    }

    /** Before the broker stops: no more credit; closes when what was handed in has its outcome, or in time. */
    void stop(boolean graceful) {
        stopping = true;
        if (!graceful || intake.isIdle()) {
            closeForced();
        } else {
            mailbox.later(this::closeForced, server.settings().stopTimeoutMs());
        }
    }

    /** Called when the last transfer that was handed in has its outcome. */
    void onIdle() {
        if (stopping) {
            closeForced();
        }
    }

    private void closeForced() {
        if (!over) {
            close(Conditions.of(ConnectionError.CONNECTION_FORCED, "RT-4037 the broker stops: connect again"), true);
        }
    }

    /** Another link of that name attaches on the same session. */
    void steal(String name, boolean consumer, int channel) {
        for (AmqpLink link : List.copyOf(links)) {
            if (link.link().isSender() == consumer
                    && link.link().getName().equals(name)
                    && linkNames.channelOf(link.link().getSession()) == channel) {
                link.detach(LinkNames.Claim.stolenCondition());
                return;
            }
        }
        throw new ProtocolViolationException("a second attach of link '" + name + "' while the first is answered");
    }

    // ---- for links

    void attached(AmqpLink link) {
        links.add(link);
        receivingLinks += link instanceof OutgoingLink ? 1 : 0;
    }

    void detached(AmqpLink link) {
        if (links.remove(link)) {
            receivingLinks -= link instanceof OutgoingLink ? 1 : 0;
            temporaries.ended(link.link());
            server.linkNames().release(link.link().getLinkedResource(LinkNames.Claim.class));
        }
    }

    /** On which this client receives. */
    int receivingLinks() {
        return receivingLinks;
    }

    int linkCount() {
        return links.size();
    }

    /** The client has not been given it, and is to detach it as well. */
    void refused(Link<?> link) {
        linkNames.refused(link.getSession(), link.isSender() ? Role.RECEIVER : Role.SENDER, link.getName());
    }

    /** Links of every state: from the client's attach to its detach. */
    int linksKnown() {
        return linkNames.count();
    }

    Set<AmqpLink> links() {
        return links;
    }

    /** Comes back to it at the end of the next batch. */
    void pause(OutgoingLink link) {
        paused.add(link);
    }

    boolean canWrite() {
        return transport.isWritable();
    }

    boolean isRunning() {
        return engine.isRunning() && !over && connection.isLocallyOpen() && connection.isRemotelyOpen();
    }

    boolean isStopping() {
        return stopping;
    }

    Temporaries temporaries() {
        return temporaries;
    }

    FrameTurns turns() {
        return turns;
    }

    CatalogRequests requests() {
        return requests;
    }

    Intake intake() {
        return intake;
    }

    Transactions transactions() {
        return transactions;
    }

    MessageFacts facts() {
        return facts;
    }

    /** Null where nobody but the broker reaches the store: nobody settles by tag there. */
    DeliveryCodes deliveryCodes() {
        if (deliveryCodes == null) {
            deliveryCodes = shard().deliveryKey().map(DeliveryCodes::new).orElse(null);
        }
        return deliveryCodes;
    }

    DeliveryHeader deliveryHeader() {
        return deliveryHeader;
    }

    AmqpServer server() {
        return server;
    }

    AmqpSettings settings() {
        return server.settings();
    }

    AmqpCounters counters() {
        return server.counters();
    }

    Shard shard() {
        return server.shard();
    }

    /** Called before anything else of the client is read. */
    void loggedIn(String name) {
        user = name;
    }

    /** Empty where everybody may connect. */
    String user() {
        return user;
    }

    /** Who answers for what this connection takes: its user or, where nobody logs in, its host. */
    String owner() {
        return !user.isEmpty()
                ? "user '" + user + "'"
                : "host "
                        + (transport.channel().remoteAddress() instanceof InetSocketAddress address
                                ? address.getAddress().getHostAddress()
                                : "?");
    }

    String containerId() {
        String id = connection.getRemoteContainerId();
        return id == null ? "" : id;
    }

    AmqpTransport transport() {
        return transport;
    }

    /** For log lines. */
    String identity() {
        return containerId().isEmpty() ? "" : " of '" + Printable.value(containerId()) + "'";
    }

    @Override
    public String toString() {
        return transport.toString();
    }
}
