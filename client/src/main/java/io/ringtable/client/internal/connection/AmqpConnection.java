package io.ringtable.client.internal.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.error.Errors;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.DispositionRanges;
import io.ringtable.wire.RingtableSymbols;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.security.sasl.SaslException;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBuffer;
import org.apache.qpid.protonj2.buffer.netty.Netty4ProtonBufferAllocator;
import org.apache.qpid.protonj2.buffer.netty.Netty4ToProtonBufferAdapter;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.EngineFactory;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.exceptions.EngineStateException;
import org.apache.qpid.protonj2.engine.sasl.SaslSystemException;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Role;

/**
 * Makes one attempt at a connection and, if it succeeds, serves the connection: socket, TLS, login, the AMQP engine,
 * idle time-outs. Flushes the socket once for everything that a turn of the event loop has written.
 * <p>
 * Thread: the I/O thread alone. Failure: each failure ends the connection with exactly one {@link Owner#lost}.
 * <p>Longer than others, because socket, TLS, login and engine begin and end together.
 */
public final class AmqpConnection {

    /** Hears what becomes of the connection, on the I/O thread. */
    interface Owner {

        void opened(AmqpConnection connection);

        void lost(AmqpConnection connection, Loss loss);

        /** Hears that the socket takes bytes again. */
        void writable();
    }

    private static final Symbol ESTABLISHMENT_FAILED = Symbol.valueOf("amqp:connection-establishment-failed");
    private static final Set<String> REFUSALS =
            Set.of("amqp:unauthorized-access", "amqp:not-allowed", "amqp:invalid-field", "amqp:not-implemented");
    private static final int FRAME_BYTES_MAX = 128 * 1024;
    /** Room for the transfers that may be under way, each of up to 256 KiB. */
    private static final WriteBufferWaterMark UNWRITTEN_BYTES = new WriteBufferWaterMark(512 * 1024, 1024 * 1024);

    private static final long TICK_MS_MIN = 50;
    private static final long CLOSE_MS_MAX = 2_000;

    private final ClientConfig config;
    private final Endpoint endpoint;
    private final String hostname;
    private final EventLoop loop;
    private final Owner owner;
    private final DispositionRanges ranges;
    private final Engine engine = EngineFactory.PROTON.createEngine();

    private Channel channel;
    private Future<?> attemptTimer;
    private Future<?> tickTimer;
    private boolean open;
    private boolean over;
    private boolean closing;
    private boolean batching;
    private boolean flushRequested;
    private List<Runnable> endOfTurn = new ArrayList<>();

    /** @param hostname with which another node has sent the client here; null if none has */
    AmqpConnection(
            ClientConfig config, Endpoint endpoint, String hostname, EventLoop loop, Owner owner, Counters counters) {
        this.config = config;
        this.endpoint = endpoint;
        this.hostname = hostname;
        this.loop = loop;
        this.owner = owner;
        this.ranges = new DispositionRanges(new DispositionRanges.Listener() {
            @Override
            public void gathering() {
                requestFlush();
            }

            @Override
            public void written(Role role) {
                if (role == Role.RECEIVER) {
                    counters.dispositionsSent.increment();
                }
            }
        });
    }

