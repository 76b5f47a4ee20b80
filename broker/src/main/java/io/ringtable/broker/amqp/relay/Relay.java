package io.ringtable.broker.amqp.relay;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.RelayOpening;
import io.ringtable.broker.amqp.frames.RelayedTransfers;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.transport.Heartbeat;
import io.ringtable.broker.message.Printable;
import io.ringtable.wire.DispositionRanges;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.exceptions.EngineStateException;
import org.apache.qpid.protonj2.engine.impl.ProtonEngine;
import org.apache.qpid.protonj2.engine.impl.ProtonFrameDecodingHandler;
import org.apache.qpid.protonj2.engine.impl.ProtonFrameEncodingHandler;
import org.apache.qpid.protonj2.engine.impl.ProtonPerformativeHandler;
import org.apache.qpid.protonj2.engine.impl.sasl.ProtonSaslHandler;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens one connection to another node, and carries clients of its event loop on it (ADR 65).
 * <p>Longer than others, because it opens, carries and ends one connection for all that goes over it.
 * <p>
 * Thread: one event loop, the same as that of the clients. Failure: a relay that is lost, or cannot be opened, says why
 * to all who use it, and is used no more.
 */
final class Relay {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    private static final Symbol ESTABLISHMENT_FAILED = Symbol.valueOf("amqp:connection-establishment-failed");
    private static final int CONNECT_MS = 5_000;
    private static final int AMQP_PORT = 5_672;
    private static final int AMQPS_PORT = 5_671;

    /** Bounds the bytes of a frame on a relay, so that a window of some frames takes little memory. */
    private static final int FRAME_BYTES_MAX = 32 * 1024;
    /** Sets the window of a session, in frames. */
    private static final int WINDOW_FRAMES = 32;

    /** Has something of its own go over the relay: a client, or a request. */
    interface User {
        /** Hears that the socket has room again. */
        void relayWritable();

        /** Hears that the relay is lost. */
        void lost(Relay relay, ErrorCondition why);

        /**
         * Hears that another node was seen to own a shard. Nothing more of it is to be sent over the relay.
         *
         * @return whether something of the shard goes over the relay
         */
        default boolean replaced(Relay relay, int shard, OwnerWatch.Look look) {
            return false;
        }

        /** Hears that this node stops. */
        default void stopped() {}
    }

    /** Waits until the relay is open, or is known not to open. */
    private record Waiter(Runnable opened, Consumer<ErrorCondition> failed) {}

    private final Relays relays;
    private final RelaySettings settings;
    private final EventLoop loop;
    private final RemoteHome node;
    private final ConnectionMailbox mailbox;
    private final ProtonEngine engine = new ProtonEngine();
    private final Connection connection;
    private final RelayFrames frames = new RelayFrames();
    private final RelayedTransfers transfers = new RelayedTransfers();
    private final DispositionRanges dispositions = new DispositionRanges();
    private final RelaySocket socket = new RelaySocket(this);
    private final Heartbeat heartbeat;
    private final List<Waiter> waiting = new ArrayList<>();
    private final Set<User> users = new HashSet<>();
    private final OwnerWatch watch;
    private boolean open;
    private boolean refused; // by the other node, which has answered
    private ErrorCondition over; // why the relay is used no more; null while it is

    /** Makes a relay that is not opened yet. @param node the other one */
    Relay(Relays relays, RelaySettings settings, EventLoop loop, RemoteHome node) {
        this.relays = relays;
        this.settings = settings;
        this.loop = loop;
        this.node = node;
        this.mailbox = new ConnectionMailbox(loop, this::run, this::flush, settings.counters().longestTurn);
        engine.pipeline().addLast("amqp", new ProtonPerformativeHandler());
        engine.pipeline().addLast(RelayFrames.NAME, frames);
        engine.pipeline().addLast(RelayedTransfers.NAME, transfers);
        engine.pipeline().addLast(DispositionRanges.NAME, dispositions);
        engine.pipeline().addLast("sasl", new ProtonSaslHandler());
        engine.pipeline().addLast("frame-decoder", new ProtonFrameDecodingHandler());
        engine.pipeline().addLast("frame-encoder", new ProtonFrameEncodingHandler());
        engine.saslDriver().client().setListener(new RelayLogin(settings.login(), node.isSecure()).authenticator());
        engine.outputHandler(this::write);
        engine.errorHandler(this::onFailure);
        connection = engine.connection();
        connection.setContainerId(settings.amqp().containerId());
        connection.setMaxFrameSize(
                Math.min(FRAME_BYTES_MAX, settings.amqp().maxFrameSize().toBytes()));
        connection.setChannelMax(RelayOpening.SESSIONS_MAX - 1);
        connection.setIdleTimeout(settings.idleTimeoutMs());
        RelayOpening.ask(connection, settings.node());
        connection.openHandler(opened -> onOpen());
        connection.closeHandler(closed -> onClose());
        heartbeat = new Heartbeat(engine, loop, this::flush);
        watch = new OwnerWatch(this, settings.lease().toMillis());
    }

