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
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.ringtable.broker.amqp.attach.Containers;
import io.ringtable.broker.amqp.attach.LinkNames;
import io.ringtable.broker.amqp.frames.TurnQueue;
import io.ringtable.broker.amqp.link.AddressLinks;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.HeldBytes;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.broker.amqp.login.Logins;
import io.ringtable.broker.amqp.publish.CreditHolders;
import io.ringtable.broker.amqp.publish.WaitingBytes;
import io.ringtable.broker.amqp.settings.AmqpSettings;
import io.ringtable.broker.amqp.transport.Coalescing;
import io.ringtable.broker.amqp.transport.LeasedServerChannel;
import io.ringtable.broker.amqp.transport.StartFailure;
import io.ringtable.broker.amqp.transport.TlsContext;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.watermark.Watermarks;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for AMQP and owns the event loops.
 * <p>
 * Thread: {@link #start} and {@link #stop} are called by whoever owns the broker; the rest by any. Failure: a port in
 * use or a bad certificate ends the start with an error that names it; a stopped server is not started again.
 */
public final class AmqpServer {
    private static final Logger LOG = LoggerFactory.getLogger(AmqpServer.class);

    private static final int BACKLOG = 1_024;
    /** A sixteenth of the heap for what waits for room in full addresses. */
    private static final long WAITING_BYTES_MAX = Runtime.getRuntime().maxMemory() / 16;

    /** Connections beyond the bound that are told why; more are closed without a word. */
    private static final int CONNECTIONS_EXTRA = 100;
    /** After the stop's time-out: for close frames to be answered. */
    private static final long CLOSE_MS = 2_000;

    /**
     * System calls that a channel makes before others have their turn: each is refilled by what was waiting for room, so that a
     * client that reads fast would keep its event loop for as many. Most flushes need one, and a look for more.
     */
    private static final int WRITES_MAX = 2;

    private final AmqpSettings settings;
    private final Shard shard;
    private final AmqpCounters counters;
    private final Consumer<Throwable> onEnded;
    private final Watermarks watermarks;
    private final Containers containers = new Containers();
    private final LinkNames linkNames = new LinkNames();
    private final CreditHolders creditHolders = new CreditHolders();
    private final AddressLinks addressLinks = new AddressLinks();
    private final HeldBytes heldBytes;
    private final Map<EventLoop, TurnQueue> turnQueues = new ConcurrentHashMap<>();
    private final WaitingBytes waitingBytes = new WaitingBytes(WAITING_BYTES_MAX);
    private final Set<AmqpTransport> transports = ConcurrentHashMap.newKeySet();
    private final PeerLog peerLog = new PeerLog(LOG, System::nanoTime);
    private final Logins logins;
    private EventLoopGroup loops;
    private Channel listener;
    private volatile boolean stopping; // written by stop(), read by event loops

    public AmqpServer(AmqpSettings settings, Shard shard) {
        this(settings, shard, new AmqpCounters(), Watermarks.none(), ended -> {});
    }

    /**
     * @param counters go on where an earlier server of the same broker stopped counting
     * @param watermarks hold its publishers back
     * @param onEnded hears of an event loop that ended though nobody stopped the server, on that loop's thread
     */
    public AmqpServer(
            AmqpSettings settings,
            Shard shard,
            AmqpCounters counters,
            Watermarks watermarks,
            Consumer<Throwable> onEnded) {
        this.onEnded = Objects.requireNonNull(onEnded, "onEnded");
        this.watermarks = Objects.requireNonNull(watermarks, "watermarks");
        this.counters = Objects.requireNonNull(counters, "counters");
        this.settings = Objects.requireNonNull(settings, "settings");
        this.shard = Objects.requireNonNull(shard, "shard");
        this.logins = new Logins(settings.authenticator(), settings.logins(), counters, peerLog, System::nanoTime);
        this.heldBytes = new HeldBytes(settings.allHeldBytesMax(), counters.heldBytes);
    }

    /**
     * Begins to listen.
     *
     * @throws StartFailure naming the port and the cure if it cannot
     */
    public synchronized AmqpServer start() {
        if (loops != null) {
            throw new IllegalStateException("RT-4000 the AMQP server has been started before");
        }
        SslContext tls = settings.tls() == null ? null : TlsContext.of(settings.tls());
        boolean leased = shard.lease().isBounded();
        boolean epoll = !leased && Epoll.isAvailable();
        IoHandlerFactory io = epoll
                ? EpollIoHandler.newFactory(0, Coalescing::new)
                : NioIoHandler.newFactory(SelectorProvider.provider(), Coalescing::new);
        loops = new MultiThreadIoEventLoopGroup(
                settings.effectiveIoThreads(), new DefaultThreadFactory("amqp-io", true), io);
        loops.forEach(loop -> loop.terminationFuture().addListener(ended -> loopEnded()));
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
                        new WriteBufferWaterMark(settings.outboundBytesMax() / 2, settings.outboundBytesMax()))
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (tls != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
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
        watermarks.onRelief(this::letPublishersGo);
        LOG.info("AMQP listens on {}:{}{}", settings.host(), port(), tls == null ? "" : " with TLS");
        return this;
    }

    private ChannelFactory<ServerChannel> channels(boolean leased, boolean epoll) {
        if (leased) {
            return () -> new LeasedServerChannel(shard.lease());
        }
        return epoll ? EpollServerSocketChannel::new : NioServerSocketChannel::new;
    }

    /** Its connections would stand still, and nobody would accept those that it is given. */
    private void loopEnded() {
        if (!stopping) {
            onEnded.accept(new IllegalStateException("RT-2318 an event loop has ended"));
        }
    }

    private void letPublishersGo() {
        for (AmqpTransport transport : transports) {
            transport.channel().eventLoop().execute(transport::resume);
        }
    }

    private StartFailure bindFailure(Throwable cause) {
        String where = settings.host() + ":" + settings.port();
        boolean inUse = cause instanceof BindException
                || String.valueOf(cause.getMessage()).contains("in use");
        return inUse && !String.valueOf(cause.getMessage()).contains("assign")
                ? new StartFailure(
                        "RT-4001 port " + settings.port() + " is in use (amqp.host=" + settings.host()
                                + "): stop whoever listens there or choose another amqp.port",
                        cause)
                : new StartFailure(
                        "RT-4002 cannot listen on " + where + ": " + cause.getMessage()
                                + ": check amqp.host and amqp.port",
                        cause);
    }

    /** The port it listens on, also where port 0 was configured. */
    public int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    public AmqpCounters counters() {
        return counters;
    }

    /**
     * Stops listening and closes every connection with {@code amqp:connection:forced}, so that clients reconnect.
     *
     * @param graceful give no more credit, and wait (bounded by the settings) until everything taken has its outcome
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
        List<AmqpTransport> open = List.copyOf(transports);
        for (AmqpTransport transport : open) {
            transport.channel().eventLoop().execute(() -> transport.stop(graceful));
        }
        long deadline =
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos((graceful ? settings.stopTimeoutMs() : 0) + CLOSE_MS);
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

    private void endThreads() {
        stopping = true;
        logins.stop();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    // ---- for connections

    void opened(AmqpTransport transport) {
        counters.connections.increment();
        counters.connectionsOpened.increment();
        transports.add(transport);
        if (stopping || transports.size() > settings.connectionsMax() + CONNECTIONS_EXTRA) {
            transport.channel().close();
        }
    }

    void closed(AmqpTransport transport) {
        if (transports.remove(transport)) {
            counters.connections.decrement();
        }
    }

    boolean isOverConnections() {
        return transports.size() > settings.connectionsMax();
    }

    AmqpSettings settings() {
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

    LinkNames linkNames() {
        return linkNames;
    }

    Logins logins() {
        return logins;
    }

    /** For lines that peers cause. */
    PeerLog peerLog() {
        return peerLog;
    }
}
