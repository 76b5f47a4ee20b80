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
 * Takes to each dispatcher what consumers of its shard say. A consumer of a queue with parts is known to all
 * dispatchers, to each as a consumer of its part.
 * <p>
 * Thread: any, as {@link DispatcherMailbox} has it.
 */
final class HomeDispatcher implements DispatcherMailbox {
    private final List<? extends Shard> shards;
    private final Map<Consumer, DispatcherMailbox> ofOneHome = new ConcurrentHashMap<>(); // those that are attached
    private final Map<Consumer, WholeQueue> ofParts = new ConcurrentHashMap<>();

    HomeDispatcher(List<? extends Shard> shards) {
        this.shards = shards;
    }

    private DispatcherMailbox of(Subscription subscription) {
        return shards.get(ShardIds.shardOf(subscription.address().id())).dispatcher();
    }

    /** Returns the consumer as the dispatcher of the delivery knows it. */
    private Consumer known(Consumer consumer, Delivery delivery) {
        if (ofParts.isEmpty()) {
            return consumer;
        }
        WholeQueue whole = ofParts.get(consumer);
        return whole == null ? consumer : whole.part(delivery.subscription());
    }

    @Override
    public void attach(Consumer consumer, Subscription subscription) {
        List<WholeQueue.Source> parts = parts(subscription);
        if (parts.size() > 1) {
            WholeQueue whole = new WholeQueue(consumer, parts);
            ofParts.put(consumer, whole);
            whole.attach();
        } else {
            ofOneHome.put(consumer, of(subscription));
            of(subscription).attach(consumer, subscription);
        }
    }

    @Override
    public void browse(Consumer consumer, Subscription subscription) {
        List<WholeQueue.Source> parts = parts(subscription);
        if (parts.size() > 1) {
            WholeQueue whole = new WholeQueue(consumer, parts);
            ofParts.put(consumer, whole);
            whole.browse();
        } else {
            ofOneHome.put(consumer, of(subscription));
            of(subscription).browse(consumer, subscription);
        }
    }

    /** Returns the parts of a queue: every shard that has an address of its name has one. */
    private List<WholeQueue.Source> parts(Subscription subscription) {
        Address address = subscription.address();
        if (!address.isQueue() || address.isTemporary()) {
            return List.of();
        }
        return shards.stream()
                .map(shard -> {
                    Address part = shard.lookup().find(address.name());
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
        WholeQueue whole = ofParts.get(consumer);
        if (whole != null) {
            whole.credit(limit, drain);
            return;
        }
        DispatcherMailbox home = ofOneHome.get(consumer);
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
        WholeQueue whole = ofParts.remove(consumer);
        if (whole != null) {
            whole.detach(unsettled, lost);
            return;
        }
        DispatcherMailbox home = ofOneHome.remove(consumer);
        if (home != null) {
            home.detach(consumer, unsettled, lost);
        }
    }
}
