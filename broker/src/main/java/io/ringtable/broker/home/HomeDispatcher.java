package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.work.Completion;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Takes to each dispatcher what consumers of its shard say. A consumer of a stored queue goes by way of a
 * {@link WholeQueue}. Each shard may have a part of the queue, or get one later ({@link #partMade}).
 * <p>
 * Thread: any, as {@link DispatcherMailbox} has it.
 */
final class HomeDispatcher implements DispatcherMailbox {
    private final List<? extends Shard> shards;
    private final Map<Consumer, WholeQueue> ofQueues = new ConcurrentHashMap<>(); // those that are attached
    private final Object inOneOrder = new Object(); // all parts of an exclusive queue know who came first
    private final Map<Consumer, DispatcherMailbox> ofOthers = new ConcurrentHashMap<>(); // topics, what is in memory

    HomeDispatcher(List<? extends Shard> shards) {
        this.shards = shards;
    }

    private DispatcherMailbox of(Subscription subscription) {
        return shards.get(ShardIds.shardOf(subscription.address().id())).dispatcher();
    }

    /** Returns the consumer as the dispatcher of the delivery knows it. */
    private Consumer known(Consumer consumer, Delivery delivery) {
        WholeQueue whole = ofQueues.get(consumer);
        return whole == null ? consumer : whole.part(delivery.subscription());
    }

    @Override
    public void attach(Consumer consumer, Subscription subscription) {
        if (!readsParts(consumer, subscription, false)) {
            ofOthers.put(consumer, of(subscription));
            of(subscription).attach(consumer, subscription);
        }
    }

    @Override
    public void browse(Consumer consumer, Subscription subscription) {
        if (!readsParts(consumer, subscription, true)) {
            ofOthers.put(consumer, of(subscription));
            of(subscription).browse(consumer, subscription);
        }
    }

    /** Attaches the consumer to all parts of a stored queue. @return false if it reads something else, or nothing */
    private boolean readsParts(Consumer consumer, Subscription subscription, boolean browses) {
        Address queue = subscription.address();
        List<WholeQueue.Source> parts = queue.isQueue() && !queue.isTemporary() ? parts(queue.name()) : List.of();
        if (parts.stream().noneMatch(part -> part.reader().equals(subscription))) {
            return false; // its dispatcher refuses a queue that was deleted meanwhile
        }
        WholeQueue whole = new WholeQueue(queue.name(), consumer, browses);
        synchronized (inOneOrder) {
            parts.forEach(whole::add);
        }
        ofQueues.put(consumer, whole);
        parts(queue.name()).forEach(whole::add); // those that were made before partMade could find the consumer
        return true;
    }

    /** Hears that there may be another part of a queue. Thread: any; the catalogue of its shard has it already. */
    void partMade(String queue) {
        for (WholeQueue whole : ofQueues.values()) {
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
                    return reader == null ? null : new WholeQueue.Source(shard.dispatcher(), reader);
                })
                .filter(Objects::nonNull)
                .toList();
    }

    @Override
    public void credit(Consumer consumer, long limit, boolean drain) {
        WholeQueue whole = ofQueues.get(consumer);
        if (whole != null) {
            whole.credit(limit, drain);
            return;
        }
        DispatcherMailbox home = ofOthers.get(consumer);
        if (home != null) {
            home.credit(consumer, limit, drain);
        }
    }

    @Override
    public void accepted(Consumer consumer, Delivery delivery, Completion completion) {
        of(delivery.subscription()).accepted(known(consumer, delivery), delivery, completion);
    }

    @Override
    public Enlisted enlist(Consumer consumer, Delivery delivery) {
        return of(delivery.subscription()).enlist(known(consumer, delivery), delivery);
    }

    @Override
    public void committed(Enlisted enlisted) {
        of(enlisted.delivery().subscription()).committed(enlisted);
    }

    @Override
    public void rolledBack(Enlisted enlisted, boolean failed) {
        of(enlisted.delivery().subscription()).rolledBack(enlisted, failed);
    }

    @Override
    public void released(Consumer consumer, Delivery delivery) {
        of(delivery.subscription()).released(known(consumer, delivery), delivery);
    }

    @Override
    public void modified(Consumer consumer, Delivery delivery, boolean failed, boolean notHere) {
        of(delivery.subscription()).modified(known(consumer, delivery), delivery, failed, notHere);
    }

    @Override
    public void rejected(Consumer consumer, Delivery delivery, String reason) {
        of(delivery.subscription()).rejected(known(consumer, delivery), delivery, reason);
    }

    @Override
    public void detach(Consumer consumer, List<Delivery> unsettled, boolean lost) {
        WholeQueue whole = ofQueues.remove(consumer);
        if (whole != null) {
            whole.detach(unsettled, lost);
            return;
        }
        DispatcherMailbox home = ofOthers.remove(consumer);
        if (home != null) {
            home.detach(consumer, unsettled, lost);
        }
    }
}
