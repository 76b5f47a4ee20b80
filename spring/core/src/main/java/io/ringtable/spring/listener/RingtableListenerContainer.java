package io.ringtable.spring.listener;

import io.ringtable.client.RingtableException;
import io.ringtable.spring.internal.consume.ConsumerGroup;
import io.ringtable.spring.internal.consume.ContainerSettings;
import io.ringtable.spring.internal.consume.ListenerConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs a listener: opens its links, gives its messages to its method, and ends both in order. Safe for any thread.
 */
public final class RingtableListenerContainer implements SmartLifecycle {

    /** The phase of all listeners: they start last and stop first, except for what an application puts behind them. */
    public static final int PHASE = Integer.MAX_VALUE - 100;

    private static final Logger LOG = LoggerFactory.getLogger(RingtableListenerContainer.class);

    private final RingtableListenerEndpoint endpoint;
    private final ContainerSettings settings;
    private final boolean autoStartup;
    private final List<ConsumerGroup> groups;
    private List<ListenerConsumer> stopped = List.of(); // under this: those that a stop waits for
    private volatile boolean running; // written under this

    RingtableListenerContainer(
            RingtableListenerEndpoint endpoint,
            ContainerSettings settings,
            boolean autoStartup,
            List<ConsumerGroup> groups) {
        this.endpoint = endpoint;
        this.settings = settings;
        this.autoStartup = autoStartup;
        this.groups = List.copyOf(groups);
    }

    public String id() {
        return endpoint.id();
    }

    public RingtableListenerEndpoint endpoint() {
        return endpoint;
    }

    /**
     * Opens the links and begins to process. Waits until the broker has agreed; a broker that does not answer is left
     * to the consumers, which try again. Without effect while it runs.
     *
     * @throws RingtableException with the code of the SDK, if the broker refuses a subscription
     */
    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        running = true;
        try {
            groups.forEach(ConsumerGroup::start);
        } catch (RuntimeException refused) {
            groups.forEach(ConsumerGroup::stop);
            running = false;
            throw refused;
        }
    }

    /**
     * Ends the listener. Waits for calls that are under way, at most for the shutdown time-out, and settles their
     * messages. Messages that no call has got go back to the broker, uncounted. A call that takes longer is interrupted
     * and counts as failed. A listener's own method may call this, and then nothing waits for that method.
     */
    @Override
    public void stop() {
        beginStop();
        awaitStop();
    }

    @Override
    public void stop(Runnable callback) {
        beginStop();
        Thread waiter = new Thread(
                () -> {
                    awaitStop();
                    callback.run();
                },
                "ringtable-stop-" + id());
        waiter.start();
    }

    /** Has all consumers end, without waiting for them. */
    synchronized void beginStop() {
        if (running) {
            running = false;
            stopped = groups.stream().flatMap(group -> group.stop().stream()).toList();
        }
    }

    /** Waits for the consumers that a stop has ended. */
    void awaitStop() {
        List<ListenerConsumer> ending;
        synchronized (this) {
            ending = new ArrayList<>(stopped);
        }
        ending.removeIf(consumer -> consumer.isRunBy(Thread.currentThread()));
        long deadline = System.nanoTime() + settings.shutdownTimeout().toNanos();
        try {
            for (ListenerConsumer consumer : ending) {
                if (!consumer.awaitEnd(Math.max(0, deadline - System.nanoTime()))) {
                    LOG.warn(
                            "{} has not ended within {} ms: its call is interrupted, and its messages come again",
                            endpoint.name(),
                            settings.shutdownTimeout().toMillis());
                    consumer.abandon();
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Tells whether the listener was started and not stopped; its links may be lost for a while all the same. */
    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Counts the consumers of all addresses that run now. */
    public int activeConsumers() {
        return groups.stream().mapToInt(ConsumerGroup::count).sum();
    }

    /** Returns why a link of the listener is not open, if it should be; for health indicators. */
    public Optional<RingtableException> lastFailure() {
        return groups.stream()
                .map(ConsumerGroup::lastFailure)
                .filter(Objects::nonNull)
                .findFirst();
    }

    @Override
    public String toString() {
        return endpoint.name();
    }
}
