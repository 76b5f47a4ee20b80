package io.ringtable.broker.shard;

import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.MessageRow;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingCrossings.Crossing;
import io.ringtable.broker.store.RingOwnership.Placed;
import io.ringtable.broker.store.RingOwnership.Placements;
import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoreCounters;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.node.NodeTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A real store whose verbs fail when the test says so, before or after they did their work. */
final class FaultyStore implements RingStore {
    /** The process dies inside a call. */
    static final class Crash extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Describes the fault of one call; null = none. */
    record Fault(StoreFailure.Kind kind, boolean after) {
        static Fault before(StoreFailure.Kind kind) {
            return new Fault(kind, false);
        }

        static Fault after(StoreFailure.Kind kind) {
            return new Fault(kind, true);
        }

        /** @param after the transaction was committed */
        static Fault crash(boolean after) {
            return new Fault(null, after);
        }

        private void happen(String verb) {
            if (kind == null) {
                throw new Crash();
            }
            throw new StoreFailure(kind, "RT-3099", verb + " failed because the test says so");
        }
    }

    /** Decides for each writing verb. */
    @FunctionalInterface
    interface Plan {
        /** @param argument the flush, or null */
        Fault of(String verb, Flush argument);
    }

    static final Plan NOTHING_FAILS = (verb, argument) -> null;

    private final RingStore store;
    final List<String> calls = new ArrayList<>(); // of the stepping thread: verbs that write the ring
    final List<Flush> flushes = new ArrayList<>(); // those that were durable
    boolean recordFlushes;
    final NavigableMap<Long, InboxRow> inbox = new TreeMap<>(); // committed rows: a file has none of its own
    final Map<Integer, Map<Long, InboxRow>> neighbours = new TreeMap<>(); // committed rows, by shard, also its own
    UnaryOperator<InboxSettlement> placing = row -> row; // what the tables know of it when it is read
    int inboxReads;
    int inboxShardReads;
    int factsRead;
    int ownerChecks;
    Plan plan = NOTHING_FAILS;
    Runnable afterEmptyBacklog = () -> {}; // what happens elsewhere before the reader can tell that it found nothing

    FaultyStore(RingStore store) {
        this.store = store;
    }

    private <T> T call(String verb, Flush argument, Supplier<T> call) {
        calls.add(verb);
        Fault fault = plan.of(verb, argument);
        if (fault != null && !fault.after()) {
            fault.happen(verb);
        }
        T result = call.get();
        if (fault != null) {
            fault.happen(verb);
        }
        return result;
    }

    @Override
    public StoreLimits limits() {
        return store.limits();
    }

    @Override
    public DirectoryStore directory() {
        return store.directory();
    }

    @Override
    public StoreCounters counters() {
        return store.counters();
    }

    @Override
    public NodeTable nodes() {
        return store.nodes();
    }

    @Override
    public boolean prepare() {
        return store.prepare();
    }

    @Override
    public Ownership acquire(String nodeId, String description, Duration lease, RingGeometry geometry) {
        return store.acquire(nodeId, description, lease, geometry);
    }

    @Override
    public void checkOwner(long epoch) {
        ownerChecks++;
        Fault fault = plan.of("checkOwner", null);
        if (fault != null) {
            fault.happen("checkOwner");
        }
        store.checkOwner(epoch);
    }

    @Override
    public void renew(long epoch) {
        store.renew(epoch);
    }

    @Override
    public void resign(long epoch) {
        store.resign(epoch);
    }

    @Override
    public ShardState recover(long epoch, Consumer<RingRow> ringRows) {
        return store.recover(epoch, ringRows);
    }

    @Override
    public void alter(long epoch, List<CatalogChange> changes) {
        call("alter", null, () -> {
            store.alter(epoch, changes);
            return null;
        });
    }

    @Override
    public void flush(Flush flush) {
        call("flush", flush, () -> {
            flushWithInbox(flush);
            if (recordFlushes) {
                flushes.add(flush);
            }
            return null;
        });
    }

    /** As a server does it: the rows go with the flush that claims them, and are counted. */
    private void flushWithInbox(Flush flush) {
        long there = flush.inboxIds().stream().filter(inbox::containsKey).count();
        if (there != flush.inboxIds().size() && !flush.claims().isEmpty()) {
            throw new StoreFailure(StoreFailure.Kind.CORRUPT, "RT-3016", "inbox: " + there + " rows deleted");
        }
        store.flush(new Flush(
                flush.epoch(),
                flush.gate(),
                flush.claims(),
                flush.settlements(),
                flush.backlogSettlements(),
                flush.redeliveries(),
                flush.dispatchBounds(),
                flush.dispatchBound(),
                List.of(),
                flush.producers(),
                flush.duplicateIds(),
                flush.replays()));
        flush.inboxIds().forEach(inbox::remove);
    }

    @Override
    public List<InboxRow> readInbox(Collection<String> leftOut, int rowsMax, long bytesMax) {
        inboxReads++;
        Fault fault = plan.of("readInbox", null);
        if (fault != null) {
            fault.happen("readInbox");
        }
        return inbox.values().stream()
                .filter(row -> !(row instanceof InboxMessage message) || !leftOut.contains(message.address()))
                .limit(rowsMax)
                .map(row -> row instanceof InboxSettlement settlement ? placing.apply(settlement) : row)
                .toList();
    }

