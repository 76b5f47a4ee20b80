package io.ringtable.benchmarks.store;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.LogMeter;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.ring.References;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.SubscriptionRow;
import io.ringtable.broker.store.jdbc.RingStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;

/**
 * Drives the store as the committer does. One flush claims this batch and settles the previous one. The ring is cleared
 * in portions once less than a quarter of it is free, so that it laps for ever.
 */
public final class RingWorkload implements Workload {
    static final int BODIES = 1024;

    /** The broker's default; a run laps these slots in less than a second. */
    public static final RingGeometry GEOMETRY = new RingGeometry(65_536);

    private static final int FILL_BATCH = 2_000;
    private static final int CHANGES_AT_ONCE = 1_000;
    private static final long QUOTA = 1L << 40;
    private static final int PRIORITY = 4;

    private final BenchmarkDatabase database;
    private final Shape shape;
    private final RingGeometry geometry;
    private final RingStore store;
    private final long epoch;
    private final LogMeter log;
    private final Ring ring;
    private final References references;
    private final Ledger ledger = new Ledger();
    private final byte[][] bodies = bodies();
    private long nextId = 1;
    private long firstAddress;
    private long settledBelow;

    RingWorkload(BenchmarkDatabase database, Shape shape) {
        this(database, shape, GEOMETRY);
    }

    /** @param geometry of the ring, which is laid in the empty database */
    public RingWorkload(BenchmarkDatabase database, Shape shape, RingGeometry geometry) {
        this.database = database;
        this.shape = shape;
        this.geometry = geometry;
        this.references = new References(geometry);
        store = RingStores.open(database.settings());
        Ownership ownership = store.acquire("benchmark", "benchmark", Duration.ofHours(1), geometry);
        epoch = ((Ownership.Owned) ownership).epoch();
        ShardState state = store.recover(epoch, row -> {
            throw new IllegalStateException("the database is not empty: " + row);
        });
        ring = new Ring(geometry, state.gate(), state.next());
        nextId = state.nextId();
        if (shape.backlogRows() > 0) {
            fillBacklog(shape.backlogRows());
        }
        firstAddress = createAddresses(shape.addresses(), shape.subscribers());
        settledBelow = ring.next();
        publish(shape.batch(), firstAddress, shape.addresses(), pending(shape.subscribers()));
        log = database.logMeter();
    }

    static byte[][] bodies() {
        byte[][] bodies = new byte[BODIES][Shape.BODY_BYTES];
        Random random = new Random(1);
        for (byte[] body : bodies) {
            random.nextBytes(body);
        }
        return bodies;
    }

    @Override
    public int commit() {
        commit(shape.batch());
        return shape.batch();
    }

    /** Makes one commit of so many messages, durable when this returns. */
    public void commit(int messages) {
        while (ring.room() < geometry.capacity() / 4 && clearPortion()) {
            log.committed();
        }
        publish(messages, firstAddress, shape.addresses(), pending(shape.subscribers()));
        log.committed();
    }

    /** Reads the messages of the last commit from the store, bodies included. */
    public void readBack() {
        long[] sequences = LongStream.range(settledBelow, ring.next()).toArray();
        int found = store.readRing(sequences).size();
        if (found != sequences.length) {
            throw new IllegalStateException(found + " of " + sequences.length + " messages are in the ring");
        }
    }

    /** Returns the settings by which the store says that its commits do not wait for the log; empty if none does. */
    public Optional<String> whyDelayed() {
        return Optional.ofNullable(store.limits().delayed());
    }

    /** Returns how many messages were published since the workload began. */
    public long published() {
        return ring.next();
    }

    /** Flushes new messages together with the settlements of everything published before. */
    private void publish(int messages, long address, int addresses, long pending) {
        List<StoredMessage> claims = new ArrayList<>(messages);
        long now = System.currentTimeMillis();
        long first = ring.next();
        for (int i = 0; i < messages; i++) {
            long sequence = first + i;
            byte[] body = bodies[(int) sequence & BODIES - 1];
            claims.add(new StoredMessage(
                    sequence, address + sequence % addresses, now, PRIORITY, 0, 0, 0, pending, body, 0, body.length));
        }
        List<Flush.Settlement> settlements = settle(pending);
        store.flush(
                new Flush(epoch, ring.gate(), claims, settlements, List.of(), List.of(), List.of(), Flush.UNCHANGED));
        ledger.commit();
        for (long sequence = settledBelow; sequence < first; sequence++) {
            references.settled(sequence, pending);
        }
        settledBelow = first;
        for (StoredMessage claim : claims) {
            references.claimed(claim.sequence(), claim.addressId(), claim.group(), claim.pending(), claim.bodyBytes());
        }
        ring.claimed(messages);
    }

