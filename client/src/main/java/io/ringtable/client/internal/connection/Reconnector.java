package io.ringtable.client.internal.connection;

import io.netty.channel.EventLoop;
import io.ringtable.client.ClientListener;
import io.ringtable.client.Reconnect;
import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.error.Errors;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a client connected: tries the URIs in turn, attaches the links to each new connection, gives up when it must.
 * <p>
 * Thread: the I/O thread; it alone writes what is here.
 * <p>
 * Failure: a refused login or connection ends the client at once; TLS that cannot be agreed on does so at the start
 * only. Everything else is tried again with growing delays, until {@code waitForBroker} at the start and
 * {@code giveUpAfter} later.
 */
public final class Reconnector implements AmqpConnection.Owner {

    private static final Logger LOG = LoggerFactory.getLogger(Reconnector.class);

    /** Sets how long a connection must last to count as a success, after which the delays start small again. */
    private static final long LASTED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LinkHost host;
    private final ClientConfig config;
    private final EventLoop loop;
    private final Set<ClientLink> links = new LinkedHashSet<>();
    private final CompletableFuture<Void> connected = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final long startedAt = System.nanoTime();

    private AmqpConnection connection;
    private int endpointIndex;
    private int attempts;
    private int round;
    private long openedAt;
    private RingtableException lastFailure;
    private Future<?> attemptTimer;
    private Future<?> giveUpTimer;
    private Runnable whenClosed;
    // Written by the I/O thread, read by others.
    private volatile boolean open;
    private volatile RingtableException end;

    Reconnector(LinkHost host) {
        this.host = host;
        this.config = host.config();
        this.loop = host.loop();
    }

    /** Returns a future that is done with the first connection, or failed with the reason why there is none. */
    public CompletableFuture<Void> connected() {
        return connected;
    }

    public CompletableFuture<Void> closed() {
        return closed;
    }

    /** Tells whether a connection stands. Thread: any. */
    public boolean isConnected() {
        return open;
    }

    /** Returns why no link can be opened any more. Thread: any. */
    public RingtableException endCause() {
        RingtableException cause = end;
        return cause == null ? Errors.closed("client") : cause;
    }

    public void start() {
        attempt();
    }

    private void attempt() {
        attemptAt(config.endpoints().get(endpointIndex), null);
    }

    /** @param hostname as in {@link AmqpConnection} */
    private void attemptAt(Endpoint endpoint, String hostname) {
        attemptTimer = null;
        attempts++;
        connection = new AmqpConnection(config, endpoint, hostname, loop, this, host.counters());
        connection.connect();
    }

    public void add(ClientLink link) {
        if (end != null) {
            link.fail(end);
            return;
        }
        links.add(link);
        if (open) {
            connection.guarded(() -> link.attach(connection));
        }
    }

    void remove(ClientLink link) {
        links.remove(link);
    }

    void guarded(Runnable code) {
        if (connection != null) {
            connection.guarded(code);
        } else {
            code.run();
        }
    }

    @Override
    public void opened(AmqpConnection now) {
        open = true;
        openedAt = System.nanoTime();
        lastFailure = null;
        host.counters().connections.increment();
        if (giveUpTimer != null) {
            giveUpTimer.cancel(false);
            giveUpTimer = null;
        }
        LOG.info("Connected to {}{}", now.endpoint(), now.isBatching() ? " (batches)" : "");
        for (ClientLink link : List.copyOf(links)) {
            now.guarded(() -> link.attach(now));
        }
        connected.complete(null);
        tell(listener -> listener.connected(now.endpoint().toString()));
    }

    @Override
    public void writable() {
        for (ClientLink link : List.copyOf(links)) {
            link.writable();
        }
    }

    @Override
    public void lost(AmqpConnection was, Loss loss) {
        boolean wasOpen = open;
        open = false;
        lastFailure = loss.cause();
        if (wasOpen) {
            for (ClientLink link : List.copyOf(links)) {
                link.connectionLost();
            }
        }
        if (whenClosed != null) {
            finish(Errors.closed("client"), false);
        } else if (wasOpen && loss.kind() == Loss.Kind.REDIRECTED) {
            follow(was, loss);
        } else if (wasOpen) {
            reconnectAfter(was, loss);
        } else {
            tryAgain(loss);
        }
    }

