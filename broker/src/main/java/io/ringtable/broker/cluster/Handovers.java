package io.ringtable.broker.cluster;

import io.ringtable.broker.cluster.Handover.Step;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeRow;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Takes the steps of handovers between this node and others. There is one at a time in the cluster, by the version of
 * one row of the directory. A node offers a shard, the other one accepts, the first one stops the shard, and the other
 * takes it.
 * <p>
 * A handover that stands still is over after a while, whichever node has died. So nobody waits for a shard for longer.
 * <p>
 * Thread: cluster-keeper; any asks what is known, and for a move. Failure: a directory that does not answer is asked
 * again at the next turn, and no shard is handed over.
 */
final class Handovers {
    private static final long PATIENCE_MS_MIN = 5_000;
    private static final int MOVES_MAX = 100; // that wait for their turn

    /** Does what a step needs of the shards of this node. */
    interface Shards extends BroughtShards.Node {
        /** Begins to hand the shard over, if it is served; asked again until it is gone. @param to id of the taker */
        void handOver(int shard, String to);

        /** Hears that another node is about to let go of a shard in favour of this one. */
        void expect();
    }

    /** Notes since when, by this node's clock, the row says what it says. */
    private record Known(Handover handover, long since) {}

    private record Move(int shard, String from, String to, CompletableFuture<Void> asked) {}

    private record Offer(int shard, String to) {}

    private final BroughtShards brought;
    private final Shards shards;
    private final long beatNanos;
    private final long patienceNanos;
    private final LongSupplier nanoTime;
    private final ConcurrentLinkedQueue<Move> moves = new ConcurrentLinkedQueue<>();
    private final Map<Offer, Long> refused = new HashMap<>(); // until when; cluster-keeper's, as the next
    private long version; // of the directory
    private String self; // before the first turn, as the next two
    private DirectoryStore store;
    private Consumer<HomeRow> onRow;
    private volatile Known known = new Known(Handover.NONE, 0); // written by cluster-keeper, read by any

