package io.ringtable.client.internal.receive;

import io.ringtable.client.AcknowledgeMode;
import io.ringtable.client.Address;
import io.ringtable.client.AlreadyAcknowledgedException;
import io.ringtable.client.MessageHandler;
import io.ringtable.client.RingtableException;
import io.ringtable.client.Subscription;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.client.internal.connection.LinkHost;
import io.ringtable.client.internal.connection.Timeouts;
import io.ringtable.client.internal.error.Errors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls an application's handler on threads of its own.
 * <p>
 * Threads: {@code name-handler-address-N}, not daemons, so that a program lives as long as it is subscribed; they end
 * with the subscription. Failure: a handler that throws fails its message.
 */
public final class PushSubscription implements Subscription, ReceiverLink.Sink {

    private static final Logger LOG = LoggerFactory.getLogger(PushSubscription.class);
    private static final int CHUNK = 256;

    private final LinkHost host;
    private final SubscriptionOptions options;
    private final MessageHandler handler;
    private final ReceiverLink link;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger running;
    private final Queue<Delivered> untouched = new ConcurrentLinkedQueue<>();
    // A single thread may take many together and keep their order; several take one each, so that none hoards work.
    private final int chunk;

    public PushSubscription(LinkHost host, SubscriptionOptions options, MessageHandler handler) {
        this.host = host;
        this.options = options;
        this.handler = handler;
        this.chunk = options.concurrency() == 1 ? CHUNK : 1;
        this.link = new ReceiverLink(host, options, this);
        this.running = new AtomicInteger(options.concurrency());
        for (int i = 1; i <= options.concurrency(); i++) {
            Thread thread = new Thread(
                    this::handleMessages,
                    host.config().name() + "-handler-" + options.address().name() + "-" + i);
            thread.setDaemon(false);
            threads.add(thread);
        }
    }

    public ReceiverLink link() {
        return link;
    }

    public void start() {
        threads.forEach(Thread::start);
    }

    private void handleMessages() {
        DeliveryBuffer buffer = link.buffer();
        Delivered[] messages = new Delivered[chunk];
        try {
            int count;
            while ((count = buffer.take(messages, chunk)) > 0) {
                for (int i = 0; i < count; i++) {
                    Delivered message = messages[i];
                    messages[i] = null;
                    if (closing.get()) {
                        message.release();
                    } else if (!link.isVoid(message)) {
                        handle(message);
                    }
                }
                link.wake();
            }
        } catch (InterruptedException stop) {
            LOG.warn("{} was interrupted and handles no more messages of {}", Thread.currentThread(), address());
        } finally {
            if (running.decrementAndGet() == 0 && closing.get()) {
                detach(Timeouts.nanos(host.config().closeTimeout()));
            }
        }
    }

    private void handle(Delivered message) {
        try {
            handler.handle(message);
        } catch (InterruptedException interrupted) {
            message.fail();
            Thread.currentThread().interrupt();
            return;
        } catch (Exception failure) {
            if (isDoneAlready(message, failure)) {
                message.acknowledgeLater();
                return;
            }
            LOG.warn(
                    "The handler of {} failed; the message comes again or goes to the dead letters",
                    address(),
                    failure);
            message.fail();
            return;
        } catch (Error fatal) {
            message.fail();
            throw fatal;
        }
        if (options.acknowledge() == AcknowledgeMode.AUTO && !message.isSettled()) {
            message.acknowledgeLater();
        }
    }

    /** Tells whether a transaction of the application acknowledged an earlier delivery: then nothing is left to do. */
    private static boolean isDoneAlready(Delivered message, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof AlreadyAcknowledgedException known) {
                return known.deliveryTag().equals(message.deliveryTag());
            }
        }
        return false;
    }

    @Override
    public Address address() {
        return options.address();
    }

    @Override
    public boolean isOpen() {
        return !closing.get() && !closed.isDone();
    }

    @Override
    public CompletableFuture<Void> closed() {
        return closed;
    }

    @Override
    public void ended(RingtableException cause, boolean wasClosed) {
        if (wasClosed) {
            closed.complete(null);
        } else {
            closed.completeExceptionally(cause);
        }
    }

    @Override
    public void close() {
        close(host.config().closeTimeout());
    }

    public void close(Duration timeout) {
        if (host.loop().inEventLoop()) {
            throw Errors.onIoThread("close");
        }
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        long deadline = System.nanoTime() + Timeouts.nanos(timeout);
        untouched.addAll(link.buffer().stop(Errors.closed("subscription to " + address())));
        if (threads.contains(Thread.currentThread())) {
            // The last handler to return detaches, with the settlement of its message.
            return;
        }
        awaitHandlers(deadline);
        detach(Math.max(0, deadline - System.nanoTime()));
    }

    private void awaitHandlers(long deadline) {
        try {
            for (Thread thread : threads) {
                long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                thread.join(Math.max(1, leftMs));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void detach(long timeoutNanos) {
        Delivered message;
        while ((message = untouched.poll()) != null) {
            message.release();
        }
        host.onLoopAndWait(link::close, timeoutNanos);
    }
}
