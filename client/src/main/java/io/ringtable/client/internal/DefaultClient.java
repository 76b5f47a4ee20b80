package io.ringtable.client.internal;

import io.netty.channel.EventLoop;
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
import io.ringtable.client.internal.connection.ClientConfig;
import io.ringtable.client.internal.connection.ClientLink;
import io.ringtable.client.internal.connection.LinkHost;
import io.ringtable.client.internal.connection.Reconnector;
import io.ringtable.client.internal.connection.Timeouts;
import io.ringtable.client.internal.encoding.MessageEncoder;
import io.ringtable.client.internal.error.Errors;
import io.ringtable.client.internal.publish.DefaultPublisher;
import io.ringtable.client.internal.receive.PullReceiver;
import io.ringtable.client.internal.receive.PushSubscription;
import io.ringtable.client.internal.request.DeleteAddress;
import io.ringtable.client.internal.request.Unsubscribe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Serves the application: opens and closes publishers and subscriptions, and waits for the I/O thread where the
 * interface says so. {@link Reconnector} and the links do the work on the I/O thread.
 */
final class DefaultClient implements RingtableClient {

    private final boolean named;
    private final LinkHost host;
    private final ClientConfig config;
    private final EventLoop loop;
    private final Reconnector reconnector;
    private final MessageEncoder encoder;
    private final Set<DefaultPublisher> publishers = ConcurrentHashMap.newKeySet();
    private final Set<PushSubscription> subscriptions = ConcurrentHashMap.newKeySet();
    private final Set<PullReceiver> receivers = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closing = new AtomicBoolean();

    private DefaultClient(ClientConfig given) {
        named = given.clientId() != null;
        host = new LinkHost(given);
        config = host.config();
        loop = host.loop();
        reconnector = host.reconnector();
        encoder = new MessageEncoder(config.jsonMapper());
    }

    /** @throws RingtableException as {@link io.ringtable.client.ClientBuilder#connect} says */
    static RingtableClient connect(ClientConfig config) {
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

    @Override
    public Publisher publisher(PublisherOptions options) {
        DefaultPublisher publisher = new DefaultPublisher(host, encoder, options);
        publishers.removeIf(old -> old.link().isOver());
        open(publisher.link(), publisher.link().opened(), "publisher to " + options.address());
        publishers.add(publisher);
        return publisher;
    }

    @Override
    public Subscription subscribe(SubscriptionOptions options, MessageHandler handler) {
        Objects.requireNonNull(handler, "handler");
        checkNamed(options);
        PushSubscription subscription = new PushSubscription(host, options, handler);
        open(subscription.link(), subscription.link().opened(), "subscription to " + options.address());
        subscription.start();
        subscriptions.removeIf(old -> !old.isOpen());
        subscriptions.add(subscription);
        return subscription;
    }

    @Override
    public Receiver receiver(SubscriptionOptions options) {
        checkNamed(options);
        PullReceiver receiver = new PullReceiver(host, options);
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
        unsubscribe(durableName, false);
    }

    @Override
    public void unsubscribeShared(String durableName) {
        unsubscribe(Objects.requireNonNull(durableName, "durableName"), true);
    }

    private void unsubscribe(String durableName, boolean shared) {
        Unsubscribe unsubscribe = new Unsubscribe(host, durableName, shared);
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
        DeleteAddress delete = new DeleteAddress(host, Objects.requireNonNull(address, "address"), evenIfUsed);
        open(delete, delete.done(), "delete " + address);
    }

    private void checkNamed(SubscriptionOptions options) {
        if (!named && !options.isShared() && options.durableName().isPresent()) {
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
            opened.get(Timeouts.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            throw Errors.forCaller((RingtableException) failed.getCause());
        } catch (TimeoutException tooLate) {
            RingtableException cause = Errors.noAnswer(what, timeout, isConnected());
            loop.execute(() -> link.abandon(cause));
            throw cause;
        } catch (RejectedExecutionException ioThreadIsGone) {
            throw Errors.forCaller(reconnector.endCause());
        } catch (InterruptedException interrupted) {
            RingtableException cause = Errors.interrupted(what, interrupted);
            loop.execute(() -> link.abandon(cause));
            throw cause;
        }
    }

    @Override
    public boolean isConnected() {
        return reconnector.isConnected();
    }

    @Override
    public ClientStatistics statistics() {
        return host.counters().snapshot();
    }

    @Override
    public CompletableFuture<Void> closed() {
        return reconnector.closed();
    }

    @Override
    public void close() {
        if (loop.inEventLoop()) {
            throw Errors.onIoThread("close");
        }
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        long deadline = System.nanoTime() + Timeouts.nanos(config.closeTimeout());
        List<Consumer<Duration>> steps = new ArrayList<>();
        subscriptions.forEach(subscription -> steps.add(subscription::close));
        receivers.forEach(receiver -> steps.add(receiver::close));
        publishers.forEach(publisher -> steps.add(publisher::close));
        for (Consumer<Duration> step : steps) {
            step.accept(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        }
        host.onLoopAndWait(reconnector::close, Timeouts.nanos(config.closeTimeout()));
    }
}
