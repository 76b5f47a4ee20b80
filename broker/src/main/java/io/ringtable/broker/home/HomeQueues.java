package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.home.move.CurrentMoves;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Has each consumer of a stored queue, and of a topic with parts, read all parts that are there by a
 * {@link WholeQueue}. Each shard may have a part of a queue, get one later ({@link #partMade}), or come back with one
 * ({@link #back}). So consumers of queues are known here. A topic has all its parts when the first consumer comes, and
 * none comes while one of them is away.
 * <p>
 * Every part gets its consumers in the order in which they came. So all parts of what is exclusive serve the same one.
 * <p>
 * Thread: any, under the lock of this object; nothing under it blocks.
 */
final class HomeQueues {
    private final List<? extends Shard> shards;
    private final HomeLookup lookup;
    private final CurrentMoves moves;
    private final Set<WholeQueue> attached = new LinkedHashSet<>(); // in the order in which they came
    private final boolean[] given; // shards whose parts are given to all that are attached, by number

    HomeQueues(List<? extends Shard> shards, HomeLookup lookup, CurrentMoves moves) {
        this.shards = shards;
        this.lookup = lookup;
        this.moves = moves;
        this.given = new boolean[shards.size()];
        Arrays.fill(given, true);
    }

    /** Returns the dispatcher of one consumer. @param home of the part that the consumer names */
    DispatcherMailbox dispatcherOf(Home home) {
        return new QueueDispatcher(this, home.dispatcher());
    }

    /**
     * Attaches the consumer to all parts.
     *
     * @param reader of one part
     * @return null if there is no such part of a queue any more
     */
    synchronized WholeQueue attach(Consumer consumer, Subscription reader, boolean browses) {
        if (!reader.address().isQueue()) {
            return attachToTopic(consumer, reader);
        }
        String queue = reader.address().name();
        WholeQueue whole = new WholeQueue(queue, consumer, browses);
        List<WholeQueue.Source> all = parts(queue, true);
        boolean hasMoved = reader.address().quota().isClosed() && !all.isEmpty(); // since the consumer found it
        if (!hasMoved && all.stream().noneMatch(part -> part.reader().equals(reader))) {
            return null;
        }
        partsFor(whole).forEach(whole::add);
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
                partsFor(whole).forEach(whole::add);
            }
        }
    }

    /** Hears that a queue ends in that shard, as it has moved. Its consumers stay, and get what the next shard has. */
    synchronized void leaves(String queue, int shard) {
        for (WholeQueue whole : attached) {
            if (whole.name().equals(queue)) {
                whole.leaves(shard);
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
                partsFor(whole).forEach(whole::add);
            }
        }
    }

    /** Returns the parts that the consumer reads now. A browser is shown all of a queue that moves. */
    private List<WholeQueue.Source> partsFor(WholeQueue whole) {
        return parts(whole.name(), whole.browses());
    }

    /**
     * Returns the parts of a queue that are there: every shard that has a queue of its name has one.
     *
     * @param evenHeldBack also what consumers get later, as the queue moves
     */
    private List<WholeQueue.Source> parts(String queue, boolean evenHeldBack) {
        return IntStream.range(0, given.length)
                .filter(number -> given[number] && !(shards.get(number) instanceof AwayShard))
                .filter(number -> evenHeldBack || !moves.isHeldBack(queue, number))
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

    // ---- topics

    /** Attaches the consumer to its subscription in each part. The consumer's link leaves that of its own part. */
    private WholeQueue attachToTopic(Consumer consumer, Subscription reader) {
        WholeQueue whole = new WholeQueue(reader.address().name(), consumer, false);
        subscriptions(reader).forEach(part -> whole.add(source(part, part.equals(reader))));
        return whole;
    }

    /** Returns the subscription in each part. One that is the consumer's alone is made here for the other parts. */
    private List<Subscription> subscriptions(Subscription reader) {
        if (reader.isAttendedByName()) {
            return lookup.parts(reader);
        }
        return lookup.parts(reader.address()).stream()
                .filter(part ->
                        !(shards.get(ShardIds.shardOf(part.id())) instanceof AwayShard)) // other nodes read theirs
                .map(part -> part.equals(reader.address())
                        ? reader
                        : shards.get(ShardIds.shardOf(part.id()))
                                .lookup()
                                .volatileReader(
                                        part, reader.clientId(), reader.name(), reader.selector(), reader.noLocal()))
                .toList();
    }

    private WholeQueue.Source source(Subscription part, boolean isOfLink) {
        Home home = shards.get(ShardIds.shardOf(part.id())).homeOf(part.address());
        return isOfLink || !part.isAttendedByName()
                ? new WholeQueue.Source(home.dispatcher(), part)
                : new WholeQueue.Source(
                        home.dispatcher(), part, () -> home.catalog().leave(part));
    }
}
