package io.ringtable.broker;

import io.ringtable.broker.amqp.AmqpServer;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.settings.AmqpSettings;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreCounters;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreEngine;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.watermark.Watermarks;
import io.ringtable.broker.work.CommitMonitor;
import java.util.function.UnaryOperator;

/**
 * A broker in this process, without Spring: owns its shard while its lease lasts, serves clients while it owns it.
 * <p>
 * Thread: any calls; its own {@link Housekeeper} takes the shard, judges its lease, and starts and stops everything else.
 * <p>
 * Failure: a store that cannot be used is refused by {@link #start}; what happens later is told by {@link #state}.
 */
public final class RingtableBroker implements AutoCloseable {
    private static final StoreLimits NOT_OPEN = new StoreLimits("(not open yet)", 0, 0, 0, false, null);

    private final StoreSettings storeSettings;
    private final ShardSettings settings;
    private final Watermarks watermarks;
    private final UnaryOperator<RingStore> around;
    private final AmqpCounters amqpCounters = new AmqpCounters();
    private final Housekeeper housekeeper;
    private NodeIdentity identity;
    private RingStore store;

    /** Nothing is ever short. */
    public RingtableBroker(
            StoreSettings storeSettings, ShardSettings settings, AmqpSettings amqpSettings, CommitMonitor monitor) {
        this(storeSettings, settings, amqpSettings, monitor, Watermarks.none());
    }

    /** Nothing happens before {@link #start}. */
    public RingtableBroker(
            StoreSettings storeSettings,
            ShardSettings settings,
            AmqpSettings amqpSettings,
            CommitMonitor monitor,
            Watermarks watermarks) {
        this(storeSettings, settings, amqpSettings, monitor, watermarks, UnaryOperator.identity());
    }

    /** @param around what the store is reached through: for tests, whose stores fail */
    RingtableBroker(
            StoreSettings storeSettings,
            ShardSettings settings,
            AmqpSettings amqpSettings,
            CommitMonitor monitor,
            Watermarks watermarks,
            UnaryOperator<RingStore> around) {
        this.around = around;
        this.watermarks = watermarks;
        this.storeSettings = storeSettings;
        this.settings = settings;
        this.housekeeper = new Housekeeper(settings, amqpSettings, amqpCounters, monitor, watermarks);
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
            store = around.apply(storeEngine.open(storeSettings));
            housekeeper.start(
                    store,
                    new Reconciler.Node(
                            identity.id(), NodeIdentity.description(), settings.lease(), settings.geometry()));
            watermarks.start();
            housekeeper.awaitFirstTurn();
        } catch (RuntimeException failure) {
            close();
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
        return this;
    }

    /**
     * What it is doing, as far as it may say so: a node whose lease is over serves nobody, even before it has noticed; a
     * housekeeper that has died without a word is {@link BrokerState.Phase#FAILED}. Thread: any.
     */
    public BrokerState state() {
        return housekeeper.state();
    }

    /** Why nothing is collected from the inbox at the moment; null while it is. Thread: any. */
    public String inboxTrouble() {
        RunningShard running = housekeeper.shard();
        return running == null ? null : running.inboxTrouble();
    }

    /** Port that AMQP clients are served on; -1 while they are not. */
    public int amqpPort() {
        AmqpServer serving = housekeeper.amqp();
        return serving == null ? -1 : serving.port();
    }

    /** What happened at the AMQP border since the broker was made, however often it took the shard. */
    public AmqpCounters amqpCounters() {
        return amqpCounters;
    }

    /** The doors of the running shard, for those who embed the broker; null while this node does not own it. */
    public Shard shard() {
        return housekeeper.shard();
    }

    /** What the store tells about its log; null before it is open. */
    public StoreCounters storeCounters() {
        return store == null ? null : store.counters();
    }

    /** A snapshot for people and metrics. Thread: any. */
    public BrokerStatus status() {
        RunningShard running = housekeeper.shard();
        StoreLimits limits = store == null ? NOT_OPEN : store.limits();
        return new BrokerStatus(
                state(),
                limits.engine(),
                limits.durability(),
                limits.delayed() != null,
                NodeIdentity.description(),
                watermarks.shortage(),
                running == null ? null : running.status());
    }

    /**
     * Stops gracefully: no credit, the last flush, its outcomes, connections closed, lease ended, store closed. Returns
     * when all of it is done.
     */
    @Override
    public void close() {
        watermarks.close();
        housekeeper.close();
        if (store != null) {
            store.close();
        }
        if (identity != null) {
            identity.close();
        }
        housekeeper.closed();
    }
}
