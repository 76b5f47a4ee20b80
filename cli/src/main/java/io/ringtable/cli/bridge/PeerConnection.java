package io.ringtable.cli.bridge;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.security.sasl.SaslException;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBuffer;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.EngineFactory;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.sasl.SaslSystemException;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Makes one attempt at a connection to one broker and serves it: socket, TLS, login, the AMQP engine, idle time-outs.
 * The SDK's own connection serves brokers of Ringtable's kind and hides the bytes of messages; a bridge needs any
 * broker's, delivery tags and transactions.
 * <p>
 * Thread: the event loop. Failure: {@code failed} hears of a lost connection, and of work on one that failed. The owner
 * then closes the connection, which does no harm to one that is gone.
 */
final class PeerConnection {
    private static final Symbol ESTABLISHMENT_FAILED = Symbol.valueOf("amqp:connection-establishment-failed");
    private static final int FRAME_BYTES_MAX = 128 * 1024;
    private static final int CONNECT_MS_MAX = 10_000;
    private static final int IDLE_MS_MAX = 30_000;
    private static final long TICK_MS_MIN = 50;
    private static final long CLOSE_MS_MAX = 2_000;

    private final BridgeEnd end;
    private final EventLoop loop;
    private final String containerId;
    private final Consumer<PeerConnection> opened;
    private final Consumer<BridgeFailure> failed;
    private final Engine engine = EngineFactory.PROTON.createEngine();

    private Channel channel;
    private Future<?> timer; // of the attempt, then of the close
    private Future<?> ticks;
    private Runnable whenClosed; // not null = the bridge has closed the connection
    private boolean flushing;
    private boolean open; // the broker has opened the connection too
    private boolean over;

    /**
     * @param opened hears once that the broker has opened the connection
     * @param failed hears that the connection is lost or refused, or that work on it failed
     */
    PeerConnection(
            BridgeEnd end,
            EventLoop loop,
            String containerId,
            Consumer<PeerConnection> opened,
            Consumer<BridgeFailure> failed) {
        this.end = end;
        this.loop = loop;
        this.containerId = containerId;
        this.opened = opened;
        this.failed = failed;
    }