    void connect() {
        SslContext tls;
        try {
            tls = endpoint.tls() ? TlsContexts.of(config.tls()) : null;
        } catch (RingtableException unusable) {
            end(Loss.Kind.TLS, unusable);
            return;
        }
        attemptTimer = loop.schedule(
                () -> end(
                        Loss.Kind.PASSING,
                        lost("not open within " + config.connectTimeout().toMillis() + " ms", null)),
                config.connectTimeout().toMillis(),
                TimeUnit.MILLISECONDS);
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, UNWRITTEN_BYTES)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMs())
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel initialized) {
                        if (tls != null) {
                            SslHandler handler = tls.newHandler(initialized.alloc(), endpoint.host(), endpoint.port());
                            handler.setHandshakeTimeoutMillis(timeoutMs());
                            initialized.pipeline().addLast(handler);
                        }
                        initialized.pipeline().addLast(new SocketHandler(AmqpConnection.this));
                    }
                })
                .connect(endpoint.host(), endpoint.port());
        channel = connecting.channel();
        connecting.addListener(done -> connected(done.cause()));
    }

    private int timeoutMs() {
        return (int) Math.min(Integer.MAX_VALUE, config.connectTimeout().toMillis());
    }

    private void connected(Throwable failure) {
        if (failure != null) {
            end(Loss.Kind.PASSING, lost(failure.getMessage(), failure));
        } else if (endpoint.tls()) {
            channel.pipeline().get(SslHandler.class).handshakeFuture().addListener(done -> {
                if (done.isSuccess()) {
                    openEngine();
                } else {
                    end(Loss.Kind.TLS, Errors.tls(endpoint.toString(), done.cause()));
                }
            });
        } else {
            openEngine();
        }
    }

    private void openEngine() {
        if (over) {
            return;
        }
        guarded(() -> {
            engine.configuration().setBufferAllocator(Netty4ProtonBufferAllocator.POOLED);
            engine.pipeline().addFirst(DispositionRanges.NAME, ranges);
            engine.outputHandler(this::write);
            engine.errorHandler(failed -> engineFailed(failed.failureCause()));
            engine.saslDriver().client().setListener(Login.of(endpoint, config));
            Connection connection = engine.start();
            connection.setContainerId(config.clientId());
            connection.setHostname(hostname == null ? endpoint.host() : hostname);
            connection.setIdleTimeout(config.idleTimeout().toMillis());
            connection.setMaxFrameSize(FRAME_BYTES_MAX);
            connection.setDesiredCapabilities(BatchFormat.CAPABILITY);
            connection.setProperties(properties());
            connection.openHandler(this::remotelyOpened);
            connection.closeHandler(this::remotelyClosed);
            connection.open();
        });
    }

    private Map<Symbol, Object> properties() {
        Map<Symbol, Object> properties = new HashMap<>();
        properties.put(Symbol.valueOf("product"), "ringtable-client-java");
        if (asksForRedirect()) {
            properties.put(RingtableSymbols.REDIRECT, true);
        }
        return properties;
    }

    private boolean asksForRedirect() {
        return config.redirect() && hostname == null;
    }

    private void remotelyOpened(Connection connection) {
        Map<Symbol, Object> properties = connection.getRemoteProperties();
        if (properties != null && properties.containsKey(ESTABLISHMENT_FAILED)) {
            // A close with the reason follows (AMQP 1.0 anonymous close, as JMS clients expect it).
            return;
        }
        attemptTimer.cancel(false);
        Symbol[] offered = connection.getRemoteOfferedCapabilities();
        batching =
                config.batching() && offered != null && Arrays.asList(offered).contains(BatchFormat.CAPABILITY);
        open = true;
        tick();
        owner.opened(this);
    }

    private void remotelyClosed(Connection connection) {
        if (closing) {
            end(Loss.Kind.PASSING, Errors.closed("connection"));
            return;
        }
        ErrorCondition condition = connection.getRemoteCondition();
        boolean refused = condition != null
                && condition.getCondition() != null
                && REFUSALS.contains(condition.getCondition().toString());
        connection.close();
        Loss redirected = asksForRedirect() ? Loss.redirected(endpoint, condition) : null;
        if (redirected != null) {
            end(redirected);
            return;
        }
        end(refused ? Loss.Kind.REFUSED : Loss.Kind.PASSING, Errors.connectionRefused(endpoint.toString(), condition));
    }

    private void engineFailed(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof SaslSystemException system && !system.isPermanent()) {
                end(Loss.Kind.PASSING, lost("login not possible for now", cause));
                return;
            }
            if (each instanceof SaslException) {
                end(Loss.Kind.REFUSED, Errors.login(endpoint.toString(), config.user(), each));
                return;
            }
        }
        end(Loss.Kind.PASSING, lost(cause == null ? "protocol failure" : cause.getMessage(), cause));
    }

    /** Sends empty frames in time and notices a silent broker (AMQP 1.0 section 2.4.5). */
    private void tick() {
        if (over || closing) {
            return;
        }
        guarded(() -> {
            long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
            long deadline = engine.tick(now);
            if (deadline != 0 && !over) {
                tickTimer =
                        loop.schedule(this::tick, Math.max(TICK_MS_MIN, (deadline - now) / 2), TimeUnit.MILLISECONDS);
            }
        });
    }

    void received(ByteBuf input) {
        if (over) {
            return;
        }
        byte[] bytes = new byte[input.readableBytes()];
        input.readBytes(bytes);
        guarded(() -> {
            // Read-only, so that the engine shares the array with each payload instead of copying it.
            ProtonBuffer buffer = wrap(bytes, bytes.length).convertToReadOnly();
            while (buffer.isReadable() && !over) {
                engine.ingest(buffer);
            }
        });
    }

    void socketWritable() {
        if (open && channel.isWritable()) {
            owner.writable();
        }
    }

    void socketClosed(Throwable cause) {
        end(Loss.Kind.PASSING, lost(cause == null ? "closed by the other side" : cause.getMessage(), cause));
    }

    public static ProtonBuffer wrap(byte[] bytes, int length) {
        return new ProtonByteArrayBuffer(bytes, 0, length, Integer.MAX_VALUE).setWriteOffset(length);
    }

    private void write(ProtonBuffer buffer, Runnable written) {
        ByteBuf bytes;
        if (buffer instanceof Netty4ToProtonBufferAdapter adapter) {
            bytes = adapter.unwrapAndRelease();
        } else {
            byte[] copy = new byte[buffer.getReadableBytes()];
            buffer.readBytes(copy, 0, copy.length);
            bytes = Unpooled.wrappedBuffer(copy);
        }
        channel.write(bytes);
        if (written != null) {
            written.run();
        }
        requestFlush();
    }

    /** Runs the task before this turn's flush. */
    public void atEndOfTurn(Runnable task) {
        endOfTurn.add(task);
        requestFlush();
    }

    private void requestFlush() {
        if (!flushRequested) {
            flushRequested = true;
            loop.execute(this::flush);
        }
    }

    private void flush() {
        List<Runnable> tasks = endOfTurn;
        endOfTurn = new ArrayList<>();
        for (Runnable task : tasks) {
            guarded(task);
        }
        flushRequested = !endOfTurn.isEmpty();
        if (flushRequested) {
            loop.execute(this::flush);
        }
        if (!over) {
            guarded(ranges::flush);
        }
        channel.flush();
    }

    /** Runs code that touches the engine; an exception ends this connection and nothing else. */
    public void guarded(Runnable code) {
        try {
            code.run();
        } catch (EngineStateException engineIsOver) {
            engineFailed(engineIsOver);
        } catch (RuntimeException unexpected) {
            end(Loss.Kind.PASSING, lost(unexpected.toString(), unexpected));
        }
    }

    public Session session() {
        return engine.connection().session();
    }

    public boolean isOver() {
        return over || closing;
    }

    public boolean isWritable() {
        return channel.isWritable();
    }

    public boolean isBatching() {
        return batching;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** Says goodbye and waits a moment for the answer; ends with {@link Owner#lost}. */
    void close() {
        if (over || closing) {
            return;
        }
        closing = true;
        if (!open) {
            end(Loss.Kind.PASSING, Errors.closed("connection"));
            return;
        }
        guarded(() -> engine.connection().close());
        attemptTimer = loop.schedule(
                () -> end(Loss.Kind.PASSING, Errors.closed("connection")), CLOSE_MS_MAX, TimeUnit.MILLISECONDS);
    }

    private RingtableException lost(String why, Throwable cause) {
        return Errors.connectionLost(endpoint.toString(), why, cause);
    }

    private void end(Loss.Kind kind, RingtableException cause) {
        end(new Loss(kind, cause));
    }

    private void end(Loss loss) {
        if (over) {
            return;
        }
        over = true;
        if (attemptTimer != null) {
            attemptTimer.cancel(false);
        }
        if (tickTimer != null) {
            tickTimer.cancel(false);
        }
        if (channel != null) {
            // Bytes that are written already, such as a close frame, still go out.
            channel.flush();
            channel.close();
        }
        owner.lost(this, loss);
    }
}
