package io.ringtable.broker.node;

import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.node.NodeTable;
import io.ringtable.broker.store.node.NodeTable.Node;
import io.ringtable.broker.store.node.NodeTable.SeenNode;
import io.ringtable.broker.store.node.NodeTable.ShardOwner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says by timer that this node is there, and asks which others are. A stand-by does so too. The keeper beats at each
 * fifth of the lease, and at once when the broker does something else. It removes the rows of nodes that are long gone.
 * <p>
 * On a server the keeper has a connection of its own, and nothing waits for it. So a database that does not answer the
 * keeper delays neither a renewal nor a flush.
 * <p>
 * Thread: its own, {@code node-keeper}; any reads what was heard last. Failure: the keeper beats again at the next
 * fifth. {@link #status} says what is wrong.
 */
public final class NodeKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeKeeper.class);
    /**
     * Bounds how long a node is shown as lost. A day covers the night in which it died. It also bounds the rows of
     * containers that get another id with each start.
     */
    static final Duration GONE = Duration.ofDays(1);

    private static final String STARTING = BrokerState.Phase.STARTING.name();
    private static final int BEATS_PER_LEASE = 5;
    private static final long LOOK_MS_MAX = 200; // at what the broker does
    private static final long FAREWELL_MS = 1_000;
    private static final long ANSWER_MS = 10; // between looks for the answer to a beat

    private final String description;
    private final String version;
    private final Duration lease;
    private final Supplier<String> state;
    private final Supplier<String> url;
    private final LongSupplier clock;
    private final Thread thread = new Thread(this::run, "node-keeper");
    private final String runId = UUID.randomUUID().toString();
    private volatile SeenNodes seen; // written by node-keeper, read by any; null before the first look
    private volatile String trouble; // written by node-keeper, read by any; null = none
    private volatile boolean isAsked; // by a thread that waits for the next beat; taken back by node-keeper
    private volatile boolean closed;
    private String id; // as the next two: written before the thread starts, read by others once nodes were seen
    private Consumer<SeenNodes> onSeen = any -> {}; // the same
    private Supplier<List<NodeTable>> tables = List::of; // of the shards' stores; the first is that of the nodes
    private boolean hasBeaten; // node-keeper's, as the next
    private String twin; // description of another process with this node's id; null = none was seen
    private final Map<String, Silence> silences = new HashMap<>(); // by place of the database

    /** Says since when, in ns of the clock, a database has not said who owns its shards. */
    private record Silence(long since, String why) {}

    /**
     * Makes a keeper that does nothing before {@link #start}.
     *
     * @param description of this node for people: host and process
     * @param version of the broker
     * @param lease for how long the node counts as alive after a beat
     * @param state gives what the broker does now
     * @param url gives where clients reach the node; null while it has no port
     */
    public NodeKeeper(
            String description, String version, Duration lease, Supplier<String> state, Supplier<String> url) {
        this(description, version, lease, state, url, System::nanoTime);
    }

    NodeKeeper(
            String description,
            String version,
            Duration lease,
            Supplier<String> state,
            Supplier<String> url,
            LongSupplier clock) {
        this.description = description;
        this.version = version;
        this.lease = lease;
        this.state = state;
        this.url = url;
        this.clock = clock;
    }

    /** Names who hears, on this keeper's thread, of each look. Before {@link #start}. */
    public void listen(Consumer<SeenNodes> listener) {
        onSeen = listener;
    }

    /**
     * Begins to beat.
     *
     * @param itsId id that the node keeps across restarts
     * @param itsTables gives those of the shards' stores that are open, by number. Rows of nodes stand in the first
     *     one, which is always there. Owners are asked of each database once.
     */
    public void start(String itsId, Supplier<List<NodeTable>> itsTables) {
        of(itsId, itsTables);
        thread.setDaemon(true);
        thread.start();
    }

    /** Says who beats where, without a thread that does it by timer. */
    NodeKeeper of(String itsId, Supplier<List<NodeTable>> itsTables) {
        id = itsId;
        tables = itsTables;
        return this;
    }

    /** Returns what was heard last; null before the first look. Thread: any. */
    public SeenNodes seen() {
        return seen;
    }

    /**
     * Has the node beat now, so that others see it, and waits for what it hears. Thread: any but its own.
     *
     * @return null if the database has not answered in that time
     */
    public SeenNodes look(Duration patience) {
        long asked = clock.getAsLong();
        while (!closed && clock.getAsLong() - asked < patience.toNanos()) {
            SeenNodes now = seen;
            if (now != null && now.askedAt() - asked >= 0) {
                return now;
            }
            isAsked = true;
            LockSupport.unpark(thread);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ANSWER_MS));
        }
        return null;
    }

    /** Shows the nodes as they are known now. Thread: any. */
    public NodesStatus status() {
        SeenNodes known = seen;
        return new NodesStatus(known == null ? List.of() : known.shown(id, lease.toMillis(), ageMs(known)), trouble);
    }

    private long ageMs(SeenNodes known) {
        return TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - known.askedAt());
    }

    private void run() {
        try {
            keep();
        } catch (Throwable failure) { // an error; nobody would notice
            enterTrouble("RT-4544 this node has ended its beats, and looks lost to the others: restart the process when"
                    + " it suits (" + failure + ")");
        }
    }

    private void keep() {
        long beaten = 0;
        String said = null;
        while (!closed) {
            String does = state.get();
            long now = clock.getAsLong();
            if (isAsked || !does.equals(said) || now - beaten >= intervalNanos()) {
                isAsked = false; // before the beat: who asks meanwhile wants another one
                beat(does);
                beaten = now;
                said = does;
            }
            LockSupport.parkNanos(Math.min(TimeUnit.MILLISECONDS.toNanos(LOOK_MS_MAX), intervalNanos()));
        }
        leave();
    }

    private long intervalNanos() {
        return lease.toNanos() / BEATS_PER_LEASE;
    }

    /** Beats once, and hears who else is there. */
    void beat(String does) {
        try {
            long asked = clock.getAsLong();
            NodeTable table = tables.get().get(0);
            Node own = new Node(id, runId, description, version, does, url.get(), lease.toMillis());
            List<SeenNode> before = table.beat(own);
            List<SeenNode> nodes = new ArrayList<>();
            nodes.add(new SeenNode(own, 0));
            for (SeenNode other : before) {
                if (other.node().nodeId().equals(id)) {
                    lookForTwin(other.node());
                } else if (other.ageMs() > GONE.toMillis()) {
                    table.forget(other.node().nodeId(), other.node().runId());
                } else {
                    nodes.add(other);
                }
            }
            hasBeaten = true;
            List<String> silent = new ArrayList<>();
            SeenNodes now = new SeenNodes(nodes, owners(silent), asked);
            onSeen.accept(now); // before anybody else sees it
            seen = now;
            enterTrouble(twin == null ? ownersNotSeen(silent) : twinText());
        } catch (StoreFailure failure) {
            boolean isNotLaid = failure.code().equals(NodeTable.NOT_LAID);
            if (!isNotLaid) {
                enterTrouble(notSeen(failure.getMessage()));
            } else if (!does.equals(STARTING)) { // else this node is about to lay it
                enterTrouble(failure.getMessage());
            }
        } catch (RuntimeException failure) {
            LOG.warn("the beat of this node failed", failure);
            enterTrouble(notSeen(failure.toString()));
        }
    }

    private static String notSeen(String why) {
        return "RT-4541 this node does not see the others now, and they do not see it: " + why;
    }

    private static String ownersNotSeen(List<String> silent) {
        return silent.isEmpty()
                ? null
                : "RT-4587 this node does not see who owns the shards of some databases; the others are as shown: "
                        + String.join("; ", silent);
    }

    /**
     * Asks for the owners of all shards. A database beside the main one that has not answered is left alone for one
     * lease, as its silence would delay the beats.
     *
     * @param silent gets why a database does not say who owns its shards
     */
    private List<ShardOwner> owners(List<String> silent) {
        List<ShardOwner> owners = new ArrayList<>();
        Set<String> asked = new HashSet<>();
        for (NodeTable table : tables.get()) {
            if (!asked.add(table.place())) {
                continue;
            }
            Silence before = silences.get(table.place());
            if (before != null && clock.getAsLong() - before.since() < lease.toNanos()) {
                silent.add(before.why());
                continue;
            }
            try {
                owners.addAll(table.owners());
                silences.remove(table.place());
            } catch (StoreFailure failure) {
                if (asked.size() == 1) {
                    throw failure; // the main one has no shard to show either
                }
                silences.put(table.place(), new Silence(clock.getAsLong(), failure.getMessage()));
                silent.add(failure.getMessage());
            }
        }
        return owners;
    }

    /**
     * Looks at what the row of this node said before this beat. The first beat may find an earlier process. Any later
     * one finds its own words, unless another process lives with the same id.
     */
    private void lookForTwin(Node stored) {
        if (stored.runId().equals(runId)) {
            twin = null;
        } else if (hasBeaten) {
            twin = stored.description();
        }
    }

    private String twinText() {
        return "RT-4543 another process, '" + twin + "', has the id " + id + " of this node '"
                + description
                + "' too, since one data directory is a copy of the other. Each takes the shards of"
                + " the other: stop one, delete the file node-id in its data directory, and start it again";
    }

    /** Enters what is wrong, and logs it once. */
    private void enterTrouble(String text) {
        String before = trouble;
        trouble = text;
        if (text == null) {
            if (before != null && !before.startsWith(NodeTable.NOT_LAID)) {
                LOG.info("the nodes are seen again");
            }
        } else if (before == null || !codeOf(before).equals(codeOf(text))) {
            if (text.startsWith(NodeTable.NOT_LAID)) {
                LOG.debug("{}", text); // as it is while the first broker makes the tables
            } else {
                LOG.warn("{}", text);
            }
        }
    }

    private static String codeOf(String text) {
        return text.substring(0, text.indexOf(' '));
    }

    /** Takes this node's row away: a node that stops is not missed. */
    private void leave() {
        if (hasBeaten) {
            try {
                tables.get().get(0).forget(id, runId);
            } catch (RuntimeException failure) {
                LOG.debug("the row of this node stays until it is a day old", failure);
            }
        }
    }

    /** Takes the node out of the table, and ends the beats. Waits a second for it at most. Thread: any. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            if (thread.isAlive()) {
                thread.join(FAREWELL_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
