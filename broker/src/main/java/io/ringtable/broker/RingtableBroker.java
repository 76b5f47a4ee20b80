package io.ringtable.broker;

import io.ringtable.broker.access.AccessControl;
import io.ringtable.broker.access.AccessRules;
import io.ringtable.broker.amqp.AmqpServer;
import io.ringtable.broker.amqp.OpenConnections;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.broker.amqp.transport.ServerTls;
import io.ringtable.broker.cluster.Cluster;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.Bound;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.config.InboxProperties;
import io.ringtable.broker.config.RestartProperties;
import io.ringtable.broker.config.RingProperties;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.config.TracingProperties;
import io.ringtable.broker.config.WatermarkProperties;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.job.Jobs;
import io.ringtable.broker.login.LoginRules;
import io.ringtable.broker.login.Logins;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.node.NodeKeeper;
import io.ringtable.broker.node.NodeUrl;
import io.ringtable.broker.node.SeenNodes;
import io.ringtable.broker.placement.PlacedStores;
import io.ringtable.broker.setting.access.RuntimeAccess;
import io.ringtable.broker.shard.OwnedShards;
import io.ringtable.broker.shard.RunningShard;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreCounters;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.watermark.Watermarks;
import io.ringtable.broker.work.CommitMonitors;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.slf4j.LoggerFactory;

/**
 * Runs a broker in this process, without Spring: owns its shard while its lease lasts, and serves clients while it owns
 * the shard.
 * <p>
 * Thread: any thread may call it. Its own {@link Housekeeper} takes the shard, watches the lease, and starts and stops
 * everything else.
 * <p>Longer than others, because it ties all parts of a broker together.
 * <p>
 * Failure: {@link #start} refuses a store that is unusable; {@link #state} tells about later failures.
 */
public final class RingtableBroker implements AutoCloseable {
    private final StoreSettings storeSettings;
    private final ShardSettings settings;
    private final Watermarks watermarks;
    private final AmqpCounters amqpCounters = new AmqpCounters();
    private final Logins logins; // for all ways in
    private final AccessControl access;
    private final RuntimeAccess runtimeAccess;
    private final Housekeeper housekeeper;
    private final Management management;
    private final NodeKeeper nodeKeeper;
    private final Cluster cluster; // null = this node has all shards, or stands by
    private NodeIdentity identity;
    private final PlacedStores stores;

    /** Makes a broker without watermarks. */
    public RingtableBroker(
            StoreSettings storeSettings,
            ShardSettings settings,
            AmqpProperties amqp,
            LoginRules logins,
            CommitMonitors monitors) {
        this(storeSettings, settings, amqp, logins, monitors, Watermarks.none());
    }

    /** Makes a broker that does nothing before {@link #start}. */
    public RingtableBroker(
            StoreSettings storeSettings,
            ShardSettings settings,
            AmqpProperties amqp,
            LoginRules logins,
            CommitMonitors monitors,
            Watermarks watermarks) {
        this(storeSettings, settings, amqp, new ServerTls(amqp.tls()), logins, monitors, watermarks, MessageTraces.OFF);
    }

    /**
     * Makes a broker whose certificate may be renewed.
     *
     * @param tls made of the settings of {@code amqp}
     * @param traces hears of sampled messages
     */
    public RingtableBroker(
            StoreSettings storeSettings,
            ShardSettings settings,
            AmqpProperties amqp,
            ServerTls tls,
            LoginRules logins,
            CommitMonitors monitors,
            Watermarks watermarks,
            MessageTraces traces) {
        this(storeSettings, settings, amqp, tls, logins, monitors, watermarks, traces, UnaryOperator.identity());
    }

    /**
     * Makes a broker from properties by name, as those of the executable broker: {@code ringtable.data-dir} and its
     * neighbours. A property that is not given has its default.
     *
     * @param properties by name, such as {@code ringtable.amqp.port}; values are read as in a properties file
     * @param monitors hears what becomes durable, on the committer's thread of each shard; a
     *     {@link io.ringtable.broker.work.CommitMonitor} hears all shards
     * @param around wraps the store; {@link UnaryOperator#identity} where nothing is to come in between
     * @throws io.ringtable.broker.config.ConfigurationRefused if a name does not exist, or a value cannot be
     */
    public static RingtableBroker of(
            Map<String, ?> properties, CommitMonitors monitors, UnaryOperator<RingStore> around) {
        RingtableProperties root = Bound.of(RingtableProperties.class, properties);
        StoreSettings store = new StoreSettings(Bound.of(StoreProperties.class, properties), root.dataDir());
        AmqpProperties amqp = Bound.of(AmqpProperties.class, properties);
        if (Bound.of(TracingProperties.class, properties).enabled()) {
            throw new ConfigurationRefused(
                    "RT-1172",
                    "ringtable.tracing.enabled=true, and a broker from properties has no tracer: give MessageTraces to"
                            + " the constructor, or embed the broker in a Spring application");
        }
        return new RingtableBroker(
                store,
                ShardSettings.of(
                        root,
                        Bound.of(RingProperties.class, properties),
                        Bound.of(CommitProperties.class, properties),
                        Bound.of(DispatchProperties.class, properties),
                        Bound.of(InboxProperties.class, properties),
                        Bound.of(RestartProperties.class, properties)),
                amqp,
                new ServerTls(amqp.tls()),
                BrokerParts.logins(amqp, properties),
                monitors,
                BrokerParts.watermarks(Bound.of(WatermarkProperties.class, properties), store),
                around);
    }

