package io.ringtable.client.internal.publish;

import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.PublisherOptions;
import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.connection.LinkHost;
import io.ringtable.client.internal.connection.Timeouts;
import io.ringtable.client.internal.encoding.MessageEncoder;
import io.ringtable.client.internal.error.Errors;
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
 * Serves the application's side of a publisher: encodes, waits for room among the messages in flight, and queues.
 * Wakes the I/O thread once for everything that gathers until it comes.
 */
public final class DefaultPublisher implements Publisher {

    private static final int QUEUE_CHUNK = 1_024;

    private final LinkHost host;
    private final Address address;
    private final MessageEncoder encoder;
    private final InFlightMessages inFlight;
    private final Queue<Outgoing> queue = new MpscUnboundedAtomicArrayQueue<>(QUEUE_CHUNK);
    private final AtomicBoolean awake = new AtomicBoolean();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final PublisherLink link;
    private final ProducerState producer; // null = the messages have no numbers
    // Written by the I/O thread, read by publishing threads.
    private volatile RingtableException end;
    private volatile long messageBytesMax = Long.MAX_VALUE;

    public DefaultPublisher(LinkHost host, MessageEncoder encoder, PublisherOptions options) {
        this.host = host;
        this.address = options.address();
        this.encoder = encoder;
        this.inFlight = new InFlightMessages(host.config().inFlightLimit());
        this.producer = options.producerId().map(ProducerState::new).orElse(null);
        this.link = new PublisherLink(host, this, address, producer);
    }

    public PublisherLink link() {
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
        publishAndWait(message, host.config().requestTimeout());
    }

    @Override
    public void publishAndWait(Message message, Duration timeout) {
        if (host.loop().inEventLoop()) {
            throw Errors.onIoThread("publishAndWait");
        }
        try {
            publish(message).get(Timeouts.nanos(timeout), TimeUnit.NANOSECONDS);
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
                host.loop().inEventLoop() ? Duration.ZERO : host.config().publishTimeout();
        try {
            if (!inFlight.enter(message.bytes(), Timeouts.nanos(timeout))) {
                return closing.get() || end != null
                        ? refusal()
                        : Errors.inFlightFull(address, inFlight.messages(), inFlight.bytes(), timeout);
            }
        } catch (InterruptedException interrupted) {
            return Errors.interrupted("publish", interrupted);
        }
        host.counters().published.increment();
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
                host.loop().execute(this::takeOver);
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
            host.guarded(link::pump);
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
        inFlight.leave(messages.size(), bytes);
        if (cause == null) {
            host.counters().accepted.add(messages.size());
            for (Outgoing message : messages) {
                message.accepted();
            }
        } else {
            host.counters().rejected.add(messages.size());
            for (Outgoing message : messages) {
                message.failed(cause);
            }
        }
    }

    /** Ends the publisher: no message goes any more. Thread: the I/O thread. */
    void ended(RingtableException cause) {
        end = cause;
        inFlight.shut();
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
        return inFlight.messages();
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
        inFlight.shut();
        String what = "publisher to " + address;
        boolean answered = false;
        try {
            answered = end != null || inFlight.awaitEmpty(Timeouts.nanos(timeout));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        RingtableException cause = answered ? Errors.closed(what) : Errors.unanswered(what, timeout);
        host.onLoopAndWait(() -> link.close(cause));
    }
}
