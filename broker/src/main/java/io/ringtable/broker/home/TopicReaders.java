package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.home.move.CurrentMoves;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * Has consumers of a topic read their subscription in each part of it (ADR 67). A topic that moves has two (ADR 85).
 * Each consumer is attached in the next home as well. The consumer gets nothing from there before its subscription has
 * nothing ready in the old one.
 * <p>
 * Thread: any; {@link HomeQueues} sees to it that a consumer is attached before {@link #received} or after it.
 */
final class TopicReaders {
    /** Bounds the questions of one look: a dispatcher answers so many at once beside its messages. */
    private static final int ASKED_MAX = 256;

    private final List<? extends Shard> shards;
    private final HomeLookup lookup;
    private final CurrentMoves moves;

    TopicReaders(List<? extends Shard> shards, HomeLookup lookup, CurrentMoves moves) {
        this.shards = shards;
        this.lookup = lookup;
        this.moves = moves;
    }

    private boolean isAway(int shard) {
        return shards.get(shard) instanceof AwayShard;
    }

    // ---- coming

    /**
     * Attaches a consumer to its subscription in each part that is here. The link leaves that of its own part.
     *
     * @return false if its own part is not here any more
     */
    boolean attach(WholeQueue whole, Subscription reader) {
        Subscription own = reader;
        if (hasMoved(reader.address())) {
            Address next = lookup.find(whole.name());
            if (reader.isAttendedByName() || next == null || next.isQueue()) {
                whole.end(moved(whole.name()));
                return true;
            }
            own = inPart(next, reader);
        }
        AddressMove move = moves.of(whole.name());
        List<Subscription> all = subscriptions(own);
        if (!all.contains(own)) {
            return false;
        }
        for (Subscription part : all) {
            int shard = ShardIds.shardOf(part.id());
            boolean isLeft = move != null && shard == move.from() && moves.isLeft(whole.name());
            boolean isOfLink = part.equals(reader);
            if (isLeft && !isOfLink) {
                shards.get(shard).homeOf(part.address()).catalog().leave(part); // it is about to end
            } else {
                boolean isNext = move != null && shard == move.to();
                whole.add(source(part, isOfLink), isNext && isHeldBack(move, inShard(all, move.from())));
            }
        }
        return true;
    }

    /** Tells whether the consumers of that part have been given to the next home already, or the part is gone. */
    private boolean hasMoved(Address part) {
        AddressMove move = moves.of(part.name());
        return part.quota().isClosed()
                && (lookup.find(part.id()) == null
                        || move != null
                                && move.from() == HomeParts.shardOf(part)
                                && moves.isReceived(part.name())
                                && !isAway(move.to())); // another node serves its consumers of the next home
    }

    /** Returns why a link ends whose topic has moved on without it. */
    static Refusal moved(String topic) {
        return new Refusal(
                Refusal.Reason.UNAVAILABLE,
                "RT-4653",
                "topic '" + Printable.value(topic) + "' has moved to another shard while the link was attached: attach"
                        + " again. A subscription that is not durable may have missed messages");
    }

    /** Returns the subscription in each part that is here. One that is the consumer's alone is made for the others. */
    private List<Subscription> subscriptions(Subscription reader) {
        if (reader.isAttendedByName()) {
            return lookup.parts(reader).stream()
                    .filter(part -> !isAway(ShardIds.shardOf(part.id()))) // other nodes read theirs
                    .toList();
        }
        return lookup.parts(reader.address()).stream()
                .filter(part -> !isAway(HomeParts.shardOf(part)))
                .filter(part -> part.equals(reader.address()) || !part.quota().isClosed()) // nothing comes there
                .map(part -> part.equals(reader.address()) ? reader : inPart(part, reader))
                .toList();
    }

    private Subscription inPart(Address part, Subscription reader) {
        return lookup.volatileReader(part, reader.clientId(), reader.name(), reader.selector(), reader.noLocal());
    }

    private static Subscription inShard(List<Subscription> all, int shard) {
        return all.stream()
                .filter(each -> ShardIds.shardOf(each.id()) == shard)
                .findFirst()
                .orElse(null);
    }

    private WholeQueue.Source source(Subscription part, boolean isOfLink) {
        Home home = shards.get(ShardIds.shardOf(part.id())).homeOf(part.address());
        return isOfLink || !part.isAttendedByName()
                ? new WholeQueue.Source(home.dispatcher(), part)
                : new WholeQueue.Source(
                        home.dispatcher(), part, () -> home.catalog().leave(part));
    }

    // ---- moves

    /** Tells whether a consumer waits with the next home. @param old null if it reads nothing in the old one */
    private boolean isHeldBack(AddressMove move, Subscription old) {
        return old == null
                ? isAway(move.from()) && moves.isNextWaiting(move.name()) // nobody here knows what the old home has
                : moves.isHeldBack(move.name(), old);
    }

    /** Returns what the consumer reads in the old home; null if it reads nothing there. */
    private static Subscription old(WholeQueue whole, AddressMove move) {
        WholeQueue.Source source = whole.source(move.from());
        return source == null ? null : source.reader();
    }

    /** Has each reader attend the next home, as {@link HomeQueues#received} says. */
    CompletionStage<Void> received(
            AddressMove move,
            List<WholeQueue> readers,
            BiFunction<Subscription, Address, CompletionStage<Subscription>> attend) {
        moves.received(move.name());
        Address next = shards.get(move.to()).lookup().find(move.name());
        Home home = shards.get(move.to()).homeOf(next);
        List<CompletableFuture<Void>> attends = new ArrayList<>();
        for (WholeQueue whole : readers) {
            Subscription old = whole.reads(move.to()) ? null : old(whole, move);
            if (old != null && !old.isStored() && !next.quota().isClosed()) {
                whole.end(moved(move.name())); // it may have missed messages: the next shard stopped, and is back
            } else if (old != null && !old.isAttendedByName()) {
                whole.add(new WholeQueue.Source(home.dispatcher(), inPart(next, old)), true);
            } else if (old != null) {
                attends.add(attend.apply(old, next)
                        .thenAccept(its -> whole.add(
                                new WholeQueue.Source(
                                        home.dispatcher(),
                                        its,
                                        () -> home.catalog().leave(its)),
                                true))
                        .toCompletableFuture());
            }
        }
        return CompletableFuture.allOf(attends.toArray(CompletableFuture[]::new));
    }

    /** Lets those read the next home who may. */
    CompletionStage<Boolean> readNext(AddressMove move, List<WholeQueue> readers) {
        List<Map.Entry<Subscription, DispatcherMailbox>> asked =
                new ArrayList<>(unfinished(move, readers).entrySet());
        Collections.shuffle(asked); // those that are left out have their turn in a later look
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (Map.Entry<Subscription, DispatcherMailbox> each : asked.subList(0, Math.min(asked.size(), ASKED_MAX))) {
            Subscription old = each.getKey();
            answers.add(each.getValue()
                    .owedForLaterOnly(old)
                    .thenAccept(forLater -> note(move, old, forLater))
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all -> {
                    readers.forEach(this::release);
                    return readers.stream()
                            .map(whole -> old(whole, move))
                            .allMatch(old -> old == null || old.isStored() || moves.isOver(move.name(), old));
                });
    }

    /** Returns the subscriptions that may have something left in the old home, with the dispatcher that knows. */
    private Map<Subscription, DispatcherMailbox> unfinished(AddressMove move, List<WholeQueue> readers) {
        CatalogLookup its = shards.get(move.from()).lookup();
        Map<Subscription, DispatcherMailbox> all = new LinkedHashMap<>();
        for (WholeQueue whole : readers) {
            WholeQueue.Source source = whole.source(move.from());
            if (source == null) {
                continue;
            }
            Subscription old = source.reader();
            if (old.isStored() && its.isReplaying(old)) {
                continue; // more of what is kept comes, whatever it owes now
            }
            if (old.isStored() && its.owedBy(old) == 0) {
                moves.emptied(move.name(), old);
            } else if (old.isStored() ? moves.isHeldBack(move.name(), old) : !moves.isOver(move.name(), old)) {
                all.put(old, source.dispatcher());
            }
        }
        return all;
    }

    private void note(AddressMove move, Subscription old, long forLater) {
        boolean isAll =
                !old.isStored() || forLater == shards.get(move.from()).lookup().owedBy(old);
        if (forLater >= 0 && isAll) { // the dispatcher has heard of all that is owed
            moves.emptied(move.name(), old);
        }
        if (forLater == 0 && !old.isStored()) {
            moves.over(move.name(), old);
        }
    }

    /** Gives the consumer what the next home has, if it may have it now. */
    void release(WholeQueue whole) {
        AddressMove move = moves.of(whole.name());
        if (move == null || !isHeldBack(move, old(whole, move))) {
            whole.release();
        }
    }
}
