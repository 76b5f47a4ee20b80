package io.ringtable.broker;

import io.ringtable.broker.amqp.AmqpCounters;
import io.ringtable.broker.amqp.AmqpInboxEncoder;
import io.ringtable.broker.amqp.AmqpMessageFormat;
import io.ringtable.broker.amqp.AmqpSelector;
import io.ringtable.broker.amqp.AmqpServer;
import io.ringtable.broker.amqp.AmqpSettings;
import io.ringtable.broker.commit.CommitMonitor;
import io.ringtable.broker.commit.Reconciler;
import io.ringtable.broker.commit.ShardStopped;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreCounters;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreEngine;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker in this process, without Spring: owns its shard while its lease lasts, serves clients while it owns it.
 * <p>
 * Thread: any calls; its own {@code housekeeper} takes the shard, renews the lease, and starts and stops everything else.
 * <p>
 * Failure: a store that cannot be used is refused by {@link #start}; a shard that another node took makes it stand by; a
 * shard that contradicts itself makes it {@link BrokerState.Phase#FAILED}, as {@link #state} tells.
 */
public final class RingtableBroker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RingtableBroker.class);
    private static final StoreLimits NOT_OPEN = new StoreLimits("(not open yet)", 0, 0, 0, false, null);

    private final StoreSettings storeSettings;
    private final EngineSettings settings;
    private final AmqpSettings amqpSettings;
    private final CommitMonitor monitor;
    private final AmqpCounters amqpCounters = new AmqpCounters();
    private final Thread housekeeper = new Thread(this::keepHouse, "housekeeper");
    private final AtomicReference<BrokerState> state =
            new AtomicReference<>(new BrokerState(BrokerState.Phase.STARTING, "starting"));
    private final AtomicReference<ShardStopped> shardStopped = new AtomicReference<>();
    private final CompletableFuture<Void> firstTurn = new CompletableFuture<>();
    private NodeIdentity identity;
    private RingStore store;
    private Reconciler.Node node;
    private long fencedEpoch = -1; // housekeeper's: under which the last renewal was refused
    private volatile boolean closing;
    private volatile ShardEngine engine; // written by housekeeper, read by status
    private volatile AmqpServer amqp; // written by housekeeper, read by status

    /** Nothing happens before {@link #start}. */
    public RingtableBroker(
            StoreSettings storeSettings, EngineSettings settings, AmqpSettings amqpSettings, CommitMonitor monitor) {
        this.storeSettings = storeSettings;
        this.settings = settings;
        this.amqpSettings = amqpSettings;
        this.monitor = monitor;
    }

    /**
     * Opens the store and takes the shard; returns once it serves or stands by.
     *
     * @throws StoreFailure if the store cannot be used
     */
    public RingtableBroker start() {
        StoreEngine storeEngine = RingStores.engine(storeSettings); // refused before anything is written
        identity = NodeIdentity.of(storeSettings.dataDir());
        try {
            store = storeEngine.open(storeSettings);
            node = new Reconciler.Node(
                    identity.id(), NodeIdentity.description(), settings.lease(), settings.geometry());
            housekeeper.start();
            firstTurn.join();
        } catch (RuntimeException failure) {
            close();
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
        return this;
    }

    public BrokerState state() {
        return state.get();
    }

    /** Port that AMQP clients are served on; -1 while they are not. */
    public int amqpPort() {
        AmqpServer serving = amqp;
        return serving == null ? -1 : serving.port();
    }

    /** What happened at the AMQP border since the broker was made, however often it took the shard. */
    public AmqpCounters amqpCounters() {
        return amqpCounters;
    }

    /** The doors of the running shard, for those who embed the broker; null while this node does not own it. */
    public Shard shard() {
        return engine;
    }

    /** What the store tells about its log; null before it is open. */
    public StoreCounters storeCounters() {
        return store == null ? null : store.counters();
    }

    /** A snapshot for people and metrics. Thread: any. */
    public BrokerStatus status() {
        ShardEngine running = engine;
        StoreLimits limits = store == null ? NOT_OPEN : store.limits();
        return new BrokerStatus(
                state.get(),
                limits.engine(),
                limits.durability(),
                limits.delayed() != null,
                NodeIdentity.description(),
                running == null ? null : running.status());
    }

    /** The running shard; null while this node does not own it. */
    ShardEngine engine() {
        return engine;
    }

    RingStore store() {
        return store;
    }

    private void keepHouse() {
        try {
            while (!closing) {
                long epoch = takeShard();
                if (epoch < 0) {
                    break;
                }
                try {
                    serve(epoch);
                } catch (StoreFailure failure) {
                    standByIfPassing(failure);
                }
                if (state.get().phase() == BrokerState.Phase.FAILED) {
                    break;
                }
            }
        } catch (RuntimeException failure) {
            if (!firstTurn.completeExceptionally(failure)) {
                LOG.error("the broker has failed", failure);
            }
            enter(BrokerState.Phase.FAILED, failure.getMessage());
        }
        firstTurn.complete(null);
    }

    /** @return the epoch, or -1 if the broker is closing */
    private long takeShard() {
        while (!closing) {
            try {
                Ownership ownership = store.acquire(node.id(), node.description(), node.lease(), node.geometry());
                if (ownership instanceof Ownership.Owned owned) {
                    return owned.epoch();
                }
                Ownership.HeldBy held = (Ownership.HeldBy) ownership;
                standBy("standing by: node " + held.node() + " owns the shard, epoch " + held.epoch()
                        + ", its lease ends in " + held.leaseLeftMs() + " ms unless it is renewed");
                pause(Math.max(
                        50, Math.min(held.leaseLeftMs() + 50, node.lease().toMillis() / 4)));
            } catch (StoreFailure failure) {
                standByIfPassing(failure);
            }
        }
        return -1;
    }

    /** A store that is away for a moment is waited for; at the first start whoever starts the broker is told instead. */
    private void standByIfPassing(StoreFailure failure) {
        boolean passing = switch (failure.kind()) {
            case UNAVAILABLE, OUTCOME_UNKNOWN, RETRYABLE, NOT_WRITABLE -> true;
            // Another node was quicker: it is named by the next try.
            case FENCED -> true;
            case REFUSED, CORRUPT, UNSUPPORTED -> false;
        };
        if (!passing || !firstTurn.isDone()) {
            throw failure;
        }
        standBy("standing by: " + failure.getMessage());
        pause(500);
    }

    private void standBy(String text) {
        if (state.get().phase() != BrokerState.Phase.STANDBY) {
            LOG.info(text);
        }
        enter(BrokerState.Phase.STANDBY, text);
        firstTurn.complete(null);
    }

    private void serve(long epoch) {
        shardStopped.set(null);
        long leaseBegan = System.nanoTime();
        ShardEngine running = new ShardEngine(
                store,
                settings,
                node,
                epoch,
                new AmqpMessageFormat(),
                new AmqpInboxEncoder(),
                AmqpSelector::compile,
                monitor,
                this::onShardStopped);
        AmqpServer serving = new AmqpServer(amqpSettings, running, amqpCounters);
        try {
            serving.start();
        } catch (RuntimeException failure) {
            running.close();
            store.resign(running.state().epoch());
            throw failure;
        }
        engine = running;
        amqp = serving;
        enter(
                BrokerState.Phase.ACTIVE,
                "serving AMQP on " + amqpSettings.host() + ":" + serving.port() + ", epoch " + epoch);
        firstTurn.complete(null);
        boolean lost = keepLease(running, leaseBegan);
        amqp = null;
        ShardStopped reason = shardStopped.get();
        if (!closing) {
            enter(
                    reason != null && reason.next() == ShardStopped.Next.FAIL
                            ? BrokerState.Phase.FAILED
                            : BrokerState.Phase.STANDBY,
                    reason == null ? "standing by: the lease could not be renewed" : reason.getMessage());
        }
        serving.stop(closing && !lost);
        running.close();
        engine = null;
        if (closing && !lost) {
            resign(running);
        }
    }

    /** Renews until the shard is lost or the broker closes. @return true if the shard is lost */
    private boolean keepLease(ShardEngine running, long leaseBegan) {
        long renewed = leaseBegan;
        long lease = node.lease().toNanos();
        while (!closing) {
            if (shardStopped.get() != null) {
                return true;
            }
            long asked = System.nanoTime();
            if (asked - renewed > lease / 5 && renew(running)) {
                renewed = asked;
            }
            // A tenth of the lease is left for connections to close before another node may own the shard.
            if (System.nanoTime() - renewed > lease - lease / 10) {
                LOG.warn("the lease of {} could not be renewed in time: standing by", node.lease());
                return true;
            }
            pause(Math.min(200, node.lease().toMillis() / 10));
        }
        return shardStopped.get() != null;
    }

    /** The committer takes the next epoch to find out what is durable: one refusal may be of the one it has just left. */
    private boolean renew(ShardEngine running) {
        long epoch = running.state().epoch();
        try {
            store.renew(epoch);
            return true;
        } catch (StoreFailure failure) {
            boolean again = epoch == fencedEpoch;
            fencedEpoch = failure.kind() == StoreFailure.Kind.FENCED ? epoch : -1;
            if (again && fencedEpoch == running.state().epoch()) {
                onShardStopped(new ShardStopped(ShardStopped.Next.STAND_BY, failure.getMessage(), failure));
            } else if (failure.kind() != StoreFailure.Kind.FENCED) {
                LOG.warn("the lease was not renewed: {}", failure.getMessage());
            }
            return false;
        }
    }

    private void resign(ShardEngine running) {
        try {
            store.resign(running.state().epoch());
        } catch (StoreFailure failure) {
            LOG.info("the lease ends by itself: {}", failure.getMessage());
        }
    }

    private void onShardStopped(ShardStopped reason) {
        shardStopped.compareAndSet(null, reason);
        LockSupport.unpark(housekeeper);
    }

    private void enter(BrokerState.Phase phase, String text) {
        BrokerState before = state.getAndSet(new BrokerState(phase, text));
        if (before.phase() != phase) {
            LOG.info("{}: {}", phase, text);
        }
    }

    private void pause(long millis) {
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
    }

    /**
     * Stops gracefully: no credit, the last flush, its outcomes, connections closed, lease ended, store closed. Returns
     * when all of it is done.
     */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(housekeeper);
        try {
            if (housekeeper.isAlive()) {
                housekeeper.join(TimeUnit.MINUTES.toMillis(1));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (store != null) {
            store.close();
        }
        if (identity != null) {
            identity.close();
        }
        if (state.get().phase() != BrokerState.Phase.FAILED) {
            enter(BrokerState.Phase.STOPPED, "stopped");
        }
    }
}
