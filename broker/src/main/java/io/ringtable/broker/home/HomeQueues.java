package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.home.move.AddressMoves;
import io.ringtable.broker.home.move.CurrentMoves;
import io.ringtable.broker.message.Address;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Has each consumer of a stored queue or topic read all parts that are there by a {@link WholeQueue}. Each shard may
 * have a part of a queue, get one later ({@link #partMade}), or come back with one ({@link #back}). A topic with parts
 * has all of them when the first consumer comes, and none comes while one of them is away. A queue or a topic may move.
 * So all consumers are known here.
 * <p>
 * Every part gets its consumers in the order in which they came. So all parts of what is exclusive serve the same one.
 * <p>
 * Thread: any, under the lock of this object; nothing under it blocks.
 */
final class HomeQueues implements AddressMoves.Consumers {
    private final List<? extends Shard> shards;
    private final CurrentMoves moves;
    private final TopicReaders topics;
    private final Set<WholeQueue> attached = new LinkedHashSet<>(); // in the order in which they came
    private final boolean[] given; // shards whose parts are given to all that are attached, by number

    HomeQueues(List<? extends Shard> shards, HomeLookup lookup, CurrentMoves moves) {
        this.shards = shards;
        this.moves = moves;
        this.topics = new TopicReaders(shards, lookup, moves);
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
     * @return null if there is no such part any more
     */
    synchronized WholeQueue attach(Consumer consumer, Subscription reader, boolean browses) {
        if (!reader.address().isQueue()) {
            WholeQueue topic = WholeQueue.ofTopic(reader.address().name(), consumer);
            if (!topics.attach(topic, reader)) {
                return null;
            }
            attached.add(topic);
            return topic;
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

    /**
     * Hears that there may be another part of a queue; the catalogue of its shard has it already. Or that a topic has
     * moved on.
     */
    @Override
    public synchronized void partMade(String name) {
        for (WholeQueue whole : attached) {
            if (whole.name().equals(name) && whole.isOfQueue()) {
                partsFor(whole).forEach(whole::add);
            } else if (whole.name().equals(name)) {
                topics.release(whole);
            }
        }
    }

    @Override
    public synchronized void leaves(AddressMove move) {
        for (WholeQueue whole : attached) {
            boolean staysHere = whole.isOfQueue() || whole.reads(move.to());
            if (whole.name().equals(move.name()) && staysHere) {
                whole.leaves(move.from());
            } else if (whole.name().equals(move.name())) {
                whole.end(TopicReaders.moved(move.name()));
            }
        }
    }

    private List<WholeQueue> ofTopic(String name) {
        return attached.stream()
                .filter(whole -> whole.name().equals(name) && !whole.isOfQueue())
                .toList();
    }

    @Override
    public synchronized CompletionStage<Void> received(
            AddressMove move, BiFunction<Subscription, Address, CompletionStage<Subscription>> attend) {
        return topics.received(move, ofTopic(move.name()), attend);
    }

    @Override
    public CompletionStage<Boolean> readNext(AddressMove move) {
        List<WholeQueue> readers;
        synchronized (this) {
            readers = ofTopic(move.name());
        }
        return topics.readNext(move, readers);
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
            if (whole.isOfQueue() && shards.get(shard).lookup().find(whole.name()) != null) {
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
}