    /** Connects to the node that the broker names. If that fails, the client goes on as after a lost connection. */
    private void follow(AmqpConnection was, Loss loss) {
        LOG.info("{}", loss.cause().getMessage());
        tell(listener -> listener.disconnected(was.endpoint().toString(), loss.cause()));
        mayGiveUp();
        attempts = 0;
        attemptAt(loss.to(), loss.hostname());
    }

    private void mayGiveUp() {
        Duration giveUpAfter = config.reconnect().giveUpAfter();
        if (!giveUpAfter.equals(Reconnect.FOREVER)) {
            giveUpTimer = loop.schedule(
                    () -> finish(Errors.gaveUp(giveUpAfter, lastFailure), true),
                    Timeouts.nanos(giveUpAfter),
                    TimeUnit.NANOSECONDS);
        }
    }

    private void reconnectAfter(AmqpConnection was, Loss loss) {
        LOG.warn("{}", loss.cause().getMessage());
        tell(listener -> listener.disconnected(was.endpoint().toString(), loss.cause()));
        Duration giveUpAfter = config.reconnect().giveUpAfter();
        if (loss.kind() == Loss.Kind.REFUSED) {
            finish(loss.cause(), true);
        } else if (giveUpAfter.isZero()) {
            finish(Errors.gaveUp(giveUpAfter, loss.cause()), true);
        } else {
            mayGiveUp();
            attempts = 0;
            if (System.nanoTime() - openedAt >= LASTED_NANOS) {
                round = 0;
            }
            attemptLater();
        }
    }

    private void tryAgain(Loss loss) {
        if (end != null) {
            return;
        }
        boolean first = !connected.isDone();
        if (loss.kind() == Loss.Kind.REFUSED || first && loss.kind() == Loss.Kind.TLS) {
            finish(loss.cause(), true);
            return;
        }
        LOG.debug("{}", loss.cause().getMessage());
        endpointIndex = (endpointIndex + 1) % config.endpoints().size();
        if (attempts % config.endpoints().size() != 0) {
            attempt();
            return;
        }
        Duration waited = Duration.ofNanos(System.nanoTime() - startedAt);
        if (first && waited.compareTo(config.waitForBroker()) >= 0) {
            finish(Errors.unreachable(config.uris(), waited, loss.cause()), true);
            return;
        }
        attemptLater();
    }

    private void attemptLater() {
        attemptTimer = loop.schedule(this::attempt, host.backoff().delayMs(round++), TimeUnit.MILLISECONDS);
    }

    /**
     * Says goodbye to the broker and ends.
     *
     * @param done called when the end is complete
     */
    public void close(Runnable done) {
        if (end != null) {
            done.run();
            return;
        }
        whenClosed = done;
        if (connection == null || connection.isOver()) {
            finish(Errors.closed("client"), false);
        } else {
            connection.close();
        }
    }

    private void finish(RingtableException cause, boolean failure) {
        if (end != null) {
            return;
        }
        end = cause;
        open = false;
        if (attemptTimer != null) {
            attemptTimer.cancel(false);
        }
        if (giveUpTimer != null) {
            giveUpTimer.cancel(false);
        }
        if (connection != null && !connection.isOver()) {
            connection.close();
        }
        for (ClientLink link : List.copyOf(links)) {
            link.fail(cause);
        }
        if (failure) {
            boolean wasConnected = connected.isDone();
            connected.completeExceptionally(cause);
            closed.completeExceptionally(cause);
            if (wasConnected) {
                LOG.error("The client has ended: {}", cause.getMessage());
            }
            tell(listener -> listener.failed(cause));
        } else {
            connected.completeExceptionally(cause);
            closed.complete(null);
        }
        if (whenClosed != null) {
            whenClosed.run();
        }
        host.stopLoop();
    }

    /** Tells the application's listener, whatever it throws. */
    void tell(Consumer<ClientListener> event) {
        try {
            event.accept(config.listener());
        } catch (RuntimeException thrown) {
            LOG.warn("The client's listener failed", thrown);
        }
    }
}
