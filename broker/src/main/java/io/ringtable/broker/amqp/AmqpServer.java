package io.ringtable.broker.amqp;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.ringtable.broker.access.AccessControl;
import io.ringtable.broker.amqp.attach.Containers;
import io.ringtable.broker.amqp.attach.LinkNames;
import io.ringtable.broker.amqp.carried.RedirectedClients;
import io.ringtable.broker.amqp.frames.RelayedTransfers;
import io.ringtable.broker.amqp.frames.TurnQueue;
import io.ringtable.broker.amqp.link.AddressLinks;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.amqp.link.HeldBytes;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.broker.amqp.link.WaitingBytes;
import io.ringtable.broker.amqp.management.ManagementNode;
import io.ringtable.broker.amqp.management.RequestRelay;
import io.ringtable.broker.amqp.publish.CreditHolders;
import io.ringtable.broker.amqp.relay.Front;
import io.ringtable.broker.amqp.relay.RelaySettings;
import io.ringtable.broker.amqp.relay.Relays;
import io.ringtable.broker.amqp.transport.Coalescing;
import io.ringtable.broker.amqp.transport.LeasedServerChannel;
import io.ringtable.broker.amqp.transport.ServerTls;
import io.ringtable.broker.amqp.transport.StartFailure;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.login.Logins;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.watermark.Watermarks;
import io.ringtable.wire.CodecMemory;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for AMQP and owns the event loops.
 * <p>
 * Thread: the owner of the broker calls {@link #start} and {@link #stop}; any calls the rest. Failure: a port in use or
 * a bad certificate ends the start with an error that names it. A stopped server does not start again.
 * <p>Longer than others, because it makes and ends what all connections share.
 */
public final class AmqpServer {
    private static final Logger LOG = LoggerFactory.getLogger(AmqpServer.class);

    private static final int BACKLOG = 1_024;
    /** Limits what waits for room in full addresses to a sixteenth of the heap. */
    private static final long WAITING_BYTES_MAX = Runtime.getRuntime().maxMemory() / 16;

    /** Allows this time after the stop's time-out for answers to close frames. */
    private static final long CLOSE_MS = 2_000;

    /**
     * Limits the system calls of a channel before others have their turn. Each call makes room that waiting data
     * refills, so a client that reads fast would keep its event loop. Most flushes need one call, and a look for more.
     */
    private static final int WRITES_MAX = 2;

    private final AmqpProperties settings;
    private final ServerTls tls;
    private final Shard shard;
    private final AmqpCounters counters;
    private final Consumer<Throwable> onEnded;
    private final Watermarks watermarks;
    private final Containers containers = new Containers();
    private final LinkNames linkNames = new LinkNames();
    private final RedirectedClients redirectedClients = new RedirectedClients();
    private final CreditHolders creditHolders = new CreditHolders();
    private final AddressLinks addressLinks = new AddressLinks();
    private final HeldBytes heldBytes;
    private final Map<EventLoop, TurnQueue> turnQueues = new ConcurrentHashMap<>();
    private final WaitingBytes waitingBytes = new WaitingBytes(WAITING_BYTES_MAX);
    private final Admission admission;
    private final PeerLog peerLog = new PeerLog(LOG, System::nanoTime);
    private final Logins logins;
    private final AccessControl access;
    private final String nodeId;
    private final Supplier<List<String>> nodes; // gives URLs of those that serve; null where there are no other nodes
    private final Duration lease;
    private Relays relays; // null where there are no other nodes, as the next
    private volatile RequestRelay requests; // written by the starter, read by threads of operations
    private final Runnable onRulesChanged = () -> forEachConnection(AmqpConnection::rulesChanged);
    private final Runnable onUsersChanged = () -> forEachConnection(AmqpConnection::usersChanged);
    private final ManagementNode managementNode;
    private EventLoopGroup loops;
    private Channel listener;
    private volatile boolean stopping; // written by stop(), read by event loops

    /**
     * Makes a server that does nothing before {@link #start}.
     *
     * @param tls gives connections their TLS, or none
     * @param logins check who logs in, beyond the life of this server
     * @param access says what users may do, now and after each change
     * @param nodeId id of this node, for nodes that carry clients to it
     * @param nodes gives the URLs of all nodes that serve; null where no other node may own shards. To these this one
     *     carries its clients
     * @param lease of this node, after which the others take its shards
     * @param management answers requests to the management node
     * @param counters continue those of an earlier server of the same broker
     * @param watermarks hold its publishers back
     * @param onEnded hears of an event loop that ended though nobody stopped the server, on that loop's thread
     */
    public AmqpServer(
            AmqpProperties settings,
            ServerTls tls,
            Logins logins,
            AccessControl access,
            String nodeId,
            Supplier<List<String>> nodes,
            Duration lease,
            Management management,
            Shard shard,
            AmqpCounters counters,
            Watermarks watermarks,
            Consumer<Throwable> onEnded) {
        this.onEnded = Objects.requireNonNull(onEnded, "onEnded");
        this.watermarks = Objects.requireNonNull(watermarks, "watermarks");
        this.counters = Objects.requireNonNull(counters, "counters");
        this.settings = Objects.requireNonNull(settings, "settings");
        this.tls = Objects.requireNonNull(tls, "tls");
        this.shard = Objects.requireNonNull(shard, "shard");
        this.access = Objects.requireNonNull(access, "access");
        this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
        this.nodes = nodes;
        this.lease = Objects.requireNonNull(lease, "lease");
        this.managementNode = new ManagementNode(management, peerLog);
        this.logins = Objects.requireNonNull(logins, "logins");
        this.admission = new Admission(settings, logins.rules(), counters);
        this.heldBytes = new HeldBytes(settings.allHeldBytesMax().toBytes(), counters.heldBytes);
    }

    /**
     * Begins to listen.
     *
     * @throws StartFailure if the server cannot listen; names the port and the cure
     */
    public synchronized AmqpServer start() {
        if (loops != null) {
            throw new IllegalStateException("RT-4000 the AMQP server cannot start twice");
        }
        if (!CodecMemory.isBounded()) {
            throw new StartFailure(
                    "RT-4004 this version of protonj2 keeps its symbols where nobody bounds them: start the broker with"
                            + " the libraries that it comes with",
                    null);
        }
        tls.load();
        boolean leased = shard.lease().isBounded();
        boolean epoll = !leased && Epoll.isAvailable();
        IoHandlerFactory io = epoll
                ? EpollIoHandler.newFactory(0, Coalescing::new)
                : NioIoHandler.newFactory(SelectorProvider.provider(), Coalescing::new);
        loops = new MultiThreadIoEventLoopGroup(settings.ioThreads(), new DefaultThreadFactory("amqp-io", true), io);
        if (nodes != null) {
            Class<? extends Channel> sockets = epoll ? EpollSocketChannel.class : NioSocketChannel.class;
            relays = new Relays(new RelaySettings(
                    settings,
                    lease,
                    nodeId,
                    logins.rules().node(),
                    logins::isOpenToAll,
                    sockets,
                    tls::ofRelays,
                    counters,
                    peerLog));
            requests = new RequestRelay(relays, loops.next(), nodeId);
        }
        loops.forEach(loop -> loop.terminationFuture().addListener(ended -> loopEnded()));
        access.onChange(onRulesChanged); // before the first connection, which would miss a change
        shard.policies().onChange(onRulesChanged);
        logins.onChange(onUsersChanged);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channelFactory(channels(leased, epoll))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.WRITE_SPIN_COUNT, leased ? LeasedServerChannel.WRITES_PER_LOOK : WRITES_MAX)
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(OutboundWatch.BYTES_MAX / 2, OutboundWatch.BYTES_MAX))
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        SslContext context = tls.current();
                        if (context != null) {
                            channel.pipeline().addLast(context.newHandler(channel.alloc()));
                        }
                        channel.pipeline().addLast(new AmqpTransport(AmqpServer.this));
                    }
                });
        ChannelFuture bound = bootstrap
                .bind(new InetSocketAddress(settings.host(), settings.port()))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            endThreads();
            throw bindFailure(bound.cause());
        }
        listener = bound.channel();
        watermarks.onRelief(() -> forEachConnection(AmqpConnection::endOfBatch)); // gives credit that was held back
        LOG.info("AMQP listens on {}:{}{}", settings.host(), port(), tls.current() == null ? "" : " with TLS");
        return this;
    }

    private ChannelFactory<ServerChannel> channels(boolean leased, boolean epoll) {
        if (leased) {
            return () -> new LeasedServerChannel(shard.lease());
        }
        return epoll ? EpollServerSocketChannel::new : NioServerSocketChannel::new;
    }

    /**
     * Reports an event loop that ended: its connections would stand still, and no thread would accept new ones for it.
     */
    private void loopEnded() {
        if (!stopping) {
            onEnded.accept(new IllegalStateException("RT-2318 an event loop has ended"));
        }
    }

    /**
     * Lets each connection do that. A connection that is accepted meanwhile knows rules and users of now from its
     * start.
     */
    private void forEachConnection(Consumer<AmqpConnection> action) {
        for (AmqpTransport transport : connections().all()) {
            EventLoop loop = transport.channel().eventLoop();
            if (!loop.isShuttingDown()) {
                loop.execute(() -> transport.ifBegun(action));
            }
        }
    }

    private StartFailure bindFailure(Throwable cause) {
        String where = settings.host() + ":" + settings.port();
        boolean inUse = cause instanceof BindException
                || String.valueOf(cause.getMessage()).contains("in use");
        return inUse && !String.valueOf(cause.getMessage()).contains("assign")
                ? new StartFailure(
                        "RT-4001 port " + settings.port() + " is in use (ringtable.amqp.host=" + settings.host()
                                + "): stop the process that listens there or choose another ringtable.amqp.port",
                        cause)
                : new StartFailure(
                        "RT-4002 cannot listen on " + where + ": " + cause.getMessage()
                                + ": check ringtable.amqp.host and ringtable.amqp.port",
                        cause);
    }

    /** Returns the name or address of the interface that it listens on, as configured. */
    public String host() {
        return settings.host();
    }

    /** Returns the port that the server listens on, also where port 0 was configured. */
    public int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    public AmqpCounters counters() {
        return counters;
    }

    /**
     * Stops listening and closes every connection with {@code amqp:connection:forced}, so that clients reconnect.
     *
     * @param graceful give no more credit, and wait (bounded by the settings) until every accepted transfer has its
     *     outcome
     */
    public synchronized void stop(boolean graceful) {
        if (loops == null || stopping) {
            return;
        }
        stopping = true;
        watermarks.onRelief(() -> {});
        if (listener != null) {
            listener.close().awaitUninterruptibly();
        }
        List<AmqpTransport> open = List.copyOf(connections().all());
        for (AmqpTransport transport : open) {
            transport.channel().eventLoop().execute(() -> transport.stop(graceful));
        }
        long deadline = System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(
                        (graceful ? settings.stopTimeout().toMillis() : 0) + CLOSE_MS);
        for (AmqpTransport transport : open) {
            long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
            if (!transport.channel().closeFuture().awaitUninterruptibly(left)) {
                LOG.info("{} did not close in time", transport);
                transport.channel().close();
            }
        }
        endThreads();
        LOG.info("AMQP has stopped, {} connections closed", open.size());
    }

    /**
     * Cuts every connection: no close frame, and no farewell of TCP either. Clients find out as from a failing network.
     * Thread: any.
     */
    public void cut() {
        for (AmqpTransport transport : connections().all()) {
            Channel channel = transport.channel();
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            channel.close();
        }
    }

    /** Returns how many links publish to the address or receive from it. Thread: any. */
    public int links(Address address) {
        return addressLinks.of(address);
    }

    private void endThreads() {
        if (relays != null) {
            relays.stop();
        }
        stopping = true;
        access.forget(onRulesChanged);
        shard.policies().forget(onRulesChanged);
        logins.forget(onUsersChanged);
        managementNode.stop();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    // ---- for connections

    /** Counts a socket that was accepted; closes it if the server stops. */
    void accepted(AmqpTransport transport) {
        admission.accepted(transport);
        if (stopping) {
            transport.channel().close();
        }
    }

    /** Returns the connections, for operators. */
    public OpenConnections connections() {
        return admission.connections();
    }

    /** Makes what passes links of a client on to other nodes; null where there are none. */
    Front front(
            OpenConnection client,
            AmqpTransport transport,
            RelayedTransfers transfers,
            ConnectionMemory memory,
            Runnable onIdle) {
        return transfers == null
                ? null
                : relays.front(
                        client,
                        transport.loop(),
                        transfers,
                        transport.id(),
                        transport.socket().host(),
                        memory,
                        onIdle);
    }

    /** Returns what asks other nodes for operations; null where there are none. Thread: any. */
    public RequestRelay requests() {
        return requests;
    }

    /**
     * Hears who owns the shards. Thread: any.
     *
     * @param nodes ids by shard, of owners whose leases ran
     * @param askedAt when the database was asked, by System.nanoTime()
     */
    public void looked(Map<Integer, String> nodes, long askedAt) {
        if (relays != null) {
            relays.looked(nodes, askedAt);
        }
    }

    /** Tells whether other nodes may own shards, to which this one carries its clients. */
    boolean isInCluster() {
        return relays != null;
    }

    /** Returns the URLs of the nodes that serve, this one among them; empty where there are no other nodes. */
    List<String> nodeUrls() {
        return nodes == null ? List.of() : nodes.get();
    }

    Admission admission() {
        return admission;
    }

    String nodeId() {
        return nodeId;
    }

    AmqpProperties settings() {
        return settings;
    }

    Shard shard() {
        return shard;
    }

    Containers containers() {
        return containers;
    }

    TurnQueue turnQueue(EventLoop eventLoop) {
        return turnQueues.computeIfAbsent(eventLoop, TurnQueue::new);
    }

    HeldBytes heldBytes() {
        return heldBytes;
    }

    CreditHolders creditHolders() {
        return creditHolders;
    }

    Watermarks watermarks() {
        return watermarks;
    }

    WaitingBytes waitingBytes() {
        return waitingBytes;
    }

    AddressLinks addressLinks() {
        return addressLinks;
    }

    RedirectedClients redirectedClients() {
        return redirectedClients;
    }

    LinkNames linkNames() {
        return linkNames;
    }

    ConnectionRights rightsOf(OpenConnection connection) {
        return new ConnectionRights(
                connection, access, shard.lookup(), () -> shard.policies().now().destinations(), counters, peerLog);
    }

    ManagementNode managementNode() {
        return managementNode;
    }

    Logins logins() {
        return logins;
    }

    /** Returns the log for lines that peers cause. */
    PeerLog peerLog() {
        return peerLog;
    }
}
