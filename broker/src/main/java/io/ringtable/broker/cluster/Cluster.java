package io.ringtable.broker.cluster;

import io.ringtable.broker.catalog.StoredSettings;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.node.SeenNodes;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.setting.access.RuntimeAccess;
import io.ringtable.broker.shard.OtherNodes;
import io.ringtable.broker.shard.OwnedShards;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.store.RingOwnership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.node.NodeTable.Node;
import io.ringtable.broker.store.node.NodeTable.SeenNode;
import io.ringtable.broker.store.node.NodeTable.ShardOwner;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets this node serve some of the shards, while other nodes serve the others. Reads at each fifth of the lease which
 * names other nodes have made and deleted. Reads the settings too, while another node owns the first shard.
 * <p>Longer than others, because it is all that a node has to do with the others, in one place.
 * <p>
 * Thread: its own, {@code cluster-keeper}; any asks. Failure: a database that does not answer is asked again at the
 * next fifth. Until then this node goes by what it has read last.
 */
public final class Cluster implements OtherNodes, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    private static final int LOOKS_PER_LEASE = 5;
    private static final long ASK_MS_MAX = 1_000; // so shards of a node that stops are not without an owner for long
    private static final long LATER_MS = 50; // for each shard that a node has, it asks so much later for another one
    private static final long SOON_MS = 20; // between questions for a shard that another node is about to give
    private static final long LOOK_MS_MAX = 2_000; // that somebody waits for a look
    private static final long STEP_MS = 50; // between looks while this node takes part in a handover
    private static final Set<String> MAY_OWN = Set.of(Phase.ACTIVE.name(), Phase.STANDBY.name());

    private final Set<Integer> allowed;
    private final Duration length;
    private final Supplier<SeenNodes> nodes;
    private final Supplier<SeenNodes> look;
    private final Supplier<OwnedShards> shards;
    private final AgreedShards agreed;
    private final FollowedSettings settings;
    private final Handovers handovers;
    private final Thread thread = new Thread(this::run, "cluster-keeper");
    private String self; // before the thread starts, as the next two
    private RingStore store;
    private Keepers keepers;
    private volatile boolean closed;
    private final Queue<CompletableFuture<Void>> waiting = new ConcurrentLinkedQueue<>(); // for the next look
    private volatile Lease heard = Lease.withoutEnd(); // of a time of serving; written by housekeeper
    private boolean isAgreed; // housekeeper's, as the next two
    private Set<Integer> held = Set.of(); // shards that have rings in the main database
    private int rings; // in all of them, by the highest number of one
    private boolean isTold; // cluster-keeper's: that the database does not answer

    /** Keeps the shards of this node. Thread: any. */
    public interface Keepers {
        /** Serves nobody from now on: this node has fewer shards than another one. */
        void refuse(ConfigurationRefused misfit);

        /** Begins to hand a shard over, if it is served. @param to the node that takes it */
        void handOver(Home.Owner to, int shard);

        /** Has all who wait for a shard ask at once: another node is about to give one, or more have begun. */
        void lookAgain();

        /** Tells whether this node goes on, and has not failed with the shard, so that an operator has to look. */
        boolean canServe(int shard);
    }

    /**
     * Makes one that does nothing before {@link #start}.
     *
     * @param count of the shards that this node knows
     * @param access makes users, rules and roles count
     * @param nodes gives those that were seen last; null before the first look
     * @param look lets the others see this node, and gives those that are seen then; null if that fails
     * @param shards gives those of this node; null while it serves nobody
     */
    public Cluster(
            RingtableProperties.Cluster properties,
            int count,
            Duration lease,
            RuntimeAccess access,
            Supplier<SeenNodes> nodes,
            Supplier<SeenNodes> look,
            Supplier<OwnedShards> shards) {
        this.allowed = Set.copyOf(properties.shards());
        this.length = lease;
        this.nodes = nodes;
        this.look = look;
        this.agreed = new AgreedShards(count);
        this.shards = shards;
        this.settings = new FollowedSettings(access);
        this.handovers = new Handovers(
                new OwnShards(), lease, beatNanos(), System::nanoTime, new CompletableFuture<>().defaultExecutor());
    }

    /** Does what a handover needs of the shards of this node. */
    private final class OwnShards implements Handovers.Shards {
        @Override
        public boolean serves(int shard) {
            OwnedShards owned = shards.get();
            return owned != null && owned.running(shard) != null;
        }

        /** {@inheritDoc} A node that was taken for dead is offered shards that it does not know. */
        @Override
        public boolean mayTake(int shard) {
            return shard < agreed.begun() && Cluster.this.mayTake(shard) && keepers.canServe(shard);
        }

        @Override
        public void handOver(int shard, String to) {
            if (serves(shard)) {
                SeenNodes seen = nodes.get();
                keepers.handOver(
                        seen.node(to)
                                .map(node -> new Home.Owner(to, node.description(), node.url()))
                                .orElse(new Home.Owner(to, to, null)),
                        shard);
            }
        }

        @Override
        public void expect() {
            keepers.lookAgain();
        }

        @Override
        public boolean isUnderWay(AddressMove move) {
            OwnedShards owned = shards.get();
            return owned != null && move.equals(owned.doors().moveOf(move.name()));
        }

        @Override
        public String named(String nodeId) {
            SeenNodes seen = nodes.get();
            return seen == null
                    ? nodeId
                    : seen.node(nodeId).map(Node::description).orElse(nodeId);
        }
    }

    private long beatNanos() {
        return length.toNanos() / LOOKS_PER_LEASE;
    }

    /**
     * Begins to look.
     *
     * @param nodeId of this node
     * @param first the store of the first shard
     */
    public void start(String nodeId, RingStore first, Keepers itsKeepers) {
        keepers = itsKeepers;
        handovers.in(first.directory(), nodeId, this::hear);
        agreed.in(first.directory(), nodeId);
        self = nodeId;
        store = first;
        settings.in(first);
        thread.setDaemon(true);
        thread.start();
    }

    private void hear(HomeRow row) {
        if (agreed.know(row)) {
            keepers.lookAgain();
        }
    }

    /** Tells whether this node may take the shard. */
    public boolean mayTake(int shard) {
        return allowed.isEmpty() || allowed.contains(shard);
    }

    /**
     * Agrees with the other nodes on how many shards there are, and reads the settings, since the node is about to
     * serve.
     *
     * @return null if it may; else why it has to wait, for people
     * @throws StoreFailure if the database does not answer
     * @throws ConfigurationRefused if the cluster has more shards
     */
    public String begin() {
        long asked = System.nanoTime();
        RingOwnership.Placements places = store.placements();
        held = places.held();
        rings = Stream.concat(held.stream(), places.recorded().stream().map(RingOwnership.Placed::shard))
                        .max(Comparator.naturalOrder())
                        .orElse(-1)
                + 1;
        agreed.check(rings);
        agreed.look();
        String waits = agree();
        if (waits == null) {
            settings.begin();
            heard = Lease.begun(length, System::nanoTime, asked);
        }
        return waits;
    }

    /** Tells whether this node may serve clients without any shard: it knows what the other nodes have. */
    public boolean mayBeFront() {
        return isAgreed;
    }

    @Override
    public Lease lease() {
        return heard;
    }

    private String agree() {
        if (isAgreed || !store.prepare()) {
            return null;
        }
        String waits = agreed.agree(rings, look);
        isAgreed = waits == null;
        return waits;
    }

    /**
     * Tells whether the nodes agree that there is such a shard. A schema of an earlier version has no place for that.
     * Then a shard that has its ring may be taken, which makes the steps.
     */
    public boolean knows(int shard) {
        agree();
        return isAgreed || held.contains(shard);
    }

    @Override
    public int begun() {
        return agreed.begun();
    }

    @Override
    public String whyNotBegun() {
        return agreed.whyNotBegun(nodes.get());
    }

    /** Returns how many shards a node knows, by its id; null while nobody has heard that. Thread: any. */
    public Integer shardsKnownBy(String nodeId) {
        SeenNodes seen = nodes.get();
        return seen == null ? null : seen.node(nodeId).map(agreed::knownBy).orElse(null);
    }

    @Override
    public Home.Owner ownerOf(int shard) {
        SeenNodes seen = nodes.get();
        if (seen == null) {
            return null;
        }
        long ageMs = ageMs(seen);
        ShardOwner owner = seen.ownerOf(shard)
                .filter(each -> !each.nodeId().equals(self) && each.leaseLeftMs() > ageMs)
                .orElse(null);
        return owner == null
                ? null
                : new Home.Owner(
                        owner.nodeId(),
                        owner.description(),
                        seen.node(owner.nodeId()).map(Node::url).orElse(null));
    }

    /** Returns where clients reach the nodes that serve, as they were seen last. Thread: any. */
    public List<String> urls() {
        SeenNodes seen = nodes.get();
        return seen == null
                ? List.of()
                : alive(seen)
                        .filter(node -> Phase.ACTIVE.name().equals(node.state()) && node.url() != null)
                        .map(Node::url)
                        .toList();
    }

    /** Returns the nodes whose last beat is not older than their lease. */
    static Stream<Node> alive(SeenNodes seen) {
        long ageMs = ageMs(seen);
        return seen.nodes().stream()
                .filter(each -> each.ageMs() + ageMs <= each.node().leaseMs())
                .map(SeenNode::node);
    }

    @Override
    public boolean mayAsk(int shard) {
        return handovers.mayAsk(shard);
    }

    @Override
    public long pauseMs(int shard, long usual) {
        OwnedShards owned = shards.get();
        return handovers.expects(shard)
                ? Math.min(usual, SOON_MS)
                : Math.min(usual, ASK_MS_MAX)
                        + LATER_MS * (owned == null ? 0 : owned.running().size());
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

    private void run() {
        while (!closed) {
            List<CompletableFuture<Void>> those = waiting.stream().toList();
            waiting.removeAll(those);
            try {
                look();
            } catch (ConfigurationRefused misfit) {
                keepers.refuse(misfit);
            } catch (RuntimeException failure) {
                LOG.warn("what other nodes have changed is read at the next look", failure);
            }
            those.forEach(looked -> looked.complete(null));
            rest();
        }
        waiting.forEach(looked -> looked.complete(null));
        handovers.brought().close();
    }

    /** Has a look taken now. @return completes after it, or when that takes too long. Thread: any */
    public CompletionStage<Void> lookNow() {
        CompletableFuture<Void> looked = new CompletableFuture<>();
        waiting.add(looked);
        LockSupport.unpark(thread);
        return looked.completeOnTimeout(null, LOOK_MS_MAX, TimeUnit.MILLISECONDS);
    }

    /** Waits for the next look, and takes the steps of a handover meanwhile. */
    private void rest() {
        long deadline = System.nanoTime() + beatNanos();
        for (long left = beatNanos(); left > 0 && !closed && waiting.isEmpty(); left = deadline - System.nanoTime()) {
            boolean isSoon = handovers.takesPart();
            LockSupport.parkNanos(isSoon ? Math.min(left, TimeUnit.MILLISECONDS.toNanos(STEP_MS)) : left);
            if (isSoon) {
                hand();
            }
        }
    }

    /** Takes a step of a handover. @return false if the directory does not answer */
    private boolean hand() {
        try {
            handovers.turn(balance(handovers.isAboutToBring() ? look.get() : nodes.get()));
            return true;
        } catch (StoreFailure failure) {
            LOG.debug("no shard is handed over while the directory does not answer", failure);
            return false;
        }
    }

    /** Returns who has what; null while this node does not see the others, or serves nobody itself. */
    private ShardBalance balance(SeenNodes seen) {
        if (seen == null || shards.get() == null) {
            return null;
        }
        long ageMs = ageMs(seen);
        List<String> alive = alive(seen)
                .filter(node -> MAY_OWN.contains(node.state()))
                .map(Node::nodeId)
                .toList();
        Map<Integer, String> owners = seen.owners().stream()
                .filter(owner -> owner.leaseLeftMs() > ageMs)
                .collect(Collectors.toMap(ShardOwner::shard, ShardOwner::nodeId));
        return new ShardBalance(alive, owners, agreed.begun());
    }

    private static long ageMs(SeenNodes seen) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - seen.askedAt());
    }

    /**
     * Has a shard go to another node. The node that has it now gives it, whichever node is asked.
     *
     * @param node id of it, or what it is called for people
     * @return completes when the shard is offered to the node
     */
    public CompletionStage<Void> move(int shard, String node) {
        ShardBalance now = balance(nodes.get());
        String owner = now == null ? null : now.owners().get(shard);
        if (owner == null) {
            throw refused(
                    Refusal.Reason.UNAVAILABLE,
                    "RT-4602",
                    "no node is seen that owns shard " + shard + ": try again once one does");
        }
        Node to = nodes.get().nodes().stream()
                .map(SeenNode::node)
                .filter(each -> each.nodeId().equals(node) || each.description().equals(node))
                .filter(each -> now.nodes().contains(each.nodeId()))
                .findFirst()
                .orElseThrow(() -> refused(
                        Refusal.Reason.NOT_FOUND,
                        "RT-4603",
                        "no node '" + Printable.value(node)
                                + "' is alive: name one by its id or description, as GET /nodes has it"));
        if (owner.equals(to.nodeId())) {
            throw refused(Refusal.Reason.NOT_ALLOWED, "RT-4604", "shard " + shard + " is at that node");
        }
        return handovers.move(shard, owner, to.nodeId());
    }

    /**
     * Has the shard of a move come that another node serves, for some seconds. Nothing else is handed over meanwhile,
     * until the move has begun and what is returned has been run. Thread: any.
     *
     * @return completes once this node serves both; null if it serves neither. Refused if the shard does not come
     */
    public CompletionStage<Runnable> bring(AddressMove move) {
        CompletionStage<Runnable> brought = handovers.brought().bring(move);
        LockSupport.unpark(thread);
        return brought;
    }

    /** Returns the move of an address that waits for a shard of another node; null if none does. Thread: any. */
    public AddressMove waiting(String address) {
        return handovers.brought().waiting(address);
    }

    /** Says for people what the move of an address waits for; null if it waits for no shard. Thread: any. */
    public String waitsFor(String address) {
        return handovers.brought().waitsFor(address);
    }

    private static Refusal.Refused refused(Refusal.Reason reason, String code, String text) {
        return new Refusal.Refused(new Refusal(reason, code, text));
    }

    private void look() {
        agreed.look();
        Lease of = heard;
        long asked = of.now();
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
            if (hand()) {
                of.renewed(asked);
            }
            raise();
        } catch (StoreFailure failure) {
            if (!isTold) {
                LOG.warn("users, rules, roles and policies stay as this node knows them: {}", failure.getMessage());
            }
            isTold = true;
        }
    }

    private void raise() {
        try {
            agreed.raise(nodes.get());
        } catch (StoreFailure failure) {
            LOG.debug("whether more shards begin is asked again at the next look", failure);
        }
    }

    /** Ends the looks, without waiting for one that is under way. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
