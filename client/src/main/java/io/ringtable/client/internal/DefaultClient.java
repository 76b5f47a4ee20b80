package io.ringtable.client.internal;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.ringtable.client.Address;
import io.ringtable.client.ClientStatistics;
import io.ringtable.client.MessageHandler;
import io.ringtable.client.Publisher;
import io.ringtable.client.PublisherOptions;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.RingtableException;
import io.ringtable.client.Subscription;
import io.ringtable.client.SubscriptionOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the application: opens and closes publishers and subscriptions, and waits for the I/O thread where the
 * interface says so. {@link Reconnector} and the links do the work on the I/O thread.
 */
public final class DefaultClient implements RingtableClient {

    private static final Logger LOG = LoggerFactory.getLogger(DefaultClient.class);

    private final ClientConfig config;
    private final boolean named;
    private final MultiThreadIoEventLoopGroup group;
    private final EventLoop loop;
    private final Counters counters = new Counters();
    private final MessageEncoder encoder;
    private final Backoff backoff;
    private final Reconnector reconnector;
    private final Set<DefaultPublisher> publishers = ConcurrentHashMap.newKeySet();
    private final Set<PushSubscription> subscriptions = ConcurrentHashMap.newKeySet();
    private final Set<PullReceiver> receivers = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closing = new AtomicBoolean();

    private DefaultClient(ClientConfig given) {
        named = given.clientId() != null;
        config = given.withContainerId();
        group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory(config.name() + "-io", true), NioIoHandler.newFactory());
        loop = (EventLoop) group.next();
        encoder = new MessageEncoder(config.jsonMapper());
        backoff = new Backoff(config.reconnect());
        reconnector = new Reconnector(this);
    }

    /** @throws RingtableException as {@link io.ringtable.client.ClientBuilder#connect} says */
    public static RingtableClient connect(ClientConfig config) {
        DefaultClient client = new DefaultClient(config);
        client.loop.execute(client.reconnector::start);
        try {
            client.reconnector.connected().get();
            return client;
        } catch (ExecutionException failed) {
            throw Errors.forCaller((RingtableException) failed.getCause());
        } catch (InterruptedException interrupted) {
            client.close();
            throw Errors.interrupted("connect", interrupted);
        }
    }

    ClientConfig config() {
        return config;
    }

    EventLoop loop() {
        return loop;
    }

    Counters counters() {
        return counters;
    }

    MessageEncoder encoder() {
        return encoder;
    }

    Backoff backoff() {
        return backoff;
    }

    /** Ends the event loop, which refuses what still comes. */
    void stopLoop() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** Runs code that touches the current connection's engine. Thread: the I/O thread. */
    void guarded(Runnable code) {
        reconnector.guarded(code);
    }

    /** Forgets a link that has ended. Thread: the I/O thread. */
    void remove(ClientLink link) {
        reconnector.remove(link);
    }

    /** Counts lost settlements and tells the listener. Thread: the I/O thread. */
    void settlementsLost(Address address, int count) {
        counters.settlementsLost.add(count);
        reconnector.tell(listener -> listener.settlementsLost(address, count));
    }

    @Override
    public Publisher publisher(PublisherOptions options) {
        DefaultPublisher publisher = new DefaultPublisher(this, options);
        publishers.removeIf(old -> old.link().isOver());
        open(publisher.link(), publisher.link().opened(), "publisher to " + options.address());
        publishers.add(publisher);
        return publisher;
    }

    @Override
    public Subscription subscribe(SubscriptionOptions options, MessageHandler handler) {
        Objects.requireNonNull(handler, "handler");
        checkNamed(options);
        PushSubscription subscription = new PushSubscription(this, options, handler);
        open(subscription.link(), subscription.link().opened(), "subscription to " + options.address());
        subscription.start();
        subscriptions.removeIf(old -> !old.isOpen());
        subscriptions.add(subscription);
        return subscription;
    }

    @Override
    public Receiver receiver(SubscriptionOptions options) {
        checkNamed(options);
        PullReceiver receiver = new PullReceiver(this, options);
        open(receiver.link(), receiver.link().opened(), "receiver from " + options.address());
        receivers.removeIf(old -> !old.isOpen());
        receivers.add(receiver);
        return receiver;
    }

    @Override
    public void unsubscribe(String durableName) {
        Objects.requireNonNull(durableName, "durableName");
        if (!named) {
            throw Errors.needsClientId(durableName);
        }
        Unsubscribe unsubscribe = new Unsubscribe(this, durableName);
        open(unsubscribe, unsubscribe.done(), "unsubscribe '" + durableName + "'");
    }

    @Override
    public void delete(Address address) {
        delete(address, false);
    }

    @Override
    public void deleteEvenIfUsed(Address address) {
        delete(address, true);
    }

    private void delete(Address address, boolean evenIfUsed) {
        DeleteAddress delete = new DeleteAddress(this, Objects.requireNonNull(address, "address"), evenIfUsed);
        open(delete, delete.done(), "delete " + address);
    }

    private void checkNamed(SubscriptionOptions options) {
        if (!named && options.durableName().isPresent()) {
            throw Errors.needsClientId(options.durableName().get());
        }
    }

    private void open(ClientLink link, CompletableFuture<Void> opened, String what) {
        if (loop.inEventLoop()) {
            throw Errors.onIoThread(what);
        }
        if (closing.get()) {
            throw Errors.closed("client");
        }
        Duration timeout = config.requestTimeout();
        try {
            loop.execute(() -> reconnector.add(link));
            opened.get(WindowGate.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            throw Errors.forCaller((RingtableException) failed.getCause());
        } catch (TimeoutException tooLate) {
            RingtableException cause = Errors.noAnswer(what, timeout, isConnected());
            loop.execute(() -> reconnector.abandon(link, cause));
            throw cause;
        } catch (RejectedExecutionException ioThreadIsGone) {
            throw Errors.forCaller(reconnector.endCause());
        } catch (InterruptedException interrupted) {
            RingtableException cause = Errors.interrupted(what, interrupted);
            loop.execute(() -> reconnector.abandon(link, cause));
            throw cause;
        }
    }

    @Override
    public boolean isConnected() {
        return reconnector.isConnected();
    }

    @Override
    public ClientStatistics statistics() {
        return counters.snapshot();
    }

    @Override
    public CompletableFuture<Void> closed() {
        return reconnector.closed();
    }

    /** Runs the code on the I/O thread and waits until it is done; does nothing if that thread has ended. */
    void onLoopAndWait(Runnable code) {
        onLoopAndWait(
                done -> {
                    code.run();
                    done.run();
                },
                WindowGate.nanos(config.closeTimeout()));
    }

    /** Runs the code on the I/O thread, and waits until the code says that it is done, or the time is over. */
    void onLoopAndWait(Consumer<Runnable> code, long timeoutNanos) {
        CountDownLatch done = new CountDownLatch(1);
        try {
            loop.execute(() -> code.accept(done::countDown));
            done.await(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ioThreadIsGone) {
            LOG.debug("The I/O thread has ended already");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (loop.inEventLoop()) {
            throw Errors.onIoThread("close");
        }
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        long deadline = System.nanoTime() + WindowGate.nanos(config.closeTimeout());
        List<Consumer<Duration>> steps = new ArrayList<>();
        subscriptions.forEach(subscription -> steps.add(subscription::close));
        receivers.forEach(receiver -> steps.add(receiver::close));
        publishers.forEach(publisher -> steps.add(publisher::close));
        for (Consumer<Duration> step : steps) {
            step.accept(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        }
        onLoopAndWait(reconnector::close, WindowGate.nanos(config.closeTimeout()));
    }
}
