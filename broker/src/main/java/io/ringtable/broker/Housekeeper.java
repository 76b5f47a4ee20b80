package io.ringtable.broker;

import io.ringtable.broker.amqp.AmqpServer;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.placement.PlacedStores;
import io.ringtable.broker.shard.RunningShard;
import io.ringtable.broker.shard.RunningShards;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitMonitors;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the shards of this node, serves them while their leases last, and restarts them after failures: all together,
 * in the order of their numbers. The node that has the first one waits for the others.
 * <p>
 * Thread: its own, {@code housekeeper}; any thread may call {@link #state}, {@link #shards} and {@link #amqp}.
 * <p>
 * Failure: the broker stands by when another node takes the shard. After the failure of an agent the housekeeper
 * restarts the shard from its tables ({@link Restarts}). After too many failures, or when the tables contradict
 * themselves, the broker is {@link BrokerState.Phase#FAILED}.
 */
final class Housekeeper {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeper.class);
    /** Divides the lease: this share remains for telling clients that the node stops; nothing leaves it later. */
    private static final int FAREWELL_SHARE = 20;

    private final ShardSettings settings;
    private final BiFunction<RunningShards, Consumer<Throwable>, AmqpServer> servers;
    private final CommitMonitors monitors;
    private final MessageTraces traces;
    private final Restarts restarts; // housekeeper's
    private final Thread thread = new Thread(this::keepHouse, "housekeeper");
    private final NodeState state;
    private final AtomicReference<ShardStopped> shardStopped = new AtomicReference<>();
    private final CompletableFuture<Void> firstTurn = new CompletableFuture<>();
    private PlacedStores stores;
    private Reconciler.Node node;
    private volatile boolean closing;
    private volatile RunningShards shards; // written by housekeeper, read by status
    private volatile AmqpServer amqp; // written by housekeeper, read by status

    /** @param servers makes the server of the shards; it tells the consumer of an event loop that ended by itself */
    Housekeeper(
            ShardSettings settings,
            BiFunction<RunningShards, Consumer<Throwable>, AmqpServer> servers,
            CommitMonitors monitors,
            MessageTraces traces) {
        this.settings = settings;
        this.state = new NodeState(settings.shards());
        this.servers = servers;
        this.monitors = monitors;
        this.traces = traces;
        this.restarts = new Restarts(settings.restart(), System::nanoTime);
    }

    /**
     * Starts the housekeeper's thread.
     *
     * @param itsStores one for each shard
     * @param itsNode the node that asks for the shards
     */
    void start(PlacedStores itsStores, Reconciler.Node itsNode) {
        stores = itsStores;
        node = itsNode;
        thread.start();
    }

    /** Returns once the broker serves or stands by; fails with the reason if it can do neither. */
    void awaitFirstTurn() {
        firstTurn.join();
    }

    /**
     * Returns what the broker does. A node whose lease is over serves nobody, even before it has noticed. The death of
     * the housekeeper shows as {@link BrokerState.Phase#FAILED}. Thread: any.
     */
    BrokerState state() {
        BrokerState known = state.entered();
        if (closing || known.phase() == BrokerState.Phase.FAILED) {
            return known;
        }
        if (thread.getState() == Thread.State.TERMINATED) {
            return new BrokerState(
                    BrokerState.Phase.FAILED,
                    "RT-2313 the housekeeper has ended: restart the process",
                    known.failures());
        }
        return state.now(shards);
    }

    /** Returns what this node does with each of its shards, by number. Thread: any. */
    List<ShardStatus> shardStatuses() {
        return state.shards(shards);
    }

    /** Returns the running shards; null while this node does not own all of them. Thread: any. */
    RunningShards shards() {
        return shards;
    }

    /** Returns the AMQP server; null while the broker serves no clients. Thread: any. */
    AmqpServer amqp() {
        return amqp;
    }

    private void keepHouse() {
        try {
            while (!closing && state.entered().phase() != BrokerState.Phase.FAILED) {
                try (Tenures tenures = new Tenures(stores, node)) {
                    if (takeShards(tenures)) {
                        serve(tenures);
                    }
                } catch (Throwable failure) { // errors too: nothing else would notice
                    afterFailure(failure);
                }
            }
        } finally {
            firstTurn.complete(null); // state() tells why the loop ended
        }
    }

    private void afterFailure(Throwable failure) {
        if (!firstTurn.isDone()) {
            state.enter(BrokerState.Phase.FAILED, String.valueOf(failure.getMessage()));
            firstTurn.completeExceptionally(failure);
        } else if (failure instanceof StoreFailure ofStore && isPassing(ofStore)) {
            standByAWhile(state.ofStopped(ofStore.getMessage()));
        } else if (failure instanceof ConfigurationRefused) {
            fail(failure.getMessage(), failure);
        } else if (isOfTheTables(failure)) {
            fail("RT-2319 another start would read the same from the tables: " + failure.getMessage(), failure);
        } else {
            restart(failure);
        }
    }

    /** Tells whether the tables are the cause: reading them again would fail in the same way. */
    private static boolean isOfTheTables(Throwable failure) {
        return failure instanceof StoreFailure ofStore
                        && (ofStore.kind() == StoreFailure.Kind.CORRUPT
                                || ofStore.kind() == StoreFailure.Kind.UNSUPPORTED)
                || failure instanceof ShardStopped ofRecovery && ofRecovery.next() == ShardStopped.Next.FAIL;
    }

    /** Waits before the next attempt to take the shard, or gives up. */
    private void restart(Throwable failure) {
        if (closing) {
            return;
        }
        long delayMs = restarts.failed();
        String what = state.ofStopped(
                failure instanceof ShardStopped || failure instanceof StoreFailure
                        ? failure.getMessage()
                        : failure.toString());
        if (delayMs == Restarts.NEVER) {
            fail("RT-2312 the broker gives up after " + restarts.failures() + " failures in a row: " + what, failure);
            return;
        }
        Instant nextTry = Instant.now().plusMillis(delayMs);
        String text = "RT-2311 the shard restarts from its tables in " + delayMs + " ms (failure " + restarts.failures()
                + " in a row, at most " + restarts.triesMax() + "): " + what;
        LOG.warn(text, failure);
        state.enter(new BrokerState(BrokerState.Phase.RESTARTING, text, failures(what, nextTry)));
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
        for (long left; !closing && (left = deadline - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
        state.enter(new BrokerState(BrokerState.Phase.RESTARTING, text, failures(what, null)));
    }

    private BrokerState.Failures failures(String what, Instant nextTry) {
        return new BrokerState.Failures(restarts.failures(), restarts.triesMax(), restarts.total(), what, nextTry);
    }

    private void fail(String text, Throwable failure) {
        LOG.error("the broker has failed and serves nobody until the process restarts: {}", text, failure);
        state.enter(new BrokerState(BrokerState.Phase.FAILED, text, failures(text, null)));
    }

    /**
     * Takes all shards.
     *
     * @return false if the broker is closing, or one that was taken is lost while another one is waited for
     */
    private boolean takeShards(Tenures tenures) {
        state.begin();
        while (!closing && !isOneLost(tenures)) {
            if (tenures.isComplete()) {
                return true;
            }
            int number = tenures.count();
            try {
                Ownership.HeldBy held = tenures.take();
                if (held == null) {
                    if (number == 0) {
                        shardStopped.set(null); // of an earlier period of owning the shards
                    }
                    tenures.keep(reason -> onShardStopped(number, reason));
                    state.taken(number, tenures.of(number).epoch());
                } else {
                    standBy(state.waits(number, held));
                    pause(Math.max(
                            50, Math.min(held.leaseLeftMs() + 50, node.lease().toMillis() / 4)));
                }
            } catch (StoreFailure failure) {
                standByIfPassing(number, failure);
            }
        }
        tenures.resign();
        return false;
    }

    private boolean isOneLost(Tenures tenures) {
        ShardStopped lost = tenures.count() == 0 ? null : shardStopped.get();
        if (lost != null) {
            standBy(state.ofStopped(lost.getMessage()));
        }
        return lost != null;
    }

    /** Waits for a store that is away for a moment. The first start fails instead, so that its caller hears of it. */
    private void standByIfPassing(int number, StoreFailure failure) {
        if (!isPassing(failure) || !firstTurn.isDone()) {
            state.stops(number);
            throw failure;
        }
        standByAWhile(state.of(number, state.waits(number, failure.getMessage())));
    }

    private static boolean isPassing(StoreFailure failure) {
        return switch (failure.kind()) {
            case UNAVAILABLE, OUTCOME_UNKNOWN, RETRYABLE, NOT_WRITABLE, FENCED -> true; // a faster node fences
            case REFUSED, CORRUPT, UNSUPPORTED -> false;
        };
    }

    private void standByAWhile(String why) {
        standBy(why);
        pause(500);
    }

    private void standBy(String why) {
        state.enter(BrokerState.Phase.STANDBY, "standing by: " + why);
        firstTurn.complete(null);
    }

    private RunningShard recover(int number, CurrentPolicies policies, Tenures tenures) {
        Tenure tenure = tenures.of(number);
        try {
            RunningShard shard = new RunningShard(
                    settings.parts(node, stores::crossings, monitors, traces),
                    number,
                    policies,
                    stores.get(number),
                    tenure.epoch(),
                    tenure.lease(),
                    reason -> onShardStopped(number, reason));
            tenures.follow(shard);
            return shard;
        } catch (Throwable failure) {
            state.stops(number);
            throw failure;
        }
    }

    private void serve(Tenures tenures) {
        stores.keepPlaces(); // before anything is stored
        RunningShards running =
                RunningShards.start(tenures.count(), (number, policies) -> recover(number, policies, tenures));
        AmqpServer serving = servers.apply(running, this::onEventLoopEnded);
        try {
            serving.start();
        } catch (Throwable failure) {
            running.close();
            tenures.resign();
            throw failure;
        }
        for (RunningShard shard : running.all()) {
            monitors.ofShard(shard.number()).storeTrouble(null); // left over from an earlier period of owning it
            state.serves(shard.number(), shard.epoch());
        }
        shards = running;
        amqp = serving;
        restarts.serving();
        state.enter(
                BrokerState.Phase.ACTIVE,
                "serving AMQP on " + serving.host() + ":" + serving.port() + ", "
                        + (tenures.count() == 1 ? "epoch " + tenures.of(0).epoch() : tenures.count() + " shards"));
        firstTurn.complete(null);
        boolean lost = true;
        try {
            lost = awaitEnd(running.lease());
        } finally { // nothing of this owner goes on, however the wait ended
            stopServing(tenures, running, serving, lost);
        }
        ShardStopped reason = shardStopped.get();
        if (reason != null && reason.next() != ShardStopped.Next.STAND_BY) {
            restart(reason);
        }
    }

    private void stopServing(Tenures tenures, RunningShards running, AmqpServer serving, boolean lost) {
        amqp = null;
        if (!closing) {
            state.ends(running.firstOver(), shardStopped.get());
        }
        try {
            serving.stop(closing && !lost);
        } finally {
            try {
                running.close();
            } finally {
                shards = null;
            }
        }
        if (closing && !lost) {
            tenures.resign();
        }
    }

    /**
     * Waits until the shard is lost or the broker closes. Looks at the clock alone, so a database that does not answer
     * keeps nothing up.
     *
     * @return true if the shard is lost
     */
    private boolean awaitEnd(Lease lease) {
        long farewellNanos = node.lease().toNanos() / FAREWELL_SHARE;
        while (!closing) {
            if (shardStopped.get() != null) {
                return true;
            }
            if (lease.leftNanos() <= farewellNanos) {
                LOG.warn("the lease of {} was not renewed in time: standing by", node.lease());
                return true;
            }
            pause(Math.min(200, node.lease().toMillis() / 10));
        }
        return shardStopped.get() != null;
    }

    private void onShardStopped(int number, ShardStopped reason) {
        state.stops(number);
        shardStopped.compareAndSet(null, reason);
        LockSupport.unpark(thread);
    }

    private void onEventLoopEnded(Throwable failure) {
        onShardStopped(NodeState.NO_SHARD, new ShardStopped(ShardStopped.Next.FAIL, failure.getMessage(), failure));
    }

    private void pause(long millis) {
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
    }

    /** Gives up the shard, and returns when all of it is done. Thread: any. */
    void close() {
        closing = true;
        LockSupport.unpark(thread);
        try {
            if (thread.isAlive()) {
                thread.join(TimeUnit.MINUTES.toMillis(1));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Enters {@link BrokerState.Phase#STOPPED}: the store is closed as well. */
    void closed() {
        if (state.entered().phase() != BrokerState.Phase.FAILED) {
            state.enter(BrokerState.Phase.STOPPED, "stopped");
        }
    }
}
