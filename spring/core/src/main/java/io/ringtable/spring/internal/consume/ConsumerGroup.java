package io.ringtable.spring.internal.consume;

import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableException;
import io.ringtable.client.RingtableException.Reason;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.spring.internal.SpringErrors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.task.TaskRejectedException;

/**
 * Holds the consumers of one address of a listener: at least and at most as many as the settings say. Another one
 * joins when one has had messages without a pause for a while, and leaves when it has had none for a while.
 * <p>
 * Thread: any.
 */
public final class ConsumerGroup {
    private static final Logger LOG = LoggerFactory.getLogger(ConsumerGroup.class);

    /** Failures that a later attempt does not mend: who starts the application should see them. */
    private static final Set<Reason> LASTING =
            Set.of(Reason.CONFIGURATION, Reason.SECURITY, Reason.REJECTED, Reason.CLOSED);

    private final String listener;
    private final SubscriptionOptions from;
    private final ContainerSettings settings;
    private final BatchProcessor processor;
    private final List<ListenerConsumer> consumers = new ArrayList<>(); // under this
    private boolean stopping; // under this
    private long lastJoin; // under this; nanoTime
    private volatile RingtableException lastFailure;

    public ConsumerGroup(
            String listener, SubscriptionOptions from, ContainerSettings settings, BatchProcessor processor) {
        this.listener = listener;
        this.from = from;
        this.settings = settings;
        this.processor = processor;
    }

    String name() {
        return listener + " at " + from.address();
    }

    /** @return null if it has none */
    String subscription() {
        return from.subscriptionName().orElse(null);
    }

    /**
     * Opens the links of the least number of consumers, and runs them. A broker that does not answer now is left to the
     * consumers, which try again.
     *
     * @throws RingtableException with the code of the SDK, if the broker refuses
     */
    public void start() {
        List<ListenerConsumer> started = new ArrayList<>();
        try {
            boolean answers = true;
            for (int i = 0; i < settings.consumersMin(); i++) {
                Receiver receiver = answers ? openAtStart() : null;
                answers = receiver != null;
                started.add(new ListenerConsumer(this, settings, processor, receiver));
            }
        } catch (RingtableException refused) {
            started.forEach(ListenerConsumer::discard);
            throw refused;
        }
        synchronized (this) {
            stopping = false;
            lastJoin = System.nanoTime();
            consumers.addAll(started);
        }
        Iterator<ListenerConsumer> next = started.iterator();
        while (next.hasNext()) {
            ListenerConsumer consumer = next.next();
            try {
                settings.executor().execute(consumer);
            } catch (TaskRejectedException full) {
                stop();
                consumer.discard();
                next.forEachRemaining(ListenerConsumer::discard);
                throw SpringErrors.setting(
                        name() + " has " + started.size() + " consumers, and the task executor does not take all",
                        "give it a thread for each consumer of its listeners",
                        full);
            }
        }
    }

    private Receiver openAtStart() {
        try {
            return open();
        } catch (RingtableException failure) {
            if (LASTING.contains(failure.reason())) {
                throw named(failure);
            }
            failed(failure, Duration.ZERO);
            return null;
        }
    }

    private RingtableException named(RingtableException failure) {
        return new RingtableException(
                failure.code(),
                failure.reason(),
                name() + " cannot start: "
                        + failure.getMessage().substring(failure.code().length() + 1),
                failure.condition().orElse(null),
                failure);
    }

    /** Opens a link; waits for the broker's answer. */
    Receiver open() {
        Receiver receiver = settings.client().receiver(from);
        lastFailure = null;
        return receiver;
    }

    /** Remembers a lost link. @param retryAfter null if nobody tries again */
    void failed(RingtableException failure, Duration retryAfter) {
        lastFailure = failure;
        if (retryAfter == null) {
            LOG.error("{} receives nothing any more", name(), failure);
        } else {
            LOG.warn("{} is not subscribed and tries again in {} ms", name(), retryAfter.toMillis(), failure);
        }
    }

    /** @return null if the links are open */
    public RingtableException lastFailure() {
        return lastFailure;
    }

    /** Adds a consumer, unless there are enough or one has just been added. */
    void join() {
        ListenerConsumer more;
        synchronized (this) {
            long now = System.nanoTime();
            if (stopping
                    || consumers.size() >= settings.consumersMax()
                    || now - lastJoin < settings.scaleUpAfter().toNanos()) {
                return;
            }
            lastJoin = now;
            more = new ListenerConsumer(this, settings, processor, null);
            consumers.add(more);
        }
        try {
            settings.executor().execute(more);
        } catch (TaskRejectedException full) {
            ended(more);
            LOG.warn("{} needs another consumer, and the task executor takes no more", name());
        }
    }

    /** Takes a consumer out if there are more than the least number. */
    synchronized boolean leave(ListenerConsumer idle) {
        return consumers.size() > settings.consumersMin() && consumers.remove(idle);
    }

    synchronized void ended(ListenerConsumer consumer) {
        consumers.remove(consumer);
    }

    public synchronized int count() {
        return consumers.size();
    }

    /** Has all consumers end; returns them, for whoever waits for that. */
    public synchronized List<ListenerConsumer> stop() {
        stopping = true;
        consumers.forEach(ListenerConsumer::stop);
        return List.copyOf(consumers);
    }
}