    // ---- opening

    /** Looks the other node's host up, and reads the keys, on a thread that may wait. Then opens the socket. */
    void connect() {
        GlobalEventExecutor.INSTANCE.execute(() -> {
            Runnable next;
            try {
                URI url = new URI(String.valueOf(node.url()));
                if (url.getHost() == null || !node.isSecure() && !"amqp".equals(url.getScheme())) {
                    throw new URISyntaxException(String.valueOf(url), "the node has not told its URL yet");
                }
                int port = url.getPort() > 0 ? url.getPort() : node.isSecure() ? AMQPS_PORT : AMQP_PORT;
                SslContext tls = node.isSecure() ? settings.tls().get() : null;
                InetSocketAddress address = new InetSocketAddress(url.getHost(), port);
                next = address.isUnresolved()
                        ? () -> lost("its host is not known")
                        : () -> open(address, url.getHost(), tls);
            } catch (URISyntaxException | RuntimeException e) {
                next = () -> lost(String.valueOf(e.getMessage()));
            }
            if (!loop.isShuttingDown()) {
                loop.execute(next);
            }
        });
    }

    private void open(InetSocketAddress address, String host, SslContext tls) {
        new Bootstrap()
                .group(loop)
                .channel(settings.socket())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (tls != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc(), host, address.getPort()));
                        }
                        channel.pipeline().addLast(socket);
                    }
                })
                .connect(address)
                .addListener(done -> {
                    if (!done.isSuccess()) {
                        lost(String.valueOf(done.cause().getMessage()));
                    }
                });
    }

    /** Begins to speak: the socket is open. */
    void connected() {
        loop.schedule(
                () -> {
                    if (!open) {
                        lost("it did not answer in time");
                    }
                },
                settings.amqp().handshakeTimeout().toMillis(),
                TimeUnit.MILLISECONDS);
        engine.start();
        connection.open();
        flush();
    }

    private void onOpen() {
        String fault = RelayOpening.fault(connection, node.node());
        if (connection.getRemoteCondition() != null || isRefused()) {
            return; // its close frame follows, and says why
        }
        if (fault != null) {
            lost(fault);
            return;
        }
        open = true;
        LOG.info("A relay to {} is open", node);
        heartbeat.begin();
        relays.opened(this);
        List<Waiter> ready = List.copyOf(waiting);
        waiting.clear();
        ready.forEach(waiter -> mailbox.post(waiter.opened::run));
    }

    private boolean isRefused() {
        return connection.getRemoteProperties() != null
                && connection.getRemoteProperties().containsKey(ESTABLISHMENT_FAILED);
    }

    /** Goes on when the relay is open. @param failed goes on otherwise, with the reason */
    void whenOpen(Runnable opened, Consumer<ErrorCondition> failed) {
        if (over != null) {
            failed.accept(over);
        } else if (open) {
            opened.run();
        } else {
            waiting.add(new Waiter(opened, failed));
        }
    }

    // ---- what goes over it

    /**
     * Begins a session.
     *
     * @param user whose session it is
     * @param onFlow hears that the owner may have opened its window
     */
    Session begin(User user, Runnable onFlow) {
        users.add(user);
        Session session = connection.session();
        session.setIncomingCapacity((int) connection.getMaxFrameSize() * WINDOW_FRAMES);
        frames.begin(session, onFlow);
        return session;
    }

    /** Hears of a user that has no session on the relay yet. */
    void use(User user) {
        users.add(user);
    }

    /** Hears that a user has no session on the relay any more. */
    void left(User user) {
        users.remove(user);
    }

    /** Has something done in a turn of its own, not within a call of the engine. */
    void post(Runnable event) {
        mailbox.post(event::run);
    }

    OwnerWatch watch() {
        return watch;
    }

    /** Tells all users of another owner of a shard. @return whether one of them has something of it here */
    boolean replaced(int shard, OwnerWatch.Look look) {
        boolean isUsed = false;
        for (User user : users) {
            isUsed |= user.replaced(this, shard, look);
        }
        return isUsed;
    }

    /** Asks the other node for something that a living one answers at once: a session that nobody uses. */
    void askForSign() {
        post(() -> {
            if (isRunning()) {
                Session sign = connection.session();
                sign.openHandler(Session::close);
                sign.open();
            }
        });
    }

    RelayFrames frames() {
        return frames;
    }

    /** Returns why a link is over, of which the owner has not said it. */
    static ErrorCondition endedUnasked() {
        return Conditions.of(AmqpError.INTERNAL_ERROR, "RT-4640 the owner of the address has ended the link");
    }

    RelayedTransfers transfers() {
        return transfers;
    }

    /** Tells whether frames may be written. */
    boolean isRunning() {
        return open && over == null && engine.isRunning() && connection.isRemotelyOpen();
    }

    /** Tells whether transfers may be written: the other node keeps up with reading. */
    boolean canWrite() {
        return socket.isWritable();
    }

    /** Has what was written leave soon. */
    void wake() {
        mailbox.wake();
    }

    AmqpCounters counters() {
        return settings.counters();
    }

    RemoteHome node() {
        return node;
    }

    EventLoop loop() {
        return loop;
    }

    // ---- bytes

    private void write(ProtonBuffer frame, Runnable written) {
        socket.write(frame, written);
        mailbox.wake();
    }

    void ingest(byte[] bytes) {
        watch.heard();
        ProtonBuffer buffer =
                ProtonByteArrayBufferAllocator.wrapped(bytes, 0, bytes.length).convertToReadOnly();
        try {
            while (over == null && buffer.isReadable() && engine.isRunning()) {
                engine.ingest(buffer);
            }
        } catch (EngineStateException e) {
            LOG.debug("{} failed", this, e); // onFailure has said why
        } catch (RuntimeException e) {
            lost(e.toString());
        }
    }

    void onWritable() {
        List.copyOf(users).forEach(User::relayWritable);
    }

    void flush() {
        if (engine.isRunning()) {
            dispositions.flush();
        }
        socket.flush();
    }

    private void run(ConnectionMailbox.Event event) {
        try {
            event.onEventLoop();
        } catch (RuntimeException e) {
            LOG.debug("{} failed", this, e); // lost says so
            lost(e.toString());
        }
    }

    // ---- the end

    private void onClose() {
        ErrorCondition why = connection.getRemoteCondition();
        refused = true;
        lost(why == null ? "it was closed" : why.getCondition() + " " + why.getDescription());
    }

    private void onFailure(Engine failed) {
        ErrorCondition said = connection.getRemoteCondition();
        refused = true;
        lost(said == null ? String.valueOf(failed.failureCause()) : said.getCondition() + " " + said.getDescription());
    }

    private ErrorCondition ended(String why) {
        String said = Printable.text(why);
        String text = open
                ? CarriedClient.RELAY_LOST + " the relay from node " + settings.node() + " to " + node + " was lost: "
                        + said + ": connect again"
                : (refused ? "RT-4565" : CarriedClient.UNREACHED) + " node " + settings.node()
                        + " cannot open a relay to " + node
                        + ": " + said
                        + ": check that both nodes reach each other, and have the same ringtable.cluster.user";
        return Conditions.of(ConnectionError.CONNECTION_FORCED, text);
    }

    /** Returns why nothing is passed on now: the last relay has failed, and this one is not open yet. */
    ErrorCondition notOpenYet() {
        return over != null ? over : ended("it is tried again");
    }

    /** Gives the relay up. @param why for people */
    void lost(String why) {
        if (over != null) {
            return;
        }
        boolean wasOpen = open;
        over = ended(why);
        settings.log().warn("{}", over.getDescription());
        relays.ended(this, wasOpen);
        heartbeat.end();
        List<Waiter> failed = List.copyOf(waiting);
        waiting.clear();
        failed.forEach(waiter -> waiter.failed.accept(over));
        List.copyOf(users).forEach(user -> user.lost(this, over));
        users.clear();
        socket.close();
        loop.execute(engine::shutdown); // not within a call of the engine
    }

    /** Ends the relay, since this node stops: its clients have gone. */
    void stop() {
        if (over == null) {
            over = ended("this node stops");
            List.copyOf(users).forEach(User::stopped);
            if (open && engine.isRunning()) {
                connection.close();
                flush();
            }
            if (open) {
                relays.ended(this, true);
            }
            heartbeat.end();
            socket.close();
        }
    }

    @Override
    public String toString() {
        return "the relay to " + node;
    }
}