    void connect() {
        if (over) {
            return;
        }
        SslContext tls;
        try {
            tls = end.tls() ? tls() : null;
        } catch (IOException | IllegalArgumentException unusable) {
            end(new BridgeFailure(
                    BridgeFailure.Reason.USAGE,
                    "RT-6020",
                    "certificates of " + end.broker() + " cannot be used (" + unusable.getMessage() + "): check "
                            + end.trustedPem()));
            return;
        }
        timer = loop.schedule(
                () -> end(passing("is not open within " + CONNECT_MS_MAX + " ms")),
                CONNECT_MS_MAX,
                TimeUnit.MILLISECONDS);
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS_MAX)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel initialized) {
                        if (tls != null) {
                            initialized.pipeline().addLast(tls.newHandler(initialized.alloc(), end.host(), end.port()));
                        }
                        initialized.pipeline().addLast(new Input());
                    }
                })
                .connect(end.host(), end.port());
        channel = connecting.channel();
        connecting.addListener(done -> connected(done.cause()));
    }

    private SslContext tls() throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient().endpointIdentificationAlgorithm("HTTPS");
        if (end.trustedPem() != null) {
            builder.trustManager(end.trustedPem().toFile());
        }
        return builder.build();
    }

    private void connected(Throwable failure) {
        if (failure != null) {
            end(passing("does not answer (" + failure.getMessage() + ")"));
        } else if (end.tls()) {
            channel.pipeline().get(SslHandler.class).handshakeFuture().addListener(done -> {
                if (done.isSuccess()) {
                    start();
                } else {
                    end(new BridgeFailure(
                            BridgeFailure.Reason.LOGIN,
                            "RT-6021",
                            "TLS with " + end.broker() + " fails ("
                                    + done.cause().getMessage()
                                    + "): trust its certificate with the option for it, and name its host as it"
                                    + " does"));
                }
            });
        } else {
            start();
        }
    }

    private void start() {
        if (over) {
            return;
        }
        guarded(() -> {
            engine.outputHandler(this::write);
            engine.errorHandler(failed -> engineFailed(failed.failureCause()));
            engine.saslDriver().client().setListener(PeerLogin.of(end));
            Connection connection = engine.start();
            connection.setContainerId(containerId);
            connection.setHostname(end.host());
            connection.setIdleTimeout(IDLE_MS_MAX);
            connection.setMaxFrameSize(FRAME_BYTES_MAX);
            connection.setProperties(Map.of(Symbol.valueOf("product"), "ringtable-bridge"));
            connection.openHandler(this::remotelyOpened);
            connection.closeHandler(this::remotelyClosed);
            connection.open();
        });
    }

    private void remotelyOpened(Connection connection) {
        Map<Symbol, Object> properties = connection.getRemoteProperties();
        if (properties != null && properties.containsKey(ESTABLISHMENT_FAILED)) {
            return; // a close with the reason follows
        }
        timer.cancel(false);
        open = true;
        tick();
        opened.accept(this);
    }

    private void remotelyClosed(Connection connection) {
        if (whenClosed != null) {
            end(null);
            return;
        }
        ErrorCondition condition = connection.getRemoteCondition();
        connection.close();
        end(Refusals.of("connection to " + end.broker(), condition));
    }

    private void engineFailed(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof SaslSystemException system && !system.isPermanent()) {
                end(passing("cannot check a login for now"));
                return;
            }
            if (each instanceof SaslException) {
                end(new BridgeFailure(
                        BridgeFailure.Reason.LOGIN,
                        "RT-6021",
                        end.broker() + " refuses " + (end.user() == null ? "ANONYMOUS" : "user '" + end.user() + "'")
                                + " (" + each.getMessage() + "): check the user and its password"));
                return;
            }
        }
        end(passing("failed (" + cause + ")"));
    }

    /** Sends empty frames in time and notices a silent broker (AMQP 1.0 section 2.4.5). */
    private void tick() {
        if (over) {
            return;
        }
        guarded(() -> {
            long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
            long deadline = engine.tick(now);
            if (deadline != 0 && !over) {
                ticks = loop.schedule(this::tick, Math.max(TICK_MS_MIN, (deadline - now) / 2), TimeUnit.MILLISECONDS);
            }
        });
    }

    /** Passes on what the socket says. */
    private final class Input extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf input = (ByteBuf) message;
            byte[] bytes = new byte[input.readableBytes()];
            input.readBytes(bytes);
            input.release();
            guarded(() -> {
                ProtonBuffer buffer = wrap(bytes).convertToReadOnly();
                while (buffer.isReadable() && !over) {
                    engine.ingest(buffer);
                }
            });
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end(passing("closed the connection"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            end(passing("is lost (" + cause.getMessage() + ")"));
        }
    }

    static ProtonBuffer wrap(byte[] bytes) {
        return new ProtonByteArrayBuffer(bytes, 0, bytes.length, Integer.MAX_VALUE).setWriteOffset(bytes.length);
    }

    private void write(ProtonBuffer buffer, Runnable written) {
        byte[] bytes = new byte[buffer.getReadableBytes()];
        buffer.readBytes(bytes, 0, bytes.length);
        channel.write(Unpooled.wrappedBuffer(bytes));
        if (written != null) {
            written.run();
        }
        if (!flushing) {
            flushing = true;
            loop.execute(() -> {
                flushing = false;
                channel.flush();
            });
        }
    }

    /** Runs code that touches the engine; an exception ends this connection. */
    void guarded(Runnable code) {
        try {
            code.run();
        } catch (BridgeFailure failure) {
            failed.accept(failure);
        } catch (RuntimeException unexpected) {
            if (over) {
                return; // an engine that has failed refuses every call
            }
            engineFailed(unexpected);
        }
    }

    Session session() {
        return engine.connection().session();
    }

    Product product() {
        return Product.of(engine.connection().getRemoteProperties());
    }

    BridgeEnd bridgeEnd() {
        return end;
    }

    /** Says goodbye and waits a moment for the answer, if the connection is there. */
    void close(Runnable closed) {
        if (over || channel == null) {
            over = true;
            closed.run();
            return;
        }
        whenClosed = closed;
        if (!open) {
            end(null);
            return;
        }
        timer = loop.schedule(() -> end(null), CLOSE_MS_MAX, TimeUnit.MILLISECONDS);
        guarded(() -> engine.connection().close());
    }

    private BridgeFailure passing(String what) {
        return new BridgeFailure(
                BridgeFailure.Reason.PASSING, "RT-6022", end.broker() + " " + what + ": start it, or correct the URL");
    }

    private void end(BridgeFailure failure) {
        if (over) {
            return;
        }
        over = true;
        if (timer != null) {
            timer.cancel(false);
        }
        if (ticks != null) {
            ticks.cancel(false);
        }
        if (channel != null) {
            channel.flush(); // a close frame that is written still goes out
            channel.close();
        }
        if (whenClosed != null) {
            whenClosed.run();
        } else {
            failed.accept(failure);
        }
    }
}
