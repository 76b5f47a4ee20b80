package io.ringtable.broker.recovery;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.Replay;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.deduplication.Deduplicator;
import io.ringtable.broker.dispatch.Dispatcher;
import io.ringtable.broker.dispatch.RecoveredSubscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.ring.References;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.AddressRow;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ProducerRow;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.SubscriptionRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a shard from its tables into the memory of committer and dispatcher.
 * <p>
 * The {@link DecisionTable} judges the ring row by row, without bodies; of the backlog this class reads only the
 * summaries. A message that may have been delivered before is flagged, by the durable bounds. Then the bounds are
 * lowered to where the shard stands: a message that this owner never delivers is not flagged under the next.
 * <p>
 * Thread: the starter of the shard. Failure: {@link ShardStopped} names the contradiction in the tables and its place;
 * nothing is written before everything was judged.
 */
public final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final RingStore store;
    private final Dispatcher dispatcher;
    private final Selector.Compiler selectors;
    private final Supplier<AddressQuota> quotas;
    private Catalog catalog; // made once the tables say which shard it is
    private final Map<Long, RecoveredSubscription> readers = new HashMap<>();
    private final List<Flush.DispatchBound> bounds = new ArrayList<>();
    private boolean isSomethingKept; // some topic has retention

    /** @param quotas makes the quota of an address, whatever its bounds were when it was created */
    public Recovery(
            RingStore store, Dispatcher dispatcher, Selector.Compiler selectors, Supplier<AddressQuota> quotas) {
        this.store = store;
        this.dispatcher = dispatcher;
        this.selectors = selectors;
        this.quotas = quotas;
    }

    /**
     * @param epoch under which this node owns the shard
     * @return the shard as the committer takes it over
     */
    public RecoveredShard recover(long epoch) {
        long begun = System.nanoTime();
        RingRows rows = new RingRows();
        ShardState tables = store.recover(epoch, rows::add);
        ShardFacts.check(tables);
        catalog = new Catalog(ShardIds.shardOf(tables.nextId()));
        loadCatalog(tables);
        RingGeometry geometry = new RingGeometry(tables.capacity());
        References references = new References(geometry);
        if (isSomethingKept) {
            references.keepTimes();
        }
        RingState state = new RingState(
                new Ring(geometry, tables.gate(), tables.next()),
                references,
                loadLedger(tables),
                catalog,
                store.limits().inlineBytesMax(),
                epoch,
                tables.dispatchBound(),
                tables.nextId());
        RingLoader ring = new RingLoader(tables, rows, catalog, readers, state);
        ring.load();
        loadBacklogs(tables, state);
        loadRedeliveries(tables);
        Deduplicator deduplicator = loadDeduplicator(tables);
        lowerBounds(tables, state);
        dropOrphanedBodies(epoch);
        LOG.info(
                "recovered epoch={} gate={} next={}: {} messages owed in the ring, {} in the backlog, {} addresses,"
                        + " {} ms",
                epoch,
                tables.gate(),
                tables.next(),
                ring.owedMessages(),
                tables.backlog().stream().mapToLong(BacklogSummary::messages).sum(),
                catalog.size(),
                (System.nanoTime() - begun) / 1_000_000);
        return new RecoveredShard(state, deduplicator);
    }

    private void loadCatalog(ShardState tables) {
        tables.settings().forEach(catalog.settings()::recovered);
        tables.logins().forEach(row -> catalog.logins().add(row.login(), row.loginId()));
        tables.clientOwners().forEach(row -> catalog.clientOwners().put(row.clientId(), row.owner()));
        Map<Long, Address> addresses = new HashMap<>();
        for (AddressRow row : tables.addresses()) {
            Address address = new Address(row.addressId(), row.name(), row.kind(), quotas.get());
            addresses.put(row.addressId(), address);
            catalog.add(address);
            dispatcher.recovered(address);
        }
        Map<Long, Replay> replays = replays(tables);
        long shardBound = Math.max(0, Math.min(tables.dispatchBound(), tables.next() - 1));
        for (SubscriptionRow row : tables.subscriptions()) {
            Subscription subscription = new Subscription(
                    row.subscriptionId(),
                    addresses.get(row.addressId()),
                    row.clientId(),
                    row.name(),
                    row.group(),
                    row.bit(),
                    row.fromSequence(),
                    selector(row),
                    row.noLocal(),
                    row.shared());
            catalog.add(subscription, replays.get(row.subscriptionId()));
            if (subscription.isRetention()) {
                isSomethingKept = true;
                continue; // nobody owes it: the dispatcher need not know it
            }
            RecoveredSubscription reader = dispatcher.recovered(subscription);
            boolean follows = row.dispatchBound() == Flush.DispatchBound.FOLLOWS;
            reader.dispatchBound(follows ? shardBound : row.dispatchBound());
            if (follows) {
                bounds.add(new Flush.DispatchBound(row.subscriptionId(), shardBound));
            }
            readers.put(row.subscriptionId(), reader);
        }
    }

    /**
     * Returns the selector, null = every message. A selector beyond today's bounds parks its subscription, and the
     * start goes on.
     */
    private Selector selector(SubscriptionRow row) {
        if (row.selector() == null) {
            return null;
        }
        try {
            return selectors.compile(row.selector());
        } catch (IllegalArgumentException unreadable) {
            return new Selector.Unreadable(row.selector(), unreadable.getMessage());
        }
    }

    /** Returns the replays by subscription. */
    private static Map<Long, Replay> replays(ShardState tables) {
        Map<Long, Replay> replays = new HashMap<>();
        tables.replays().forEach(row -> replays.put(row.subscriptionId(), Replay.recovered(row)));
        return replays;
    }

    private static Ledger loadLedger(ShardState tables) {
        Ledger ledger = new Ledger();
        for (Flush.Settlement row : tables.settlements()) {
            ledger.load(row.block(), row.bit(), row.settled());
        }
        return ledger;
    }

    /**
     * Loads the summaries alone. Later, in portions between flushes, the committer counts what each subscription owes
     * and finds the rows that are over.
     */
    private void loadBacklogs(ShardState tables, RingState state) {
        for (BacklogSummary summary : tables.backlog()) {
            AddressEntry address = catalog.entry(summary.addressId());
            state.recovered(summary);
            if (address == null) {
                continue;
            }
            address.address().quota().occupied(summary.messages(), summary.bytes());
            for (SubscriptionEntry entry : address.subscriptions()) {
                if (entry.subscription().isRetention()) {
                    address.retained().recoveredInBacklog(tables.gate());
                } else {
                    readers.get(entry.subscription().id()).owesInBacklog(tables.gate());
                }
            }
        }
    }

    private void loadRedeliveries(ShardState tables) {
        for (Flush.Redelivery row : tables.redeliveries()) {
            RecoveredSubscription reader = readers.get(row.subscriptionId());
            if (reader != null) {
                reader.failures(row.sequence(), row.count(), row.notBefore());
            }
        }
    }

    private Deduplicator loadDeduplicator(ShardState tables) {
        Deduplicator deduplicator = new Deduplicator();
        for (ProducerRow row : tables.producers()) {
            deduplicator.recovered(row, catalog.entry(row.addressId()).address());
        }
        tables.duplicateIds().forEach(deduplicator::recovered);
        return deduplicator;
    }

    /**
     * Lowers the dispatch bounds to the shard's next sequence: later messages have not been delivered to anybody, and
     * nobody is served yet.
     */
    private void lowerBounds(ShardState tables, RingState state) {
        long bound = Math.max(0, tables.next() - 1);
        boolean lower = tables.dispatchBound() > bound;
        if (lower || !bounds.isEmpty()) {
            store.flush(new Flush(
                    state.epoch(),
                    tables.gate(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    bounds,
                    lower ? bound : Flush.UNCHANGED));
        }
        if (lower) {
            state.dispatchBound(bound);
        }
    }

    private void dropOrphanedBodies(long epoch) {
        long[] orphans = store.orphanedBodies();
        if (orphans.length > 0) {
            LOG.info("dropping {} bodies that no message names", orphans.length);
            store.unstage(epoch, orphans);
        }
    }
}
