package io.ringtable.client.internal.receive;

import io.ringtable.client.Address;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableException;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.client.internal.connection.LinkHost;
import io.ringtable.client.internal.connection.Timeouts;
import io.ringtable.client.internal.error.Errors;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** Lets the application take messages one by one. Thread: any. */
public final class PullReceiver implements Receiver, ReceiverLink.Sink {

    private final LinkHost host;
    private final SubscriptionOptions options;
    private final ReceiverLink link;
    private final AtomicBoolean closing = new AtomicBoolean();

    public PullReceiver(LinkHost host, SubscriptionOptions options) {
        this.host = host;
        this.options = options;
        this.link = new ReceiverLink(host, options, this);
    }

    public ReceiverLink link() {
        return link;
    }

    @Override
    public Address address() {
        return options.address();
    }

    @Override
    public boolean isOpen() {
        return !closing.get() && !link.buffer().isStopped();
    }

    @Override
    public Optional<ReceivedMessage> receive(Duration timeout) {
        if (!timeout.isZero() && host.loop().inEventLoop()) {
            throw Errors.onIoThread("receive");
        }
        try {
            Delivered message;
            long deadline = System.nanoTime() + Timeouts.nanos(timeout);
            do {
                message = link.buffer().poll(Math.max(0, deadline - System.nanoTime()));
            } while (message != null && link.isVoid(message));
            return Optional.ofNullable(message);
        } catch (InterruptedException interrupted) {
            throw Errors.interrupted("receive", interrupted);
        }
    }

    @Override
    public void ended(RingtableException cause, boolean closed) {
        // The buffer has told the threads that wait in receive.
    }

    @Override
    public void close() {
        close(host.config().closeTimeout());
    }

    public void close(Duration timeout) {
        if (host.loop().inEventLoop()) {
            throw Errors.onIoThread("close");
        }
        if (closing.compareAndSet(false, true)) {
            host.onLoopAndWait(link::close, Timeouts.nanos(timeout));
        }
    }
}
