package io.ringtable.broker.cluster;

import io.ringtable.broker.catalog.StoredSettings;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.node.SeenNodes;
import io.ringtable.broker.setting.access.RuntimeAccess;
import io.ringtable.broker.shard.OtherNodes;
import io.ringtable.broker.shard.OwnedShards;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.node.NodeTable.ShardOwner;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets this node serve some of the shards, while other nodes serve the others. Reads at each fifth of the lease which
 * names other nodes have made and deleted. Reads the settings too, while another node owns the first shard.
 * <p>
 * Thread: its own, {@code cluster-keeper}; any asks. Failure: a database that does not answer is asked again at the
 * next fifth. Until then this node goes by what it has read last.
 */
public final class Cluster implements OtherNodes, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    private static final int LOOKS_PER_LEASE = 5;

    private final Set<Integer> allowed;
    private final int count;
    private final Duration lease;
    private final Supplier<SeenNodes> nodes;
    private final Supplier<OwnedShards> shards;
    private final FollowedSettings settings;
    private final Thread thread = new Thread(this::run, "cluster-keeper");
    private String self; // before the thread starts, as the next two
    private RingStore store;
    private Consumer<ConfigurationRefused> onMisfit;
    private volatile boolean closed;
    private boolean isTold; // cluster-keeper's: that the database does not answer

    /**
     * Makes one that does nothing before {@link #start}.
     *
     * @param count of the shards of all nodes
     * @param access makes users, rules and roles count
     * @param nodes gives those that were seen last; null before the first look
     * @param shards gives those of this node; null while it serves nobody
     */
    public Cluster(
            RingtableProperties.Cluster properties,
            int count,
            Duration lease,
            RuntimeAccess access,
            Supplier<SeenNodes> nodes,
            Supplier<OwnedShards> shards) {
        this.allowed = Set.copyOf(properties.shards());
        this.count = count;
        this.lease = lease;
        this.nodes = nodes;
        this.shards = shards;
        this.settings = new FollowedSettings(access);
    }

    /**
     * Begins to look.
     *
     * @param nodeId of this node
     * @param first the store of the first shard
     * @param itsOnMisfit hears that this node has fewer shards than another one: it must not serve
     */
    public void start(String nodeId, RingStore first, Consumer<ConfigurationRefused> itsOnMisfit) {
        self = nodeId;
        store = first;
        onMisfit = itsOnMisfit;
        settings.in(first);
        thread.setDaemon(true);
        thread.start();
    }

    /** Tells whether this node may take the shard. */
    public boolean mayTake(int shard) {
        return allowed.isEmpty() || allowed.contains(shard);
    }

    /**
     * Reads the settings, since the node is about to serve.
     *
     * @throws StoreFailure if they cannot be read
     * @throws ConfigurationRefused if there are more shards than this node knows of
     */
    public void begin() {
        store.placements().held().forEach(shard -> checkFits(shard, "the store has"));
        settings.begin();
    }

    @Override
    public Home.Owner ownerOf(int shard) {
        SeenNodes seen = nodes.get();
        if (seen == null) {
            return null;
        }
        long ageMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - seen.askedAt());
        ShardOwner owner = seen.ownerOf(shard)
                .filter(each -> !each.nodeId().equals(self) && each.leaseLeftMs() > ageMs)
                .orElse(null);
        return owner == null
                ? null
                : new Home.Owner(
                        owner.nodeId(),
                        owner.description(),
                        seen.node(owner.nodeId()).map(node -> node.url()).orElse(null));
    }

    @Override
    public StoredSettings settings() {
        return settings.settings();
    }

    @Override
    public void follow(CurrentPolicies policies) {
        settings.follow(policies);
    }

    @Override
    public void firstIsOwn() {
        settings.firstIsOwn();
    }

    @Override
    public void firstIsOthers(StoredSettings had) {
        settings.firstIsOthers(had);
    }

    /** Refuses to serve some of the shards: the addresses of the others would seem to be gone. */
    private void checkFits(int shard, String whoHasIt) {
        if (shard >= count) {
            throw new ConfigurationRefused(
                    "RT-1222",
                    "ringtable.shards=" + count + ", and " + whoHasIt + " shard " + shard
                            + ": give all nodes of the cluster the same number. To raise it stop all of them first");
        }
    }

    private void run() {
        while (!closed) {
            try {
                look();
            } catch (ConfigurationRefused misfit) {
                onMisfit.accept(misfit);
            } catch (RuntimeException failure) {
                LOG.warn("what other nodes have changed is read at the next look", failure);
            }
            LockSupport.parkNanos(lease.toNanos() / LOOKS_PER_LEASE);
        }
    }

    private void look() {
        SeenNodes seen = nodes.get();
        if (seen != null) {
            seen.owners().forEach(owner -> checkFits(owner.shard(), "node '" + owner.description() + "' owns"));
        }
        OwnedShards owned = shards.get();
        if (owned != null) {
            owned.refresh().exceptionally(failure -> {
                LOG.debug("what other nodes have changed in the directory is read later", failure);
                return null;
            });
        }
        try {
            settings.look();
            isTold = false;
        } catch (StoreFailure failure) {
            if (!isTold) {
                LOG.warn("users, rules, roles and policies stay as this node knows them: {}", failure.getMessage());
            }
            isTold = true;
        }
    }

    /** Ends the looks, without waiting for one that is under way. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