    private List<Flush.Settlement> settle(long pending) {
        for (long bits = pending; bits != 0; bits &= bits - 1) {
            int bit = Long.numberOfTrailingZeros(bits);
            for (long sequence = settledBelow; sequence < ring.next(); sequence++) {
                ledger.stage(sequence, bit);
            }
        }
        List<Flush.Settlement> rows = new ArrayList<>();
        ledger.forEachStaged((block, bit, settled) -> rows.add(new Flush.Settlement(block, bit, settled)));
        return rows;
    }

    /**
     * Clears a portion that ends with its segment, as the committer's reclaimer does.
     *
     * @return false if there is nothing to clear
     */
    private boolean clearPortion() {
        long gate = ring.gate();
        long claimed = Math.min(settledBelow, ring.next()) / RingGeometry.BLOCK * RingGeometry.BLOCK;
        long segmentEnd = (gate / geometry.segmentSize() + 1) * geometry.segmentSize();
        long newGate = Math.min(Math.min(gate + geometry.capacity() / 16, claimed), segmentEnd);
        if (newGate <= gate) {
            return false;
        }
        store.reclaim(epoch, gate, newGate, references.countOwed(gate, newGate));
        for (long sequence = gate; sequence < newGate; sequence++) {
            references.settled(sequence, -1L);
        }
        ring.raiseGate(newGate);
        ledger.dropBelow(RingGeometry.blockOf(newGate));
        return true;
    }

    /** Fills the backlog with messages of a queue without consumers, by reclaiming every portion that they lie in. */
    private void fillBacklog(int rows) {
        long forgotten = createAddresses(1, 1);
        while (ring.next() < rows) {
            while (ring.room() < FILL_BATCH) {
                clearPortion();
            }
            settledBelow = ring.next(); // no consumer settles these messages
            publish(FILL_BATCH, forgotten, 1, pending(1));
        }
        settledBelow = ring.next();
        while (clearPortion()) {
            // until all messages except those of the last, open block lie in the backlog
        }
    }

    /** @return the id of the first address; the other ids follow */
    private long createAddresses(int addresses, int subscribers) {
        long first = nextId;
        nextId += addresses;
        List<CatalogChange> changes = new ArrayList<>();
        for (int i = 0; i < addresses; i++) {
            AddressKind kind = subscribers == 1 ? AddressKind.QUEUE : AddressKind.TOPIC;
            changes.add(new CatalogChange.CreateAddress(first + i, "address-" + (first + i), kind, QUOTA, QUOTA));
            for (int bit = 0; bit < subscribers; bit++) {
                changes.add(new CatalogChange.Subscribe(subscription(first + i, bit, subscribers)));
            }
            if (changes.size() >= CHANGES_AT_ONCE || i == addresses - 1) {
                store.alter(epoch, changes);
                changes = new ArrayList<>();
            }
        }
        return first;
    }

    private SubscriptionRow subscription(long address, int bit, int subscribers) {
        String name = subscribers == 1 ? "" : "subscriber-" + bit;
        String client = subscribers == 1 ? "" : "benchmark";
        return new SubscriptionRow(
                nextId++,
                address,
                client,
                name,
                0,
                bit,
                ring.next(),
                Flush.DispatchBound.FOLLOWS,
                null,
                false,
                subscribers == 1);
    }

    private static long pending(int subscribers) {
        return (1L << subscribers) - 1;
    }

    @Override
    public long logBytes() {
        return log.bytes();
    }

    @Override
    public double cpuSeconds() {
        return database.cpuSeconds();
    }

    /** Ends the store's sessions, and leaves the database. */
    public void closeStore() {
        log.close();
        store.close();
    }

    @Override
    public void close() {
        closeStore();
        database.close();
    }
}