    @Override
    public Set<Integer> readInboxShards() {
        inboxShardReads++;
        Fault fault = plan.of("readInboxShards", null);
        if (fault != null) {
            fault.happen("readInboxShards");
        }
        Set<Integer> shards = new TreeSet<>();
        neighbours.forEach((shard, rows) -> {
            if (!rows.isEmpty()) {
                shards.add(shard);
            }
        });
        return shards;
    }

    /** As a server does it: the rows leave this inbox, all of them or none. */
    @Override
    public void passOn(long epoch, int home, List<Long> inboxIds) {
        Fault fault = plan.of("passOn", null);
        if (fault != null && !fault.after()) {
            fault.happen("passOn");
        }
        if (!inbox.keySet().containsAll(inboxIds)) {
            throw new StoreFailure(StoreFailure.Kind.CORRUPT, "RT-3016", "inbox: some of " + inboxIds + " are gone");
        }
        Map<Long, InboxRow> there = neighbours.getOrDefault(home, new TreeMap<>());
        inboxIds.forEach(id -> there.put(id, inbox.remove(id)));
        if (fault != null) {
            fault.happen("passOn");
        }
    }

    /** As a server does it where shard 0 is the lowest. */
    @Override
    public Map<String, Set<Integer>> readPassedOn() {
        Fault fault = plan.of("readPassedOn", null);
        if (fault != null) {
            fault.happen("readPassedOn");
        }
        Map<String, Set<Integer>> shards = new TreeMap<>();
        for (Map.Entry<Integer, Map<Long, InboxRow>> other : neighbours.entrySet()) {
            if (other.getKey() != 0 && other.getValue() != inbox) {
                for (InboxRow row : other.getValue().values()) {
                    shards.computeIfAbsent(((InboxMessage) row).address(), any -> new TreeSet<>())
                            .add(other.getKey());
                }
            }
        }
        return shards;
    }

    @Override
    public Placements placements() {
        return store.placements();
    }

    @Override
    public void keepPlacements(List<Placed> rows) {
        store.keepPlacements(rows);
    }

    @Override
    public Crossing openCrossing(long epoch, int origin) {
        return store.openCrossing(epoch, origin);
    }

    @Override
    public void takeOver(long epoch, int origin, long number, List<InboxMessage> messages) {
        store.takeOver(epoch, origin, number, messages);
    }

    @Override
    public void removeTakenOver(List<Long> inboxIds) {
        store.removeTakenOver(inboxIds);
    }

    @Override
    public List<ShardState.BacklogSummary> reclaim(long epoch, long gate, long newGate, long owedExpected) {
        return call("reclaim", null, () -> store.reclaim(epoch, gate, newGate, owedExpected));
    }

    @Override
    public ShardState.BacklogSummary discard(long epoch, long addressId, long fromSequence, long toSequence) {
        return call("discard", null, () -> store.discard(epoch, addressId, fromSequence, toSequence));
    }

    @Override
    public void stage(long epoch, long bodyId, byte[] body) {
        store.stage(epoch, bodyId, body);
    }

    @Override
    public void unstage(long epoch, long[] bodyIds) {
        store.unstage(epoch, bodyIds);
    }

    @Override
    public long[] orphanedBodies() {
        return store.orphanedBodies();
    }

    @Override
    public MessageRow readMessage(long sequence) {
        return store.readMessage(sequence);
    }

    @Override
    public List<StoredMessage> readRing(long[] sequences) {
        return store.readRing(sequences);
    }

    @Override
    public List<StoredMessage> readBacklog(
            long addressId,
            int group,
            int bit,
            long afterSequence,
            long beforeSequence,
            int messagesMax,
            long bytesMax) {
        List<StoredMessage> found =
                store.readBacklog(addressId, group, bit, afterSequence, beforeSequence, messagesMax, bytesMax);
        if (found.isEmpty()) {
            afterEmptyBacklog.run();
        }
        return found;
    }

    @Override
    public List<StoredMessage> readBacklogFacts(
            long addressId, int group, int bit, long afterSequence, int messagesMax) {
        factsRead++;
        return store.readBacklogFacts(addressId, group, bit, afterSequence, messagesMax);
    }

    @Override
    public List<ShardState.OwedCount> countBacklog(long addressId, long fromSequence, long toSequence) {
        return store.countBacklog(addressId, fromSequence, toSequence);
    }

    @Override
    public List<Flush.BacklogSettlement> readBacklogLedger(long addressId) {
        return store.readBacklogLedger(addressId);
    }

    @Override
    public int shards() {
        return store.shards();
    }

    @Override
    public Optional<DeliveryKey> keepDeliveryKey(DeliveryKey proposed) {
        return store.keepDeliveryKey(proposed);
    }

    @Override
    public List<Setting> readSettings() {
        return store.readSettings();
    }

    @Override
    public byte[] readBody(long bodyId) {
        return store.readBody(bodyId);
    }

    @Override
    public void close() {
        store.close();
    }
}