    /** @param answers tells those who wait for a shard that it is here */
    Handovers(Shards shards, Duration lease, long beatNanos, LongSupplier nanoTime, Executor answers) {
        this.shards = shards;
        this.beatNanos = beatNanos;
        this.patienceNanos = Math.max(TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS_MIN), lease.toNanos());
        this.nanoTime = nanoTime;
        this.brought = new BroughtShards(shards, beatNanos, nanoTime, answers);
    }

    /** @param itsOnRow hears of each row that any node has changed */
    void in(DirectoryStore itsStore, String nodeId, Consumer<HomeRow> itsOnRow) {
        onRow = itsOnRow;
        store = itsStore;
        self = nodeId;
    }

    // ---- for any thread

    /** Tells whether this node may ask for the shard now: it is not on its way to another one. */
    boolean mayAsk(int shard) {
        Known now = known;
        Handover handover = now.handover();
        return !handover.isUnderWay()
                || handover.shard() != shard
                || handover.to().equals(self)
                || nanoTime.getAsLong() - now.since() > patienceNanos;
    }

    /** Tells whether another node is about to let go of the shard in favour of this one. */
    boolean expects(int shard) {
        Handover handover = known.handover();
        return handover.step() == Step.ACCEPTED
                && handover.shard() == shard
                && handover.to().equals(self);
    }

    /** Tells whether this node takes part in a handover, or wants to. Its next step may come at any moment. */
    boolean takesPart() {
        Handover handover = known.handover();
        return brought.isAny()
                || handover.isUnderWay()
                        && (handover.from().equals(self) || handover.to().equals(self));
    }

    /** Returns the shards that come here for a while. */
    BroughtShards brought() {
        return brought;
    }

    /** Tells whether the next turn may begin to bring a shard here, so that it needs to know who has which. */
    boolean isAboutToBring() {
        return known.handover().step() == Step.OVER && brought.wants();
    }

    /**
     * Has a shard go to another node.
     *
     * @return completes when the shard is offered; refused while another one is under way
     */
    CompletionStage<Void> move(int shard, String from, String to) {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        if (moves.size() >= MOVES_MAX) {
            asked.completeExceptionally(isBusy(known.handover()));
        } else {
            moves.add(new Move(shard, from, to, asked));
        }
        return asked;
    }

    // ---- for cluster-keeper

    /** Takes the next step, if it is this node's. @param balance null while this node does not see the others */
    void turn(ShardBalance balance) {
        brought.look(known.handover(), self); // also while the directory is away
        try {
            follow();
            Handover now = known.handover();
            boolean isStale = nanoTime.getAsLong() - known.since() > patienceNanos;
            if (now.step() == Step.OVER) {
                begin(now, balance);
            } else if (isStale) {
                put(now.at(Step.OVER));
            } else if (now.to().equals(self)) {
                take(now);
            } else if (now.from().equals(self)) {
                give(now, balance);
            }
        } finally {
            refuseMoves();
        }
    }

    private void begin(Handover last, ShardBalance balance) {
        Move move = moves.poll();
        if (move != null) {
            Handover wanted = last.followedBy(move.shard(), move.from(), move.to());
            try {
                put(wanted);
            } catch (RuntimeException failure) {
                move.asked().completeExceptionally(failure);
                throw failure;
            }
            if (says(wanted)) {
                move.asked().complete(null);
            } else {
                move.asked().completeExceptionally(isBusy(known.handover()));
            }
        } else if (balance != null && !bring(last, balance)) {
            long now = nanoTime.getAsLong();
            refused.values().removeIf(until -> until - now < 0);
            balance.gift(self, (shard, to) -> brought.keeps(shard) || refused.containsKey(new Offer(shard, to)))
                    .ifPresent(gift -> put(last.followedBy(gift.shard(), self, gift.to())));
        }
    }

    /** Offers a shard to this node in the name of its owner. @return false if none is wanted, or nobody has it */
    private boolean bring(Handover last, ShardBalance balance) {
        BroughtShards.Next next = brought.wants() ? brought.next(balance.owners(), self) : null;
        if (next == null) {
            return false;
        }
        Handover wanted = last.followedBy(next.shard(), next.giver(), self);
        put(wanted);
        if (says(wanted)) {
            brought.offered(next.shard(), next.giver());
        }
        return true;
    }

    private boolean says(Handover wanted) {
        Handover now = known.handover();
        return now.step() == wanted.step()
                && now.shard() == wanted.shard()
                && now.from().equals(wanted.from())
                && now.to().equals(wanted.to());
    }

    private void take(Handover now) {
        if (!shards.mayTake(now.shard())) {
            put(now.at(Step.DECLINED)); // also what it has accepted: the giver serves the shard again
        } else if (now.step() == Step.OFFERED) {
            put(now.at(Step.ACCEPTED));
            shards.expect();
        } else if (now.step() == Step.ACCEPTED && shards.serves(now.shard())) {
            if (!brought.brings(now.shard())) {
                put(now.at(Step.OVER));
            } else if (nanoTime.getAsLong() - known.since() > patienceNanos / 2) {
                put(now); // all nodes wait anew: nothing else is handed over while an address begins to move
            }
        }
    }

    private void give(Handover now, ShardBalance balance) {
        long waited = nanoTime.getAsLong() - known.since();
        if (now.step() == Step.DECLINED || now.step() == Step.OFFERED && waited > 3 * beatNanos) {
            refused.put(new Offer(now.shard(), now.to()), nanoTime.getAsLong() + 12 * patienceNanos);
            put(now.at(Step.OVER));
        } else if (now.step() == Step.ACCEPTED && waited > beatNanos) { // by now all nodes know, and leave it alone
            if (!shards.serves(now.shard())
                    && balance != null
                    && !balance.nodes().contains(now.to())) {
                put(now.at(Step.OVER)); // nobody is to wait for a node that has gone meanwhile
            } else {
                shards.handOver(now.shard(), now.to());
            }
        }
    }

    private void refuseMoves() {
        if (known.handover().step() != Step.OVER) {
            for (Move move = moves.poll(); move != null; move = moves.poll()) {
                move.asked().completeExceptionally(isBusy(known.handover()));
            }
        }
    }

    private static Refusal.Refused isBusy(Handover now) {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.LIMIT,
                "RT-4605",
                "shard " + now.shard() + " is being handed over, and there is one handover at a time: try again"));
    }

    private void follow() {
        DirectoryStore.Changes changes = store.changes(version);
        changes.rows().forEach(onRow);
        changes.rows().stream().map(Handover::of).filter(Objects::nonNull).forEach(this::know);
        version = changes.version();
    }

    private void put(Handover next) {
        List<Handover> now = store.alter(List.of(next.change())).rows().stream()
                .map(Handover::of)
                .filter(Objects::nonNull)
                .toList();
        now.forEach(this::know);
    }

    private void know(Handover handover) {
        if (!handover.equals(known.handover())) {
            known = new Known(handover, nanoTime.getAsLong());
        }
    }
}
