package io.ringtable.client.internal;

import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.PublisherOptions;
import io.ringtable.client.RingtableException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * Serves the application's side of a publisher: encodes, waits for room in the window, and queues. Wakes the I/O thread
 * once for everything that gathers until it comes.
 */
final class DefaultPublisher implements Publisher {

    private static final int QUEUE_CHUNK = 1_024;

    private final DefaultClient client;
    private final Address address;
    private final MessageEncoder encoder;
    private final WindowGate window;
    private final Queue<Outgoing> queue = new MpscUnboundedAtomicArrayQueue<>(QUEUE_CHUNK);
    private final AtomicBoolean awake = new AtomicBoolean();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final PublisherLink link;
    private final ProducerState producer; // null = the messages have no numbers
    // Written by the I/O thread, read by publishing threads.
    private volatile RingtableException end;
    private volatile long messageBytesMax = Long.MAX_VALUE;

    DefaultPublisher(DefaultClient client, PublisherOptions options) {
        this.client = client;
        this.address = options.address();
        this.encoder = client.encoder();
        this.window = new WindowGate(client.config().publishWindow());
        this.producer = options.producerId().map(ProducerState::new).orElse(null);
        this.link = new PublisherLink(client, this, address, producer);
    }

    PublisherLink link() {
        return link;
    }

    @Override
    public Address address() {
        return address;
    }

    @Override
    public CompletableFuture<Void> publish(Message message) {
        Objects.requireNonNull(message, "message");
        byte[] encoded;
        try {
            encoded = encoder.encode(message);
        } catch (RingtableException notEncodable) {
            return CompletableFuture.failedFuture(notEncodable);
        }
        Outgoing outgoing = new Outgoing(encoded, null);
        RingtableException refusal = submit(outgoing);
        return refusal == null ? outgoing : CompletableFuture.failedFuture(refusal);
    }

    @Override
    public CompletableFuture<Void> publishAll(Collection<Message> messages) {
        List<Message> all = List.copyOf(messages);
        PublishGroup group = new PublishGroup(all.size());
        for (int i = 0; i < all.size(); i++) {
            RingtableException refusal;
            try {
                refusal = submit(new Outgoing(encoder.encode(all.get(i)), group));
            } catch (RingtableException notEncodable) {
                refusal = notEncodable;
            }
            if (refusal != null) {
                group.answered(all.size() - i, refusal);
                break;
            }
        }
        return group;
    }

    @Override
    public void publishAndWait(Message message) {
        publishAndWait(message, client.config().requestTimeout());
    }

    @Override
    public void publishAndWait(Message message, Duration timeout) {
        if (client.loop().inEventLoop()) {
            throw Errors.onIoThread("publishAndWait");
        }
        try {
            publish(message).get(WindowGate.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof RingtableException known
                    ? Errors.forCaller(known)
                    : new IllegalStateException(failed.getCause());
        } catch (TimeoutException tooLate) {
            throw Errors.noOutcome(address, timeout);
        } catch (InterruptedException interrupted) {
            throw Errors.interrupted("publishAndWait", interrupted);
        }
    }

    /** @return why the message was not handed in, or null */
    private RingtableException submit(Outgoing message) {
        if (closing.get() || end != null) {
            return refusal();
        }
        if (message.bytes() > messageBytesMax) {
            return Errors.tooLarge(address, message.bytes(), messageBytesMax);
        }
        // The I/O thread makes room itself, so it cannot wait for it.
        Duration timeout =
                client.loop().inEventLoop() ? Duration.ZERO : client.config().publishTimeout();
        try {
            if (!window.enter(message.bytes(), WindowGate.nanos(timeout))) {
                return closing.get() || end != null
                        ? refusal()
                        : Errors.windowFull(address, window.messages(), window.bytes(), timeout);
            }
        } catch (InterruptedException interrupted) {
            return Errors.interrupted("publish", interrupted);
        }
        client.counters().published.increment();
        queue.add(message);
        wake();
        return null;
    }

    private RingtableException refusal() {
        RingtableException cause = end;
        return cause != null ? cause : Errors.closed("publisher to " + address);
    }

    private void wake() {
        if (!awake.get() && awake.compareAndSet(false, true)) {
            try {
                client.loop().execute(this::takeOver);
            } catch (RejectedExecutionException ioThreadIsGone) {
                failRest();
            }
        }
    }

    /** Fails messages that came in after the I/O thread had ended. */
    private synchronized void failRest() {
        awake.set(false);
        Outgoing message;
        while ((message = queue.poll()) != null) {
            answered(List.of(message), message.bytes(), refusal());
        }
    }

    /** Hands what is queued to the link. Thread: the I/O thread. */
    private void takeOver() {
        awake.set(false);
        Outgoing message;
        while ((message = queue.poll()) != null) {
            link.add(message);
        }
        if (link.isOver()) {
            link.failPending(refusal());
        } else {
            client.guarded(link::pump);
        }
    }

    long messageBytesMax() {
        return messageBytesMax;
    }

    void messageBytesMax(long bytes) {
        messageBytesMax = bytes;
    }

    /** Completes the messages of a transfer, which has its answer. Thread: the I/O thread. */
    void answered(List<Outgoing> messages, long bytes, RingtableException cause) {
        window.leave(messages.size(), bytes);
        if (cause == null) {
            client.counters().accepted.add(messages.size());
            for (Outgoing message : messages) {
                message.accepted();
            }
        } else {
            client.counters().rejected.add(messages.size());
            for (Outgoing message : messages) {
                message.failed(cause);
            }
        }
    }

    /** Ends the publisher: no message goes any more. Thread: the I/O thread. */
    void ended(RingtableException cause) {
        end = cause;
        window.shut();
        takeRest();
    }

    private void takeRest() {
        Outgoing message;
        while ((message = queue.poll()) != null) {
            link.add(message);
        }
    }

    @Override
    public long lastPublishedNumber() {
        return producer == null ? 0 : producer.lastStored();
    }

    @Override
    public int pending() {
        return window.messages();
    }

    @Override
    public void close() {
        close(client.config().closeTimeout());
    }

    void close(Duration timeout) {
        if (client.loop().inEventLoop()) {
            throw Errors.onIoThread("close");
        }
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        window.shut();
        String what = "publisher to " + address;
        boolean answered = false;
        try {
            answered = end != null || window.awaitEmpty(WindowGate.nanos(timeout));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        RingtableException cause = answered ? Errors.closed(what) : Errors.unanswered(what, timeout);
        client.onLoopAndWait(() -> link.close(cause));
    }
}
