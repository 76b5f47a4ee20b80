package io.ringtable.broker.home.move;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.ClientOwners;
import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Takes the steps of moves that topics have and queues do not. A topic goes with its subscriptions, and each of them is
 * emptied by itself (ADR 85).
 * <p>
 * Thread: any. Steps of one topic follow each other.
 */
final class TopicMoves {
    /** The time after which a look is given up: a dispatcher that has ended does not answer. */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final List<? extends Shard> shards;
    private final Consumers consumers;
    private final Subscriptions subscriptions;
    private final Map<String, Long> looked = new ConcurrentHashMap<>(); // when, of topics without an answer yet

    /** Knows who reads a topic. */
    interface Consumers {
        /**
         * Has all consumers of the old home attach in the next one, where they get nothing yet. So a subscription that
         * lives in memory misses nothing.
         *
         * @param attend attends the subscription of the same name in the next home
         * @return completes once all are attached
         */
        CompletionStage<Void> received(
                AddressMove move, BiFunction<Subscription, Address, CompletionStage<Subscription>> attend);

        /**
         * Lets consumers read the next home whose subscriptions have nothing ready in the old one.
         *
         * @return whether no subscription that lives in memory has anything left there
         */
        CompletionStage<Boolean> readNext(AddressMove move);
    }

    /** Knows the subscriptions of topics, and changes them. */
    interface Subscriptions {
        /** Takes a step while nobody changes a subscription of the topic. */
        <T> CompletionStage<T> alone(String topic, Supplier<CompletionStage<T>> step);

        /** Attends the subscription that a link of the old home attends there. */
        CompletionStage<Subscription> attendNext(Subscription old, Address next);

        /** Tells the directory in which shards these are. Never fails. */
        CompletionStage<Void> agree(Collection<Subscription> durable);
    }

    TopicMoves(List<? extends Shard> shards, Consumers consumers, Subscriptions subscriptions) {
        this.shards = shards;
        this.consumers = consumers;
        this.subscriptions = subscriptions;
    }

    private CatalogMailbox catalog(int shard) {
        return shards.get(shard).catalog();
    }

    /** Takes a step while nobody changes a subscription of the topic. */
    <T> CompletionStage<T> alone(AddressMove move, Supplier<CompletionStage<T>> step) {
        return subscriptions.alone(move.name(), step);
    }

    // ---- to the next home

    /**
     * Closes the topic at its old home, and gives it to the next one with its subscriptions. Their owners come first,
     * each in a transaction of its own.
     *
     * @return the topic there, which is closed unless it was there before
     */
    CompletionStage<Address> give(AddressMove move, Address old) {
        CompletionStage<Void> owned = CompletableFuture.completedFuture(null);
        for (Map.Entry<String, String> each : owners(move.from(), old).entrySet()) {
            owned = owned.thenCompose(done -> catalog(move.to()).own(each.getKey(), each.getValue()));
        }
        return owned.thenCompose(done -> catalog(move.from()).close(old))
                .thenCompose(moving -> catalog(move.to()).receive(moving));
    }

    /** Has consumers attach at the next home, and then opens it for messages. */
    CompletionStage<Void> open(AddressMove move, Address old, Address next) {
        return consumers
                .received(move, subscriptions::attendNext)
                .thenCompose(attached -> subscriptions.agree(durable(move.from(), old)))
                .thenCompose(agreed -> catalog(move.to()).reopen(next));
    }

    /** Takes back what the next home knows of owners, as it does not get the topic. Never fails. */
    CompletionStage<Void> takeBack(AddressMove move, Address old) {
        return disown(move.to(), owners(move.from(), old).keySet());
    }

    private List<Subscription> durable(int shard, Address topic) {
        return shards.get(shard).lookup().subscriptionsOf(topic).stream()
                .filter(each -> each.isStored() && !each.isRetention())
                .toList();
    }

    /** Returns who owns client ids and global subscriptions of the topic, by the key of each. */
    private Map<String, String> owners(int shard, Address topic) {
        CatalogLookup lookup = shards.get(shard).lookup();
        Map<String, String> owners = new LinkedHashMap<>();
        for (Subscription each : durable(shard, topic)) {
            String key = ClientOwners.keyOf(each.clientId(), each.name());
            String owner = each.clientId().isEmpty() ? lookup.ownerOf(each) : lookup.ownerOf(each.clientId());
            if (owner != null) {
                owners.put(key, owner);
            }
        }
        return owners;
    }

    /** Has a shard forget owners of whom it has no subscription. A change that fails is left out. */
    private CompletionStage<Void> disown(int shard, Collection<String> keys) {
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (String key : keys) {
            all = all.thenCompose(done -> catalog(shard).own(key, null)).exceptionally(stays -> null);
        }
        return all;
    }

    // ---- from the old one

    /** Says what an old home has left. */
    enum Left {
        /** Means that subscriptions are owed something, or another look is on. */
        MORE,
        /** Means only what later subscriptions may ask for. */
        KEPT,
        NOTHING
    }

    /** Looks how far each subscription is. */
    CompletionStage<Left> look(AddressMove move, Address old) {
        long now = System.nanoTime();
        Long before = looked.get(move.name());
        if (before != null && now - before < ANSWER_NANOS) {
            return CompletableFuture.completedFuture(Left.MORE);
        }
        looked.put(move.name(), now);
        return consumers
                .readNext(move)
                .thenApply(isRead -> isRead ? left(move, old) : Left.MORE)
                .whenComplete((any, failure) -> looked.remove(move.name()));
    }

    private Left left(AddressMove move, Address old) {
        CatalogLookup lookup = shards.get(move.from()).lookup();
        boolean isOwing = durable(move.from(), old).stream()
                .anyMatch(each -> lookup.isReplaying(each) || lookup.owedBy(each) > 0);
        if (isOwing) {
            return Left.MORE;
        }
        RetainedMessages kept = lookup.retained(old);
        return kept == null || kept.messages() == 0 ? Left.NOTHING : Left.KEPT;
    }

    // ---- what is kept

    /** Returns the word that tells how much of what the topic may keep the next home uses. */
    RetentionWord used(AddressMove move) {
        CatalogLookup lookup = shards.get(move.to()).lookup();
        Address next = lookup.find(move.name());
        RetainedMessages kept = next == null ? null : lookup.retained(next);
        return kept == null ? RetentionWord.NONE : new RetentionWord(false, kept.eighthsUsed());
    }

    /** Has the old home keep what the next one leaves. A shard that has come back is told again. */
    void keepBeside(Address old, RetentionWord word) {
        int shard = ShardIds.shardOf(old.id());
        RetainedMessages kept = shards.get(shard).lookup().retained(old);
        if (kept != null && kept.elsewhere() < word.used()) {
            catalog(shard).keepBeside(old, word.used()).exceptionally(ended -> null); // a later look asks again
        }
    }

    /** Tells the directory that the subscriptions are in the next home. Never fails. */
    CompletionStage<Void> agree(AddressMove move, Address next) {
        return subscriptions.agree(durable(move.to(), next));
    }

    /** Deletes the topic at its old home, unless that owes something. The directory hears of the subscriptions. */
    CompletionStage<Void> leave(AddressMove move, Address old) {
        List<Subscription> durable = durable(move.from(), old);
        Set<String> keys = owners(move.from(), old).keySet();
        return catalog(move.from())
                .deleteStored(old, false)
                .thenCompose(deleted -> subscriptions.agree(durable))
                .thenCompose(agreed -> disown(move.from(), keys));
    }
}
