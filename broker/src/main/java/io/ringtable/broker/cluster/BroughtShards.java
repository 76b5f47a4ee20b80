package io.ringtable.broker.cluster;

import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Keeps which shards of other nodes are to come here for a while, so that addresses move between them and own ones
 * (ADR 87). Says which one is next, and which ones the balance leaves here meanwhile.
 * <p>
 * All of it is in memory: a node that dies leaves nothing. Each step has an end in time.
 * <p>
 * Thread: cluster-keeper; any asks for a shard, lets it go, and asks what is waited for.
 */
final class BroughtShards {
    private static final int WISHES_MAX = 100;
    /** Is less than the relay waits that has brought the request here. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(24);
    /** Bounds how long the beginning of a move keeps a shard here. */
    private static final long BEGIN_NANOS = TimeUnit.SECONDS.toNanos(24);
    /** Bounds how long a move keeps it that has begun: most are over by then, and their consumers have both shards. */
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500); // after a look that found no giver

    /** Tells what a wish depends on. */
    interface Node {
        /** Tells whether this node serves the shard. */
        boolean serves(int shard);

        /** Tells whether the node may take the shard: it goes on, and has not failed to serve it. */
        boolean mayTake(int shard);

        /** Tells whether the move is under way, as this node knows. */
        boolean isUnderWay(AddressMove move);

        /** Names a node for people. */
        String named(String nodeId);
    }

    /** Wants one shard of a move, as this node has the other one. */
    private static final class Wish {
        private final AddressMove move;
        private final int shard;
        private final int own;
        private final CompletableFuture<Runnable> there = new CompletableFuture<>();
        private volatile String giver; // null before the first offer; read for people
        private volatile boolean isLeft; // by those who wanted it
        private long deadline; // cluster-keeper's once the wish is handed in, as the next ones
        private long failedAt; // when the offer ended without the shard
        private boolean isOffered;
        private boolean isThere;
        private boolean isEnding;

        Wish(AddressMove move, int shard, int own, long deadline) {
            this.move = move;
            this.shard = shard;
            this.own = own;
            this.deadline = deadline;
        }
    }

    /** Is the next shard to be offered to this node. @param giver id of the node that has it */
    record Next(int shard, String giver) {}

    private final Node node;
    private final long beatNanos;
    private final LongSupplier nanoTime;
    private final Executor answers;
    private final Queue<Wish> wishes = new ConcurrentLinkedQueue<>();
    private long quietUntil; // cluster-keeper's

    /** @param answers tells those who wait, for whom the cluster-keeper has no time */
    BroughtShards(Node node, long beatNanos, LongSupplier nanoTime, Executor answers) {
        this.answers = answers;
        this.node = node;
        this.beatNanos = beatNanos;
        this.nanoTime = nanoTime;
        this.quietUntil = nanoTime.getAsLong();
    }

    // ---- for any thread

    /**
     * Has the shard of a move come that another node serves.
     *
     * @return completes with what lets the shard go again, once this node serves both; null if it serves neither now.
     *     Refused with RT-4649 to RT-4652 if the shard does not come
     */
    CompletionStage<Runnable> bring(AddressMove move) {
        boolean hasFrom = node.serves(move.from());
        if (!hasFrom && !node.serves(move.to())) {
            return null;
        }
        int shard = hasFrom ? move.to() : move.from();
        Wish wish = new Wish(move, shard, hasFrom ? move.from() : move.to(), nanoTime.getAsLong() + WAIT_NANOS);
        if (wishes.size() >= WISHES_MAX) {
            refuse(
                    wish,
                    Refusal.Reason.LIMIT,
                    "RT-4652",
                    WISHES_MAX + " moves of addresses wait at this node for shards of others: ask again later");
        } else {
            wishes.add(wish);
        }
        return wish.there;
    }

    /** Returns the move of an address that has not begun yet, as it waits for a shard; null if there is none. */
    AddressMove waiting(String address) {
        Wish wish = of(address);
        return wish == null ? null : wish.move;
    }

    /** Says for people what the move of an address waits for; null if it waits for no shard. */
    String waitsFor(String address) {
        Wish wish = of(address);
        if (wish == null) {
            return null;
        }
        String giver = wish.giver;
        return "shard " + wish.shard
                + (giver == null
                        ? " of another node, until other handovers are over"
                        : ", which comes from node '" + node.named(giver) + "'");
    }

    private Wish of(String address) {
        return wishes.stream()
                .filter(wish -> !wish.there.isDone() && wish.move.name().equals(address))
                .findFirst()
                .orElse(null);
    }

    /** Tells whether this node wants a shard of another one, or keeps one. */
    boolean isAny() {
        return !wishes.isEmpty();
    }

    // ---- for cluster-keeper

    /** Ends what is over, and tells those whose shard is here. @param handover as the directory has it */
    void look(Handover handover, String self) {
        for (Wish wish : wishes) {
            if (wish.isThere) {
                leave(wish);
            } else {
                await(wish, handover, self);
            }
        }
    }

    private void await(Wish wish, Handover handover, String self) {
        long now = nanoTime.getAsLong();
        if (!node.serves(wish.own)) {
            refuse(
                    wish,
                    Refusal.Reason.UNAVAILABLE,
                    AddressMove.GONE,
                    "shard " + wish.own + " has just gone to another node, and nothing has moved: ask again");
        } else if (node.serves(wish.shard)) {
            wish.isThere = true;
            wish.deadline = now + BEGIN_NANOS;
            wish.there.completeAsync(() -> () -> wish.isLeft = true, answers);
        } else if (!node.mayTake(wish.shard)) {
            refuseForGood(wish, "may not take the shard, or has failed to serve it");
        } else if (now - wish.deadline > 0) {
            refuse(
                    wish,
                    Refusal.Reason.UNAVAILABLE,
                    "RT-4649",
                    "shard " + wish.shard + " did not come to this node within "
                            + TimeUnit.NANOSECONDS.toSeconds(WAIT_NANOS) + " s, and '"
                            + Printable.value(wish.move.name())
                            + "' has not moved: see that both shards are served, and ask again");
        } else if (wish.isOffered && !isFor(wish, handover, self)) {
            wish.isOffered = false;
            wish.failedAt = now;
        }
    }

    private static boolean isFor(Wish wish, Handover handover, String self) {
        return handover.step() != Handover.Step.OVER
                && handover.shard() == wish.shard
                && handover.to().equals(self);
    }

    private void leave(Wish wish) {
        long now = nanoTime.getAsLong();
        if (wish.isLeft && !wish.isEnding) {
            wish.isEnding = true;
            wish.deadline = now + END_NANOS;
        }
        if (now - wish.deadline > 0 || wish.isEnding && !node.isUnderWay(wish.move)) {
            wishes.remove(wish);
        }
    }

    private void refuseForGood(Wish wish, String why) {
        refuse(
                wish,
                Refusal.Reason.NOT_ALLOWED,
                AddressMove.CANNOT_COME,
                "shard " + wish.shard + " did not come to the node of shard " + wish.own + ", as that node " + why
                        + ": see its log");
    }

    private void refuse(Wish wish, Refusal.Reason reason, String code, String text) {
        wishes.remove(wish);
        Refusal.Refused refused = new Refusal.Refused(new Refusal(reason, code, text));
        wish.there.completeAsync(
                () -> {
                    throw refused;
                },
                answers);
    }

    /** Tells whether the next offer waits for nothing but who has the shard. */
    boolean wants() {
        long now = nanoTime.getAsLong();
        return now - quietUntil >= 0 && wishes.stream().anyMatch(wish -> isDue(wish, now));
    }

    /** Tells whether a wish may be offered. After an offer that failed, its giver is known again two beats later. */
    private boolean isDue(Wish wish, long now) {
        return !wish.isThere && !wish.isOffered && (wish.giver == null || now - wish.failedAt > 2 * beatNanos);
    }

    /** Returns the shard that is to come next, as the balance has its giver; null if none is. */
    Next next(Map<Integer, String> owners, String self) {
        long now = nanoTime.getAsLong();
        for (Wish wish : wishes) {
            String owner = owners.get(wish.shard);
            if (!isDue(wish, now) || owner == null || owner.equals(self)) {
                continue;
            }
            if (owner.equals(wish.giver)) {
                refuseForGood(wish, "has not got it from node '" + node.named(owner) + "', which has it again");
            } else {
                return new Next(wish.shard, owner);
            }
        }
        quietUntil = now + PAUSE_NANOS;
        return null;
    }

    /** Hears that a shard is offered to this node. */
    void offered(int shard, String giver) {
        wishes.stream().filter(wish -> wish.shard == shard && !wish.isThere).forEach(wish -> {
            wish.giver = giver;
            wish.isOffered = true;
        });
    }

    /** Tells whether the shard is wanted, or kept, which another node had. */
    boolean brings(int shard) {
        return wishes.stream().anyMatch(wish -> wish.shard == shard);
    }

    /** Tells whether the balance leaves the shard here for now. */
    boolean keeps(int shard) {
        return wishes.stream().anyMatch(wish -> wish.shard == shard || wish.own == shard);
    }

    /** Refuses what waits: the node stops. */
    void close() {
        wishes.forEach(wish -> refuse(
                wish,
                Refusal.Reason.UNAVAILABLE,
                AddressMove.GONE,
                "this node stops, and nothing has moved: ask again"));
    }
}