    /** Makes a broker for tests. @param around wraps the store, for example to make it fail */
    RingtableBroker(
            StoreSettings storeSettings,
            ShardSettings settings,
            AmqpProperties amqp,
            ServerTls tls,
            LoginRules logins,
            CommitMonitors monitors,
            Watermarks watermarks,
            UnaryOperator<RingStore> around) {
        this(storeSettings, settings, amqp, tls, logins, monitors, watermarks, MessageTraces.OFF, around);
    }

    private RingtableBroker(
            StoreSettings storeSettings,
            ShardSettings settings,
            AmqpProperties amqp,
            ServerTls tls,
            LoginRules logins,
            CommitMonitors monitors,
            Watermarks watermarks,
            MessageTraces traces,
            UnaryOperator<RingStore> around) {
        this.watermarks = watermarks;
        this.storeSettings = storeSettings;
        this.settings = settings;
        this.stores = new PlacedStores(settings.placement(), storeSettings, around);
        this.logins = new Logins(
                logins,
                amqpCounters.loginsHashed,
                new PeerLog(LoggerFactory.getLogger(Logins.class), System::nanoTime)::warn,
                System::nanoTime);
        this.access = new AccessControl(ConfiguredAccess.of(logins), ConfiguredAccess.roles(logins));
        this.runtimeAccess = new RuntimeAccess(access, logins);
        this.nodeKeeper = new NodeKeeper(
                NodeIdentity.description(),
                BrokerManagement.version(),
                settings.lease(),
                () -> state().phase().name(),
                () -> NodeUrl.of(amqp, amqpPort()));
        this.cluster = settings.areShared()
                ? new Cluster(
                        settings.cluster(),
                        settings.shards(),
                        settings.lease(),
                        runtimeAccess,
                        nodeKeeper::seen,
                        () -> nodeKeeper.look(settings.lease()),
                        this::shards)
                : null;
        this.housekeeper = new Housekeeper(
                settings,
                (shards, onEnded) -> new AmqpServer(
                        amqp,
                        tls,
                        this.logins,
                        access,
                        identity.id(),
                        cluster == null ? null : cluster::urls,
                        settings.lease(),
                        management(),
                        shards.doors(),
                        amqpCounters,
                        watermarks,
                        onEnded),
                this::recovered,
                monitors,
                traces,
                cluster);
        long quotaBytes = settings.commit().quotaBytes().toBytes();
        this.management =
                new BrokerManagement(this, housekeeper, access, runtimeAccess, quotaBytes, cluster).management();
    }

    private OwnedShards shards() {
        return housekeeper.shards();
    }

    /** Follows the users, rules and roles that the first shard stores, before clients reach it. */
    private void recovered(RunningShard shard) {
        if (shard.number() == 0) {
            runtimeAccess.follow(shard.entries().settings());
        }
    }

