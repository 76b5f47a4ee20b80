package io.ringtable.spring.internal.consume;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes messages from one link, and processes them one call after the other, so in their order. A lost link is opened
 * again after a pause.
 * <p>
 * Thread: a task of the container's executor runs it; any thread may stop it. A stop interrupts the thread only while
 * it waits for messages, never while it processes them.
 */
public final class ListenerConsumer implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerConsumer.class);

    private final ConsumerGroup group;
    private final ContainerSettings settings;
    private final BatchProcessor processor;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Object lock = new Object();
    private Thread waiting; // under the lock: who waits for messages, and may be interrupted
    private Thread runner; // under the lock
    private boolean stopping; // under the lock
    private volatile Receiver receiver;
    private volatile List<ReceivedMessage> underWay = List.of();
    private long busySince; // nanoTime

    /** @param receiver opened already; null = the consumer opens it */
    ListenerConsumer(ConsumerGroup group, ContainerSettings settings, BatchProcessor processor, Receiver receiver) {
        this.group = group;
        this.settings = settings;
        this.processor = processor;
        this.receiver = receiver;
    }

    @Override
    public void run() {
        synchronized (lock) {
            runner = Thread.currentThread();
        }
        try {
            while (!isStopping()) {
                try {
                    work();
                } catch (RingtableException lost) {
                    recover(lost);
                } catch (RuntimeException | Error defect) {
                    LOG.error("{} met a defect and begins anew", group.name(), defect);
                    closeReceiver();
                    pause(settings.recoveryInterval());
                }
            }
        } finally {
            closeReceiver();
            synchronized (lock) {
                runner = null;
                // The interruption of the wait is not for the next task of this thread.
                Thread.interrupted();
            }
            group.ended(this);
            ended.countDown();
        }
    }

    private void work() {
        if (receiver == null) {
            receiver = interruptibly(group::open);
        }
        busySince = System.nanoTime();
        while (receiver != null) {
            List<ReceivedMessage> messages = take();
            if (messages == null) {
                return;
            }
            if (messages.isEmpty()) {
                if (group.leave(this)) {
                    stop();
                    return;
                }
            } else if (!process(messages)) {
                pause(settings.recoveryInterval());
            }
        }
    }

    /** @return false if nothing can be processed now */
    private boolean process(List<ReceivedMessage> messages) {
        underWay = messages;
        try {
            return processor.process(messages, group.subscription());
        } catch (RuntimeException | Error defect) {
            // Of an observation's handler, say: the method may have seen the messages that are not settled yet.
            messages.forEach(ReceivedMessage::fail);
            throw defect;
        } finally {
            underWay = List.of();
            // A method that leaves its thread interrupted means itself, not the messages that follow.
            Thread.interrupted();
        }
    }

    /** @return empty after the time-out; null if the consumer is to stop */
    private List<ReceivedMessage> take() {
        Optional<ReceivedMessage> first = receiver.receive(Duration.ZERO);
        if (first.isPresent()) {
            if (System.nanoTime() - busySince > settings.scaleUpAfter().toNanos()) {
                busySince = System.nanoTime();
                group.join();
            }
        } else {
            first = interruptibly(() -> receiver.receive(settings.scaleDownAfter()));
            busySince = System.nanoTime();
        }
        if (isStopping()) {
            if (first != null) {
                first.ifPresent(ReceivedMessage::release);
            }
            return null;
        }
        List<ReceivedMessage> messages = new ArrayList<>();
        while (first.isPresent()) {
            messages.add(first.get());
            first = messages.size() < settings.batchSize() ? receiver.receive(Duration.ZERO) : Optional.empty();
        }
        return messages;
    }

    private void recover(RingtableException lost) {
        closeReceiver();
        if (isStopping()) {
            return;
        }
        boolean clientCloses = lost.reason() == RingtableException.Reason.CLOSED;
        if (clientCloses
                || settings.client().closed().isDone()
                || Thread.currentThread().isInterrupted()) {
            // Nothing can be received any more: the client is closed, or the executor is shutting down.
            group.failed(lost, null);
            stop();
            return;
        }
        group.failed(lost, settings.recoveryInterval());
        pause(settings.recoveryInterval());
    }

    private void closeReceiver() {
        Receiver old = receiver;
        receiver = null;
        if (old != null) {
            try {
                old.close();
            } catch (RingtableException unclean) {
                LOG.debug("{} could not close its receiver in order", group.name(), unclean);
            }
        }
    }

    private void pause(Duration time) {
        interruptibly(() -> {
            try {
                TimeUnit.NANOSECONDS.sleep(time.toNanos());
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
            return null;
        });
    }

    /**
     * Waits in a way that {@link #stop} cuts short.
     *
     * @return null if the consumer is to stop
     */
    private <T> T interruptibly(Supplier<T> wait) {
        synchronized (lock) {
            if (stopping) {
                return null;
            }
            waiting = Thread.currentThread();
        }
        try {
            return wait.get();
        } finally {
            synchronized (lock) {
                waiting = null;
                if (stopping) {
                    // The settlements that follow must not meet the interruption.
                    Thread.interrupted();
                }
            }
        }
    }

    private boolean isStopping() {
        synchronized (lock) {
            return stopping;
        }
    }

    /** Has the consumer end once the call that is under way has ended; does not wait for that. */
    void stop() {
        synchronized (lock) {
            stopping = true;
            if (waiting != null) {
                waiting.interrupt();
            }
        }
    }

    /** Tells whether the calling thread is this consumer's own, which cannot wait for its own end. */
    public boolean isRunBy(Thread thread) {
        synchronized (lock) {
            return runner == thread;
        }
    }

    /** @return false if it has not ended by then */
    public boolean awaitEnd(long timeoutNanos) throws InterruptedException {
        return ended.await(timeoutNanos, TimeUnit.NANOSECONDS);
    }

    /** Gives its messages back to the broker, those of the call under way as failed, and interrupts that call. */
    public void abandon() {
        underWay.forEach(ReceivedMessage::fail);
        Receiver open = receiver;
        if (open != null) {
            open.close();
        }
        synchronized (lock) {
            if (runner != null) {
                runner.interrupt();
            }
        }
    }

    /** Ends a consumer that was never run. */
    void discard() {
        stop();
        closeReceiver();
        group.ended(this);
        ended.countDown();
    }
}
