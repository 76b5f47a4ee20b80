package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.message.Address;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Knows the consumers of stored queues. Each shard may have a part of such a queue, or get one later
 * ({@link #partMade}), and each consumer reads all parts by a {@link WholeQueue}.
 * <p>
 * Thread: any.
 */
final class HomeQueues {
    private final List<? extends Shard> shards;
    private final Set<WholeQueue> attached = ConcurrentHashMap.newKeySet();
    private final Object inOneOrder = new Object(); // all parts of an exclusive queue know who came first

    HomeQueues(List<? extends Shard> shards) {
        this.shards = shards;
    }

    /** Returns the dispatcher of one consumer. @param home of the part that the consumer names */
    DispatcherMailbox dispatcherOf(Home home) {
        return new QueueDispatcher(this, home.dispatcher());
    }

    /**
     * Attaches the consumer to all parts of a queue.
     *
     * @param reader of one part
     * @return null if there is no such part any more
     */
    WholeQueue attach(Consumer consumer, Subscription reader, boolean browses) {
        String queue = reader.address().name();
        List<WholeQueue.Source> parts = parts(queue);
        if (parts.stream().noneMatch(part -> part.reader().equals(reader))) {
            return null;
        }
        WholeQueue whole = new WholeQueue(queue, consumer, browses);
        synchronized (inOneOrder) {
            parts.forEach(whole::add);
        }
        attached.add(whole);
        parts(queue).forEach(whole::add); // those that were made before partMade could find the consumer
        return whole;
    }

    void detached(WholeQueue whole) {
        attached.remove(whole);
    }

    /** Hears that there may be another part of a queue. Thread: any; the catalogue of its shard has it already. */
    void partMade(String queue) {
        for (WholeQueue whole : attached) {
            if (whole.name().equals(queue)) {
                parts(queue).forEach(whole::add);
            }
        }
    }

    /** Returns the parts of a queue: every shard that has a queue of its name has one. */
    private List<WholeQueue.Source> parts(String queue) {
        return shards.stream()
                .map(shard -> {
                    Address part = shard.lookup().find(queue);
                    Subscription reader = part == null || !part.isQueue()
                            ? null
                            : shard.lookup().readerOf(part);
                    return reader == null
                            ? null
                            : new WholeQueue.Source(shard.homeOf(part).dispatcher(), reader);
                })
                .filter(Objects::nonNull)
                .toList();
    }
}