    /**
     * Opens the store and takes the shard; returns once the broker serves or stands by.
     *
     * @throws StoreFailure if the store cannot be used
     */
    public RingtableBroker start() {
        stores.check(); // before anything is written
        if (cluster != null) {
            stores.checkShared();
        }
        identity = NodeIdentity.of(storeSettings.dataDir());
        try {
            stores.open();
            stores.checkPlaces();
            if (cluster != null) {
                cluster.start(identity.id(), stores.get(0), housekeeper);
            }
            housekeeper.start(
                    stores,
                    new Reconciler.Node(
                            identity.id(), NodeIdentity.description(), settings.lease(), settings.geometry()));
            watermarks.start();
            nodeKeeper.listen(this::looked);
            nodeKeeper.start(
                    identity.id(),
                    () -> stores.compared().stream().map(RingStore::nodes).toList());
            housekeeper.awaitFirstTurn();
        } catch (RuntimeException failure) {
            close();
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
        return this;
    }

    private void looked(SeenNodes seen) {
        AmqpServer serving = housekeeper.amqp();
        if (serving != null) {
            serving.looked(seen.ownersByShard(), seen.askedAt());
        }
    }

    /**
     * Returns what the broker does. A node whose lease is over serves nobody, even before it has noticed. The death of
     * the housekeeper shows as {@link BrokerState.Phase#FAILED}. Thread: any.
     */
    public BrokerState state() {
        return housekeeper.state();
    }

    /** Returns why the broker collects nothing from the inbox now; null while it collects. Thread: any. */
    public String inboxTrouble() {
        OwnedShards owned = housekeeper.shards();
        return owned == null ? null : owned.inboxTrouble();
    }

    /** Returns the port for AMQP clients; -1 while the broker does not serve them. */
    public int amqpPort() {
        AmqpServer serving = housekeeper.amqp();
        return serving == null ? -1 : serving.port();
    }

    /**
     * Returns how many links publish to the address or receive from it; 0 while the broker does not serve. Thread: any.
     */
    public int links(Address address) {
        AmqpServer serving = housekeeper.amqp();
        return serving == null ? 0 : serving.links(address);
    }

    /**
     * Returns what clients have open, for operators, who can also end it; null while the broker does not serve. Thread:
     * any.
     */
    public OpenConnections connections() {
        AmqpServer serving = housekeeper.amqp();
        return serving == null ? null : serving.connections();
    }

    /**
     * Cuts every connection of a client without a word, as a failing network does. Frames on their way are lost;
     * clients may connect again at once. Thread: any.
     */
    public void cutConnections() {
        AmqpServer serving = housekeeper.amqp();
        if (serving != null) {
            serving.cut();
        }
    }

    /**
     * Replaces the rules of the configuration that say what users may do, until the broker is made anew. The
     * configuration stays as it is, and so do the rules that administrators set at run time. Links that are open and no
     * longer permitted are detached soon after the call returns. Thread: any.
     *
     * @throws io.ringtable.broker.config.ConfigurationRefused if there are rules, and clients connect without a login
     */
    public void accessRules(AccessRules rules) {
        ConfiguredAccess.check(rules, logins.rules());
        runtimeAccess.configured(rules);
    }

    /**
     * Returns what administrators can ask for. Management always answers, whatever the state of the broker. Thread:
     * any.
     */
    public Management management() {
        return management;
    }

    /** Returns what checks logins, for all ways in. All ways count failed logins together. Thread: any. */
    public Logins logins() {
        return logins;
    }

    /** Returns what happened at the AMQP border since the broker was made, however often it took the shard. */
    public AmqpCounters amqpCounters() {
        return amqpCounters;
    }

    /**
     * Returns the doors of the running shard, for applications that embed the broker; null while this node does not own
     * it.
     */
    public Shard shard() {
        OwnedShards owned = housekeeper.shards();
        return owned == null ? null : owned.doors();
    }

    private RunningShard first() {
        OwnedShards owned = housekeeper.shards();
        return owned == null ? null : owned.running(0);
    }

    /** Returns what answers questions about messages of the first shard; null while this node does not own it. */
    public Inspector inspector() {
        RunningShard running = first();
        return running == null ? null : running.inspector();
    }

    /** Returns the jobs of the first shard; null while this node does not own it. Thread: any. */
    public Jobs jobs() {
        RunningShard running = first();
        return running == null ? null : running.jobs();
    }

    /** Returns what the store of a shard tells about its log; null before it is open. */
    public StoreCounters storeCounters(int shard) {
        return stores.isOpen(shard) ? stores.get(shard).counters() : null;
    }

    /** Returns what the store of a shard promises, as it was looked at last; null before it is open. Thread: any. */
    public StoreLimits storeLimits(int shard) {
        return stores.isOpen(shard) ? stores.get(shard).limits() : null;
    }

    /** Returns the name of the store in which a shard lies; main is {@code ringtable.store}. Thread: any. */
    public String storeOf(int shard) {
        return settings.placement().nameOf(shard);
    }

    /** Has a shard go to another node of the cluster. @return completes when the shard is offered to that node */
    CompletionStage<Void> moveShard(int shard, String node) {
        if (cluster == null) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-4608",
                    "one node has all shards: set ringtable.cluster.enabled to let several serve"));
        }
        return cluster.move(shard, node);
    }

    /** Counts what each running shard has done, for rates between two looks; empty while none runs. Thread: any. */
    public List<BrokerStatus.Traffic> traffic() {
        OwnedShards owned = housekeeper.shards();
        return owned == null ? List.of() : owned.traffic();
    }

    /** Returns a snapshot for people and metrics. Thread: any. */
    public BrokerStatus status() {
        StoreLimits limits = stores.limits();
        return new BrokerStatus(
                state(),
                limits.engine(),
                limits.durability(),
                limits.delayed() != null,
                NodeIdentity.description(),
                watermarks.shortage(),
                nodeKeeper.status(),
                housekeeper.shardStatuses());
    }

    /**
     * Stops gracefully: no credit, the last flush, its outcomes, connections closed, lease ended, store closed. Returns
     * when all of it is done.
     */
    @Override
    public void close() {
        watermarks.close();
        housekeeper.close();
        if (cluster != null) {
            cluster.close();
        }
        logins.stop();
        nodeKeeper.close(); // after the last flush: the node is there until then
        stores.close();
        if (identity != null) {
            identity.close();
        }
        housekeeper.closed();
    }
}
