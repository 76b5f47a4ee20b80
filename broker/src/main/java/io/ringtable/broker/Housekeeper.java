package io.ringtable.broker;

import io.ringtable.broker.amqp.AmqpServer;
import io.ringtable.broker.cluster.Cluster;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.placement.PlacedStores;
import io.ringtable.broker.shard.OwnedShards;
import io.ringtable.broker.shard.RunningShard;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitMonitors;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the shards of this node in the order of their numbers. Serves clients once it has all whose database is there,
 * until none is left. Each shard may stop and start anew meanwhile ({@link ShardKeeper}). The node that has the first
 * shard waits for those that another node owns. In a cluster nodes wait for none: each begins with what is free, and
 * serves without any as well.
 * <p>Longer than others, because it takes shards in both ways.
 * <p>
 * Thread: its own, {@code housekeeper}; any thread may call {@link #state}, {@link #shards} and {@link #amqp}.
 * <p>
 * Failure: the broker stands by when another node takes the first shard. After a failure that leaves no shard the
 * housekeeper takes all of them anew ({@link Restarts}). After too many failures, or when the tables contradict
 * themselves, the broker is {@link BrokerState.Phase#FAILED}.
 */
final class Housekeeper implements Cluster.Keepers {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeper.class);

    private static final long STANDBY_MS = 500;
    private static final long LOOK_MS = 200; // at whether a node without shards may go on

    private final ShardSettings settings;
    private final BiFunction<OwnedShards, Consumer<Throwable>, AmqpServer> servers;
    private final Consumer<RunningShard> onServed;
    private final CommitMonitors monitors;
    private final MessageTraces traces;
    private final Cluster cluster;
    private final Thread thread = new Thread(this::keepHouse, "housekeeper");
    private final NodeState state;
    private final CompletableFuture<Void> firstTurn = new CompletableFuture<>();
    private PlacedStores stores;
    private List<ShardKeeper> keepers; // by number
    private Supplier<DirectoryStore> directory; // set before the thread starts
    private Reconciler.Node node;
    private volatile boolean closing;
    private volatile ServingPeriod period; // written by housekeeper; null while the node serves nobody
    private volatile OwnedShards shards; // written by housekeeper, read by status
    private volatile AmqpServer amqp; // written by housekeeper, read by status

    /**
     * @param servers makes the server of the shards; it tells the consumer of an event loop that ended by itself
     * @param onServed hears of each shard, each time that it is recovered, before clients reach it
     * @param cluster lets other nodes serve shards at the same time; null if this node has all
     */
    Housekeeper(
            ShardSettings settings,
            BiFunction<OwnedShards, Consumer<Throwable>, AmqpServer> servers,
            Consumer<RunningShard> onServed,
            CommitMonitors monitors,
            MessageTraces traces,
            Cluster cluster) {
        this.settings = settings;
        this.cluster = cluster;
        this.state = new NodeState(settings.shards(), cluster);
        this.servers = servers;
        this.onServed = onServed;
        this.monitors = monitors;
        this.traces = traces;
    }

    /** Starts the housekeeper's thread. @param itsStores that of the first shard is open */
    void start(PlacedStores itsStores, Reconciler.Node itsNode) {
        stores = itsStores;
        node = itsNode;
        directory = stores.get(0)::directory;
        keepers = IntStream.range(0, stores.size())
                .mapToObj(number -> new ShardKeeper(
                        number,
                        itsStores,
                        itsNode,
                        () -> settings.parts(itsNode, itsStores::crossings, itsStores::looks, monitors, traces),
                        state,
                        new Restarts(settings.restart(), System::nanoTime),
                        cluster,
                        this::wake))
                .toList();
        thread.start();
    }

    private void wake() {
        LockSupport.unpark(thread);
    }

    /** Returns once the broker serves or stands by; fails with the reason if it can do neither. */
    void awaitFirstTurn() {
        firstTurn.join();
    }

    /**
     * Returns what the broker does. A node whose leases are over serves nobody, even before it has noticed. The death
     * of the housekeeper shows as {@link BrokerState.Phase#FAILED}. Thread: any.
     */
    BrokerState state() {
        BrokerState known = state.entered();
        if (closing || known.phase() == Phase.FAILED) {
            return known;
        }
        if (thread.getState() == Thread.State.TERMINATED) {
            return new BrokerState(
                    Phase.FAILED, "RT-2313 the housekeeper has ended: restart the process", known.failures());
        }
        return state.now(shards);
    }

    /** Returns what this node does with each of its shards, by number. Thread: any. */
    List<ShardStatus> shardStatuses() {
        return state.shards(shards);
    }

    /** Returns the shards; null while this node does not serve. Thread: any. */
    OwnedShards shards() {
        return shards;
    }

    /** Returns the AMQP server; null while the broker serves no clients. Thread: any. */
    AmqpServer amqp() {
        return amqp;
    }

    private void keepHouse() {
        try {
            while (!closing && state.entered().phase() != Phase.FAILED) {
                try {
                    if (takeShards()) {
                        serve();
                    }
                } catch (Throwable failure) { // errors too: nothing else would notice
                    afterFailure(failure);
                } finally {
                    keepers.forEach(ShardKeeper::endTenure);
                }
            }
        } finally {
            firstTurn.complete(null); // state() tells why the loop ended
        }
    }

    private void afterFailure(Throwable failure) {
        if (!firstTurn.isDone()) {
            state.enter(Phase.FAILED, String.valueOf(failure.getMessage()));
            firstTurn.completeExceptionally(failure);
        } else {
            Restarts restarts = restarts();
            obey(restarts, restarts.afterStart(failure, state::ofStopped), failure);
        }
    }

    /** Returns those of the shard that the node stopped with. */
    private Restarts restarts() {
        return keepers.get(Math.max(0, state.stopped())).restarts();
    }

    /** Does what follows a failure after which no shard is served. */
    private void obey(Restarts restarts, Restarts.Verdict verdict, Throwable failure) {
        switch (verdict.kind()) {
            case STAND_BY -> standByAWhile(verdict.text());
            case FAIL -> fail(restarts, verdict.text(), failure);
            case RESTART -> {
                if (!closing) {
                    restart(restarts, verdict, failure);
                }
            }
        }
    }

    private void restart(Restarts restarts, Restarts.Verdict verdict, Throwable failure) {
        LOG.warn(verdict.text(), failure);
        state.failed(
                restarts,
                verdict.what(),
                Instant.now().plusMillis(verdict.delayMs()),
                Phase.RESTARTING,
                verdict.text());
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(verdict.delayMs());
        for (long left; !closing && (left = deadline - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
        state.tries();
    }

    private void fail(Restarts restarts, String text, Throwable failure) {
        LOG.error("the broker has failed and serves nobody until the process restarts: {}", text, failure);
        state.failed(restarts, text, null, Phase.FAILED, text);
    }

    /**
     * Takes all shards whose database is there; in a cluster those that are free.
     *
     * @return false if the broker is closing, or one that was taken is lost while another one is waited for
     */
    private boolean takeShards() {
        state.begin();
        if (cluster != null) {
            return takeFree();
        }
        for (ShardKeeper keeper : keepers) {
            for (boolean waits = true; waits && !keeper.isTaken(); ) {
                if (closing || isOneLost()) {
                    keepers.forEach(ShardKeeper::resign);
                    return false;
                }
                waits = take(keeper);
            }
        }
        return true;
    }

    /**
     * Takes the shards that no other node has, perhaps none: clients are carried to those that others have.
     *
     * @return false if the broker is closing, or cannot know yet what the others have
     */
    private boolean takeFree() {
        String alone = cluster.begin();
        if (alone != null) {
            standByAWhile(alone);
            return false;
        }
        String why = "ringtable.cluster.shards names no shard";
        for (ShardKeeper keeper : keepers) {
            if (closing || isOneLost()) {
                keepers.forEach(ShardKeeper::resign);
                return false;
            }
            String waits = waitsFor(keeper);
            if (waits != null) {
                why = state.waits(keeper.number(), waits);
            }
        }
        if (keepers.stream().noneMatch(ShardKeeper::isTaken) && !cluster.mayBeFront()) {
            standBy("this node has no shard; " + why);
            pause(keepers.stream()
                    .mapToLong(keeper -> cluster.pauseMs(keeper.number(), STANDBY_MS))
                    .min()
                    .orElse(STANDBY_MS));
            return false;
        }
        return true;
    }

    /** Takes a shard if it may. @return why this node begins without it; null if it has it */
    private String waitsFor(ShardKeeper keeper) {
        if (!mayTake(keeper)) {
            return "ringtable.cluster.shards leaves it to other nodes";
        }
        if (keeper.number() >= cluster.begun()) {
            return cluster.whyNotBegun();
        }
        if (!cluster.mayAsk(keeper.number())) {
            return "another node is about to take it over";
        }
        try {
            return cluster.knows(keeper.number())
                    ? takeIfFree(keeper)
                    : "the schema is of an earlier version, until a node takes a shard that has a ring";
        } catch (ConfigurationRefused misfit) {
            keepers.forEach(ShardKeeper::resign);
            throw misfit;
        }
    }

    private boolean mayTake(ShardKeeper keeper) {
        return cluster == null || cluster.mayTake(keeper.number());
    }

    /** Asks for a shard once. @return why this node begins without it; null if it has it */
    private String takeIfFree(ShardKeeper keeper) {
        try {
            stores.checkOpen(keeper.number());
            Ownership.HeldBy held = keeper.take();
            return held == null ? null : state.waits(keeper.number(), held);
        } catch (StoreFailure failure) {
            if (isLeftOut(keeper.number(), failure)) {
                return failure.getMessage();
            }
            state.stops(keeper.number());
            throw failure;
        }
    }

    /** Asks for a shard once. @return false if the node begins without it */
    private boolean take(ShardKeeper keeper) {
        try {
            stores.checkOpen(keeper.number()); // its keeper tries again, while others are served
            Ownership.HeldBy held = keeper.take();
            if (held != null) {
                standBy(state.waits(keeper.number(), held));
                pause(ShardKeeper.pauseMs(held, node));
            }
            return true;
        } catch (StoreFailure failure) {
            return !isLeftOut(keeper.number(), failure) && standsBy(keeper.number(), failure);
        }
    }

    private boolean isLeftOut(int number, Throwable failure) {
        boolean isAway = failure instanceof StoreFailure ofStore && stores.mayBeAway(number, ofStore);
        if (isAway) {
            LOG.warn("shard {} is away, the others are served: {}", number, state.waits(number, failure.getMessage()));
        }
        return isAway;
    }

    private boolean isOneLost() {
        for (ShardKeeper keeper : keepers) {
            ShardStopped lost = keeper.isTaken() ? keeper.stopped() : null;
            if (lost != null) {
                state.stops(keeper.number());
                standBy(state.ofStopped(lost.getMessage()));
                return true;
            }
        }
        return false;
    }

    /** Waits for a store that is away for a moment. The first start fails instead, so that its caller hears of it. */
    private boolean standsBy(int number, StoreFailure failure) {
        if (!failure.isPassing() || !firstTurn.isDone()) {
            state.stops(number);
            throw failure;
        }
        standByAWhile(state.of(number, state.waits(number, failure.getMessage())));
        return true;
    }

    private void standByAWhile(String why) {
        standBy(why);
        pause(STANDBY_MS);
    }

    private void standBy(String why) {
        state.enter(Phase.STANDBY, "standing by: " + why);
        firstTurn.complete(null);
    }

    private void serve() {
        if (keepers.stream().anyMatch(ShardKeeper::isTaken)) {
            stores.keepPlaces(); // before anything is stored
        }
        OwnedShards owned = OwnedShards.start(
                keepers.size(),
                directory,
                settings.policies(),
                this::recover,
                state::textOf,
                onServed,
                cluster,
                traces,
                settings.commit().duplicateIds());
        ServingPeriod begun = open(owned);
        AmqpServer serving = begun.server();
        owned.running().forEach(shard -> keepers.get(shard.number()).serves(shard));
        shards = owned;
        amqp = serving;
        state.serves(serving.host() + ":" + serving.port(), owned.running());
        firstTurn.complete(null);
        try {
            keepers.stream().filter(this::mayTake).forEach(keeper -> keeper.start(begun));
            while (!closing && begun.over() == null) {
                if (cluster == null) {
                    LockSupport.park();
                } else {
                    pause(LOOK_MS);
                    endFront(begun);
                }
            }
        } finally { // nothing of this owner goes on, however the wait ended
            stopServing(begun);
        }
        afterServing(begun.over());
    }

    /** Ends a node without any shard that has not heard of the others, and of users and rules, for a lease. */
    private static void endFront(ServingPeriod serving) {
        OwnedShards owned = serving.shards();
        if (owned.running().isEmpty() && owned.lease().isOver()) {
            serving.end(
                    NodeState.NO_SHARD,
                    new ShardStopped(
                            ShardStopped.Next.STAND_BY,
                            "this node has no shard, and the database has not answered for a lease",
                            null));
        }
    }

    private ServingPeriod open(OwnedShards owned) {
        try {
            AmqpServer serving = servers.apply(owned, this::onEventLoopEnded);
            period = new ServingPeriod(owned, serving, this::wake); // before an event loop may end
            serving.start();
            return period;
        } catch (Throwable failure) {
            period = null;
            owned.close();
            keepers.forEach(ShardKeeper::resign);
            throw failure;
        }
    }

    /** Reads a shard. @return null if the node begins without it */
    private RunningShard recover(int number, CurrentPolicies policies) {
        ShardKeeper keeper = keepers.get(number);
        try {
            return keeper.isTaken() ? keeper.recover(policies) : null;
        } catch (Throwable failure) {
            if (isLeftOut(number, failure)) {
                keeper.endTenure();
                return null;
            }
            state.stops(number);
            throw failure;
        }
    }

    private void stopServing(ServingPeriod served) {
        boolean inOrder = closing && served.over() == null && keepers.stream().allMatch(each -> each.stopped() == null);
        served.end(NodeState.NO_SHARD, null);
        amqp = null;
        if (!closing) {
            state.ends(served.over());
        }
        try {
            served.server().stop(inOrder);
        } finally {
            try {
                keepers.forEach(ShardKeeper::wake);
                keepers.forEach(ShardKeeper::join);
                served.shards().close();
            } finally {
                shards = null;
                period = null;
            }
        }
        if (closing || served.over().standsBy()) {
            keepers.forEach(ShardKeeper::resignUnlessLost);
        }
    }

    private void afterServing(ServingPeriod.End end) {
        if (closing) {
            return;
        }
        if (end.verdict() != null) {
            String text = end.verdict().text();
            LOG.error("the broker has failed and serves nobody until the process restarts: {}", text);
            state.enter(Phase.FAILED, text);
        } else if (!end.standsBy()) {
            Restarts restarts = restarts();
            obey(restarts, restarts.afterServing(end.failure(), state::ofStopped), end.failure());
        }
    }

    @Override
    public void lookAgain() {
        wake();
        keepers.forEach(ShardKeeper::wake);
    }

    @Override
    public void handOver(Home.Owner to, int shard) {
        keepers.get(shard).handOver(to);
    }

    @Override
    public boolean canServe(int shard) {
        return !closing && !state.hasFailed(shard);
    }

    @Override
    public void refuse(ConfigurationRefused misfit) {
        ServingPeriod now = period;
        if (now != null) {
            now.end(new ServingPeriod.End(NodeState.NO_SHARD, misfit, restarts().afterStart(misfit, state::ofStopped)));
        }
    }

    private void onEventLoopEnded(Throwable failure) {
        ServingPeriod now = period;
        if (now != null) {
            now.end(NodeState.NO_SHARD, new ShardStopped(ShardStopped.Next.FAIL, failure.getMessage(), failure));
        }
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Gives up the shards, and returns when all of it is done. Thread: any. */
    void close() {
        closing = true;
        wake();
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
        if (state.entered().phase() != Phase.FAILED) {
            state.enter(Phase.STOPPED, "stopped");
        }
    }
}
