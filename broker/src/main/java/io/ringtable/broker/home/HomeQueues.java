package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.message.Address;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Knows the consumers of stored queues. Each shard may have a part of such a queue, get one later ({@link #partMade}),
 * or come back with one ({@link #back}). Each consumer reads all parts that are there by a {@link WholeQueue}.
 * <p>
 * Every part gets its consumers in the order in which they came to the queue. So all parts of an exclusive queue serve
 * the same one.
 * <p>
 * Thread: any, under the lock of this object; nothing under it blocks.
 */
final class HomeQueues {
    private final List<? extends Shard> shards;
    private final Set<WholeQueue> attached = new LinkedHashSet<>(); // in the order in which they came
    private final boolean[] given; // shards whose parts are given to all that are attached, by number

    HomeQueues(List<? extends Shard> shards) {
        this.shards = shards;
        this.given = new boolean[shards.size()];
        Arrays.fill(given, true);
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
    synchronized WholeQueue attach(Consumer consumer, Subscription reader, boolean browses) {
        String queue = reader.address().name();
        List<WholeQueue.Source> parts = parts(queue);
        if (parts.stream().noneMatch(part -> part.reader().equals(reader))) {
            return null;
        }
        WholeQueue whole = new WholeQueue(queue, consumer, browses);
        parts.forEach(whole::add);
        attached.add(whole);
        return whole;
    }

    synchronized void detached(WholeQueue whole) {
        attached.remove(whole);
    }

    /** Hears that there may be another part of a queue; the catalogue of its shard has it already. */
    synchronized void partMade(String queue) {
        for (WholeQueue whole : attached) {
            if (whole.name().equals(queue)) {
                parts(queue).forEach(whole::add);
            }
        }
    }

    /** Hears that a shard is away. Once it is there again, nobody gets its parts before {@link #back}. */
    synchronized void away(int shard) {
        given[shard] = false;
    }

    /** Tells whether a shard is away, or has not yet given its parts since. */
    synchronized boolean isAway(int shard) {
        return !given[shard];
    }

    /** Hears that a shard is there again, with its parts. */
    synchronized void back(int shard) {
        given[shard] = true;
        for (WholeQueue whole : attached) {
            if (shards.get(shard).lookup().find(whole.name()) != null) {
                parts(whole.name()).forEach(whole::add);
            }
        }
    }

    /** Returns the parts of a queue that are there: every shard that has a queue of its name has one. */
    private List<WholeQueue.Source> parts(String queue) {
        return IntStream.range(0, given.length)
                .filter(number -> given[number] && !(shards.get(number) instanceof AwayShard))
                .<Shard>mapToObj(shards::get)
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
