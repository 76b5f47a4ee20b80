package io.ringtable.broker;

import io.ringtable.broker.agent.ThreadNames;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.ownership.LeaseKeeper;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.ownership.Tenure;
import io.ringtable.broker.placement.PlacedStores;
import io.ringtable.broker.shard.OtherNodes;
import io.ringtable.broker.shard.RunningShard;
import io.ringtable.broker.shard.ShardParts;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Keeps one shard of this node: takes it, reads it from its tables, and renews its lease. While the node serves, the
 * keeper looks at the shard, and lets it leave and come back by itself if it stops. Other shards go on meanwhile. A
 * shard whose database was away when the node began to serve comes in the same way.
 * <p>
 * The whole period ends instead when no other shard runs, and when another node has the first shard (number 0). The
 * node that has the first shard takes the others. So two nodes never hold some each and wait for each other. Nodes of a
 * cluster hold some each or none, wait for none, and go on without any.
 * <p>Longer than others, because it is the whole life of a shard in one place.
 * <p>
 * Thread: its own in a {@link ServingPeriod}, {@code shard-keeper}; housekeeper before and after it.
 */
final class ShardKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(ShardKeeper.class);
    /** Divides the lease: this share remains for telling clients that the shard stops; nothing of it leaves later. */
    private static final int FAREWELL_SHARE = 20;

    private static final long STORE_PAUSE_MS = 500;
    private static final long HANDOVER_PAUSE_MS = 50;

    private final int number;
    private final PlacedStores stores;
    private final Reconciler.Node node;
    private final Supplier<ShardParts> parts;
    private final NodeState state;
    private final Restarts restarts;
    private final OtherNodes others;
    private final Runnable wakeHousekeeper;

    // of the present time of owning the shard
    private Tenure tenure; // null = the shard is not taken
    private RingStore store;
    private LongSupplier epoch; // a running shard may take further ones
    private LeaseKeeper leaseKeeper;
    private boolean lost; // the lease is not renewed, or an agent has ended
    private volatile AtomicReference<ShardStopped> stopped = new AtomicReference<>(); // the first reason

    private volatile ServingPeriod period; // null before the first one
    private volatile Thread thread; // of the period
    private volatile Home.Owner taker; // node that the shard is handed over to; null = none

    /**
     * @param others of the cluster; null if this node has all shards
     * @param wakeHousekeeper called on any thread when the shard stops
     */
    ShardKeeper(
            int number,
            PlacedStores stores,
            Reconciler.Node node,
            Supplier<ShardParts> parts,
            NodeState state,
            Restarts restarts,
            OtherNodes others,
            Runnable wakeHousekeeper) {
        this.number = number;
        this.stores = stores;
        this.node = node;
        this.parts = parts;
        this.state = state;
        this.restarts = restarts;
        this.others = others;
        this.wakeHousekeeper = wakeHousekeeper;
    }

    int number() {
        return number;
    }

    Restarts restarts() {
        return restarts;
    }

    // ---- owning the shard

    boolean isTaken() {
        return tenure != null;
    }

    /** Returns why the shard stopped since it was taken; null if it has not. Thread: any. */
    ShardStopped stopped() {
        return stopped.get();
    }

    /** Asks for the shard, and renews its lease from then on. @return null if this node owns it now; else who does */
    Ownership.HeldBy take() {
        store = stores.toTake(number);
        long asked = System.nanoTime();
        Ownership ownership = store.acquire(node.id(), node.description(), node.lease(), node.geometry());
        if (ownership instanceof Ownership.HeldBy held) {
            return held;
        }
        Tenure taken = Tenure.begun((Ownership.Owned) ownership, asked);
        if (number == 0 || others != null) {
            checkCount(taken);
        }
        AtomicReference<ShardStopped> reasons = new AtomicReference<>();
        stopped = reasons;
        lost = false;
        epoch = taken::epoch;
        leaseKeeper = new LeaseKeeper(
                        ThreadNames.of("lease-keeper", number),
                        store,
                        taken.lease(),
                        node.lease(),
                        taken.begunAt(),
                        taken.epoch(),
                        reason -> onStopped(reasons, reason))
                .start();
        tenure = taken;
        state.taken(number, taken.epoch());
        return null;
    }

    /** Refuses to serve some of the shards: the addresses of the others would seem to be gone. */
    private void checkCount(Tenure first) {
        int stored = store.shards();
        int count = stores.size();
        if (stored > count) {
            resign(first.epoch()); // for a node that has them all
            throw new ConfigurationRefused(
                    "RT-1196",
                    "ringtable.shards=" + count + ", and the store has " + stored
                            + " shards, each with addresses of its own: set ringtable.shards to " + stored
                            + " or more");
        }
    }

    private void onStopped(AtomicReference<ShardStopped> reasons, ShardStopped reason) {
        reasons.compareAndSet(null, reason);
        wake();
        wakeHousekeeper.run();
    }

    /** Reads the shard from its tables. */
    RunningShard recover(CurrentPolicies policies) {
        if (number == 0 && others != null) {
            others.firstIsOwn();
        }
        stores.keepPlaces(number); // before anything is stored
        AtomicReference<ShardStopped> reasons = stopped;
        RunningShard shard = new RunningShard(
                parts.get(),
                number,
                policies,
                store,
                tenure.epoch(),
                tenure.lease(),
                reason -> onStopped(reasons, reason));
        epoch = shard::epoch;
        leaseKeeper.follow(shard::epoch);
        return shard;
    }

    /** Notes that the shard is served, and nothing is left of an earlier time of owning it. */
    void serves(RunningShard shard) {
        parts.get().monitors().ofShard(number).storeTrouble(null);
        restarts.serving();
        state.serves(number, shard.epoch());
    }

    /**
     * Ends the lease, so that another node need not wait until it is over. Does nothing if the shard is lost, or
     * nearly: its database may not answer.
     */
    void resignUnlessLost() {
        if (tenure != null && !lost && stopped() == null && tenure.lease().leftNanos() > farewellNanos()) {
            resign();
        }
    }

    void resign() {
        if (tenure != null) {
            resign(epoch.getAsLong());
        }
    }

    private void resign(long itsEpoch) {
        try {
            store.resign(itsEpoch);
        } catch (StoreFailure failure) {
            LOG.info("this node could not resign, its lease ends by itself: {}", failure.getMessage());
        }
    }

    /** Ends the renewals, and with them this time of owning the shard. */
    void endTenure() {
        if (tenure != null) {
            leaseKeeper.close();
            tenure = null;
        }
    }

    // ---- while the node serves

    /** Keeps the shard until the period is over. */
    void start(ServingPeriod itsPeriod) {
        period = itsPeriod;
        thread = new Thread(this::keep, ThreadNames.of("shard-keeper", number));
        thread.start();
    }

    /** Returns once the keeper no longer touches the shard; the period is over. */
    void join() {
        Thread mine = thread;
        try {
            if (mine != null) { // none if it could not start
                mine.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Has the keeper hand the shard over. Thread: any. */
    void handOver(Home.Owner to) {
        taker = to;
        wake();
    }

    /** Has the keeper look again. Thread: any. */
    void wake() {
        LockSupport.unpark(thread);
    }

    private void keep() {
        try {
            boolean served = isTaken() || serve();
            while (served && awaitEnd()) {
                served = leave() && mayComeBack() && serve();
            }
        } catch (Throwable failure) { // errors too: nothing else would notice
            period.end(number, failure);
        }
    }

    /**
     * Waits until the shard is lost. Looks at the clock alone, so a database that does not answer keeps nothing up.
     *
     * @return false if the period is over
     */
    private boolean awaitEnd() {
        taker = null;
        long farewellNanos = farewellNanos();
        while (period.over() == null) {
            if (stopped() != null) {
                lost = true;
                return true;
            }
            if (taker != null) {
                return true;
            }
            if (tenure.lease().leftNanos() <= farewellNanos) {
                LOG.warn("{} of {} was not renewed in time: standing by", state.leaseOf(number), node.lease());
                lost = true;
                return true;
            }
            pause(Math.min(200, node.lease().toMillis() / 10));
        }
        lost = stopped() != null;
        return false;
    }

    private long farewellNanos() {
        return node.lease().toNanos() / FAREWELL_SHARE;
    }

    /** Takes the shard from the clients. @return false if the whole node ends its period */
    private boolean leave() {
        ShardStopped reason = stopped();
        boolean otherHasIt = reason != null && reason.next() == ShardStopped.Next.STAND_BY;
        Home.Owner to = lost ? null : taker;
        String why = to != null
                ? "node '" + to.description() + "' takes it over"
                : reason == null ? state.leaseOf(number) + " was not renewed" : reason.getMessage();
        RunningShard shard = period.shards().running(number);
        if (isClaim() && otherHasIt || !period.shards().leave(number, why)) {
            period.end(number, reason);
            return false;
        }
        state.away(number, reason == null || otherHasIt ? Phase.STANDBY : Phase.RESTARTING, why);
        LOG.atLevel(to == null ? Level.WARN : Level.INFO).log("shard {} is away, the others go on: {}", number, why);
        try {
            if (to != null) {
                period.server().connections().finish(number, why, to);
            }
            period.server().connections().leave(number, why);
        } finally {
            shard.close();
        }
        period.server().connections().leave(number, why); // links whose attach was answered meanwhile
        if (to != null) {
            resignUnlessLost();
        }
        endTenure();
        return true;
    }

    /** Does what follows the end of the shard. @return false if it has failed for good */
    private boolean mayComeBack() {
        ShardStopped reason = stopped();
        boolean waits = reason == null || reason.next() == ShardStopped.Next.STAND_BY;
        return waits || obey(restarts.afterServing(reason, this::named), reason);
    }

    /** Takes the shard, and serves it. @return false if the period is over, or the shard has failed for good */
    private boolean serve() {
        while (period.over() == null) {
            try {
                if (!awaitTaken()) {
                    return false;
                }
                RunningShard shard = recover(period.shards().policies());
                if (!period.shards().put(shard)) {
                    return false;
                }
                serves(shard);
                LOG.info("shard {} is served, epoch {}", number, shard.epoch());
                return true;
            } catch (Throwable failure) {
                endTenure();
                if (!obey(restarts.afterStart(failure, this::named), failure)) {
                    return false;
                }
            }
        }
        return false;
    }

    private boolean awaitTaken() {
        while (period.over() == null) {
            if (others != null && number >= others.begun()) {
                pause(STORE_PAUSE_MS); // somebody wakes this keeper when it begins
                continue;
            }
            if (others != null && !others.mayAsk(number)) {
                pause(HANDOVER_PAUSE_MS);
                continue;
            }
            Ownership.HeldBy held = take();
            if (held == null) {
                return true;
            }
            String who = state.waits(number, held);
            if (isClaim()) {
                period.end(number, new ShardStopped(ShardStopped.Next.STAND_BY, who, null));
                return false;
            }
            long usual = pauseMs(held, node);
            pause(others == null ? usual : others.pauseMs(number, usual));
        }
        return false;
    }

    /** Returns how long to wait before the next question, while another node owns the shard. */
    static long pauseMs(Ownership.HeldBy held, Reconciler.Node node) {
        return Math.max(50, Math.min(held.leaseLeftMs() + 50, node.lease().toMillis() / 4));
    }

    /** Does what follows a failure. @return false if the shard has failed for good */
    private boolean obey(Restarts.Verdict verdict, Throwable failure) {
        switch (verdict.kind()) {
            case STAND_BY -> {
                state.away(number, Phase.STANDBY, verdict.text());
                pause(STORE_PAUSE_MS);
            }
            case RESTART -> {
                LOG.warn(verdict.text(), failure);
                state.away(number, Phase.RESTARTING, verdict.text());
                state.failed(restarts, verdict.what(), Instant.now().plusMillis(verdict.delayMs()));
                rest(verdict.delayMs());
                state.tries();
            }
            case FAIL -> {
                LOG.error("shard {} has failed and waits for an operator: {}", number, verdict.text(), failure);
                state.away(number, Phase.FAILED, verdict.text());
                state.failed(restarts, verdict.text(), null);
                if (isClaim()) {
                    period.end(new ServingPeriod.End(number, failure, verdict));
                }
                return false;
            }
        }
        return true;
    }

    /** Tells whether the shard is the claim to all others, which it is not in a cluster. */
    private boolean isClaim() {
        return number == 0 && others == null;
    }

    private String named(String text) {
        return state.of(number, text);
    }

    /** Waits that long, or until the period is over. */
    private void rest(long ms) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        for (long left; period.over() == null && (left = deadline - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
    }

    private static void pause(long ms) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
    }
}
