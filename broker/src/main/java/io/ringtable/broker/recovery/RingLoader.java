package io.ringtable.broker.recovery;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.dispatch.RecoveredSubscription;
import io.ringtable.broker.recovery.RowFacts.Bits;
import io.ringtable.broker.recovery.RowFacts.Body;
import io.ringtable.broker.recovery.RowFacts.Home;
import io.ringtable.broker.recovery.RowFacts.LedgerBits;
import io.ringtable.broker.recovery.RowFacts.Owed;
import io.ringtable.broker.recovery.RowFacts.Place;
import io.ringtable.broker.ring.Bitmap;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ShardState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges every row of the ring by the {@link DecisionTable} and tells committer and dispatcher what is owed.
 * <p>
 * Thread: the one that recovers.
 */
final class RingLoader {
    private static final Logger LOG = LoggerFactory.getLogger(RingLoader.class);

    private final ShardState tables;
    private final RingRows rows;
    private final Catalog catalog;
    private final Map<Long, RecoveredSubscription> readers;
    private final RingState state;
    private final Map<Long, List<Flush.Settlement>> ledger = new HashMap<>(); // by block
    private int owedMessages;

    RingLoader(
            ShardState tables,
            RingRows rows,
            Catalog catalog,
            Map<Long, RecoveredSubscription> readers,
            RingState state) {
        this.tables = tables;
        this.rows = rows;
        this.catalog = catalog;
        this.readers = readers;
        this.state = state;
        tables.settlements()
                .forEach(row -> ledger.computeIfAbsent(row.block(), block -> new ArrayList<>())
                        .add(row));
    }

    void load() {
        if (rows.size() != tables.next() - tables.gate()) {
            throw ShardFacts.refused("the ring has " + rows.size() + " messages between gate " + tables.gate()
                    + " and next " + tables.next());
        }
        for (int row = 0; row < rows.size(); row++) {
            load(row);
        }
    }

    int owedMessages() {
        return owedMessages;
    }

    private void load(int row) {
        AddressEntry address = catalog.entry(rows.addressId(row));
        long settled = settled(rows.sequence(row));
        long owed = address == null ? 0 : owed(row, address, settled);
        DecisionTable.Rule rule = DecisionTable.decide(facts(row, address, settled, owed));
        switch (rule.verdict()) {
            case OVER -> recovered(row, 0);
            case OWED, PARKED -> owes(row, address, owed, rule);
            case REFUSED ->
                throw ShardFacts.refused("slot "
                        + Math.floorMod(rows.sequence(row), (long) tables.capacity()) + " holds message "
                        + rows.sequence(row) + ": " + rule.label());
        }
    }

    private RowFacts facts(int row, AddressEntry address, long settled, long owed) {
        boolean follows = rows.sequence(row) == tables.gate() + row;
        return new RowFacts(
                follows ? Place.FOLLOWS : Place.ASTRAY,
                rows.isCounted(row) ? Bits.COUNTED : Bits.MISCOUNTED,
                (settled & ~rows.pending(row)) == 0 ? LedgerBits.WITHIN : LedgerBits.BEYOND,
                home(row, address),
                owed == 0 ? Owed.NONE : Owed.SOME,
                rows.isBodyComplete(row) ? Body.COMPLETE : Body.INCOMPLETE);
    }

    private Home home(int row, AddressEntry address) {
        if (address != null) {
            return Home.KNOWN;
        }
        return rows.addressId(row) < tables.nextId() ? Home.FORMER : Home.NEVER;
    }

    /** Bits that the ledger says are settled, whoever held them. */
    private long settled(long sequence) {
        long settled = 0;
        for (Flush.Settlement line : ledger.getOrDefault(RingGeometry.blockOf(sequence), List.of())) {
            if (Bitmap.get(line.settled(), sequence)) {
                settled |= 1L << line.bit();
            }
        }
        return settled;
    }

    private long owed(int row, AddressEntry address, long settled) {
        long owed = 0;
        for (SubscriptionEntry entry : address.subscriptions()) {
            Subscription subscription = entry.subscription();
            if (subscription.owes(rows.sequence(row), rows.group(row), rows.pending(row))) {
                owed |= subscription.mask();
            }
        }
        return owed & ~settled;
    }

    private void owes(int row, AddressEntry address, long owed, DecisionTable.Rule rule) {
        long sequence = rows.sequence(row);
        for (SubscriptionEntry entry : address.subscriptions()) {
            Subscription subscription = entry.subscription();
            if (subscription.group() == rows.group(row) && (owed & subscription.mask()) != 0) {
                entry.recoveredInRing();
                if (subscription.isRetention()) { // nobody reads it
                    address.retained().claimed(rows.bytes(row));
                    continue;
                }
                RecoveredSubscription reader = readers.get(subscription.id());
                reader.owesInRing(sequence, rows.priority(row), rows.deliverAt(row));
                if (rule.verdict() == Verdict.PARKED) {
                    reader.damaged(sequence, rule.label());
                    LOG.error("message {} of {} is damaged: {}", sequence, subscription, rule.label());
                }
            }
        }
        recovered(row, owed);
        owedMessages++;
        address.address().quota().occupied(1, rows.bytes(row));
    }

    private void recovered(int row, long owed) {
        state.recovered(
                rows.sequence(row), rows.addressId(row), rows.group(row), owed, rows.bytes(row), rows.publishedAt(row));
    }
}
