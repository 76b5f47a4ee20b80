package io.ringtable.broker.placement;

import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.inbox.InboxCrossing;
import io.ringtable.broker.inbox.SharedLooks;
import io.ringtable.broker.store.RingOwnership.Placed;
import io.ringtable.broker.store.RingOwnership.Placements;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.store.jdbc.StoreEngine;
import io.ringtable.broker.store.jdbc.StoreErrors;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the stores of all shards of a node, by number, each open in the database where its shard lies. A database other
 * than the main one may be away when the node starts: its stores are opened when they are asked for (ADR 68).
 * <p>
 * Nothing is taken whose database could not be asked where shards lie, and no ring is laid while any of them cannot.
 * <p>
 * Thread: the one that starts the broker opens and closes them. The keeper of a shard asks for its own, and any may ask
 * for one that is open.
 */
public final class PlacedStores implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PlacedStores.class);
    private static final int FIRST = 0; // lies in the main database
    /** Connections for a look into another database: a carrier is the only one who asks. */
    private static final int CROSSING_READERS = 1;

    private static final StoreLimits NOT_OPEN = new StoreLimits("(not open yet)", 0, 0, 0, false, null, null);

    private final Placement placement;
    private final StoreSettings main;
    private final UnaryOperator<RingStore> around;
    /** By number; null = its database was away whenever it was asked for. Written under the lock of this object. */
    private final AtomicReferenceArray<RingStore> stores;

    private final Set<Integer> compared = ConcurrentHashMap.newKeySet(); // databases, by their lowest shard
    private final Set<Integer> kept = ConcurrentHashMap.newKeySet(); // shards whose place their database keeps
    /** Why databases were away when the node started, by their lowest shard. Written by the starter alone. */
    private final Map<Integer, StoreFailure> awayAtStart = new HashMap<>();

    private final Map<Integer, SharedLooks> looks = new ConcurrentHashMap<>(); // of databases, by their lowest shard
    private boolean closed; // under the lock

    /**
     * @param main settings of {@code ringtable.store}
     * @param around wraps each store
     */
    public PlacedStores(Placement placement, StoreSettings main, UnaryOperator<RingStore> around) {
        this.placement = placement;
        this.main = main;
        this.around = around;
        this.stores = new AtomicReferenceArray<>(placement.shards());
    }

    /**
     * Refuses what cannot be opened, before anything is written.
     *
     * @throws io.ringtable.broker.config.ConfigurationRefused if the stores cannot be several databases
     * @throws StoreFailure if there is no such engine
     */
    public void check() {
        placement.engine(main);
    }

    /**
     * Refuses stores that one process alone can open.
     *
     * @throws ConfigurationRefused if the engine is an embedded one
     */
    public void checkShared() {
        if (placement.engine(main).embedded()) {
            throw new ConfigurationRefused(
                    "RT-1220",
                    "ringtable.cluster.enabled=true, and a SQLite store belongs to one node: leave it out, or let"
                            + " ringtable.store.url name a database of PostgreSQL or SQL Server");
        }
    }

    // ---- opening

    /**
     * Opens those whose database is there. The main one has to be.
     *
     * @throws StoreFailure if one cannot be used, or the main database is away; it names its place
     */
    public void open() {
        for (int door : placement.doors()) {
            List<Integer> shards = IntStream.range(0, size())
                    .filter(shard -> placement.doorOf(shard) == door)
                    .boxed()
                    .toList();
            try {
                shards.forEach(this::get);
            } catch (StoreFailure failure) {
                if (!mayBeAway(door, failure)) {
                    throw placement.isSplit() && failure.isPassing() ? ofMain(failure) : failure;
                }
                awayAtStart.put(door, failure);
                LOG.warn(
                        "RT-1216 the database of store '{}' is away: the node starts without the shards {}, and takes"
                                + " them when it is back; {}",
                        placement.nameOf(door),
                        shards,
                        failure.getMessage());
            }
        }
    }

    private static StoreFailure ofMain(StoreFailure failure) {
        return new StoreFailure(
                failure.kind(),
                "RT-1217",
                "the node does not start without the database of ringtable.store, where the directory, users and"
                        + " policies lie: bring it back, and start the node again; " + failure.getMessage(),
                failure.getCause());
    }

    /**
     * Refuses a shard whose store has not been open yet, without another try: a database that does not answer takes its
     * time each time.
     *
     * @throws StoreFailure as {@link #open} has had it
     */
    public void checkOpen(int shard) {
        if (!isOpen(shard)) {
            throw awayAtStart.get(placement.doorOf(shard));
        }
    }

    /** Tells whether the node may serve others without a shard whose store has failed in that way. */
    public boolean mayBeAway(int shard, StoreFailure failure) {
        return shard != FIRST && placement.isSplit() && failure.isPassing();
    }

    /** Returns how many shards there are. */
    public int size() {
        return placement.shards();
    }

    /** Returns the store of a shard, and opens it if need be. @throws StoreFailure if its database is away */
    public RingStore get(int shard) {
        RingStore open = stores.get(shard);
        return open == null ? opened(shard) : open;
    }

    private RingStore opened(int shard) {
        StoreEngine engine = placement.engine(main);
        RingStore opened = around.apply(engine.open(placement.settings(main, shard)));
        synchronized (this) {
            if (!closed && stores.compareAndSet(shard, null, opened)) {
                return opened;
            }
        }
        opened.close(); // another thread was faster, or the node ends
        RingStore known = stores.get(shard);
        if (known == null) {
            throw StoreErrors.closed();
        }
        return known;
    }

    /** Answers whether the store of a shard is open. */
    public boolean isOpen(int shard) {
        return stores.get(shard) != null;
    }

    /** Returns the limits of the store that promises least, for people; before one is open, none of any engine. */
    public StoreLimits limits() {
        return all().stream()
                .map(RingStore::limits)
                .max(Comparator.<StoreLimits, Boolean>comparing(its -> its.delayed() != null)
                        .thenComparing(its -> its.unreplicated() != null))
                .orElse(NOT_OPEN);
    }

    /** Returns those that are open, and of a database that has been compared, by number. */
    public List<RingStore> compared() {
        return IntStream.range(0, size())
                .filter(shard -> isOpen(shard) && (size() == 1 || compared.contains(placement.doorOf(shard))))
                .mapToObj(stores::get)
                .toList();
    }

    private List<RingStore> all() {
        List<RingStore> open = new ArrayList<>();
        for (int shard = 0; shard < size(); shard++) {
            if (isOpen(shard)) {
                open.add(stores.get(shard));
            }
        }
        return open;
    }

    /** Returns the name of the store in which the shard lies. */
    public String nameOf(int shard) {
        return placement.nameOf(shard);
    }

    /**
     * Returns a way into the inbox of each other database, for one shard; none if there is one database. The caller
     * closes them.
     */
    public List<InboxCrossing> crossings(int shard) {
        int own = placement.doorOf(shard);
        return placement.doors().stream()
                .filter(door -> door != own)
                .map(door -> new InboxCrossing(door, placement.nameOf(door), () -> openInOther(door, shard)))
                .toList();
    }

    /** Returns the looks of all collectors in the database of a shard. */
    public SharedLooks looks(int shard) {
        return looks.computeIfAbsent(placement.doorOf(shard), door -> new SharedLooks(System.nanoTime()));
    }

    /**
     * Opens the store of a shard in another database: one that may be another broker's has messages of that one.
     *
     * @return null while no shard has been laid there: then nobody has put anything there either
     */
    RingStore openInOther(int door, int shard) {
        if (!compared.contains(door)) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE,
                    "RT-4588",
                    "store '" + nameOf(door)
                            + "' is not compared yet, as it was away at the start: nothing is taken over"
                            + " before one of its shards is taken");
        }
        return get(door).placements().held().isEmpty()
                ? null
                : placement.engine(main).open(inOther(door, shard));
    }

    /** Returns the settings of a store that reads what another database has for the shard, and owns nothing there. */
    private StoreSettings inOther(int door, int shard) {
        StoreSettings other = placement.settings(main, door);
        return new StoreSettings(other.properties().readersMax(CROSSING_READERS), other.dataDir(), shard);
    }

    // ---- where shards lie

    /**
     * Compares the configuration with what the databases know that are there. A broker with one shard asks nothing: its
     * database counts its shards when the shard is taken.
     *
     * @throws io.ringtable.broker.config.ConfigurationRefused if a shard lies elsewhere than the configuration says
     */
    public void checkPlaces() {
        if (size() > 1) {
            compare(known());
        }
    }

    /** Asks each database that is open, and leaves out those that do not answer. */
    private Map<Integer, Placements> known() {
        Map<Integer, Placements> known = new LinkedHashMap<>();
        for (int door : placement.doors()) {
            try {
                if (isOpen(door)) {
                    known.put(door, get(door).placements());
                }
            } catch (StoreFailure failure) {
                if (!mayBeAway(door, failure)) {
                    throw failure;
                }
            }
        }
        return known;
    }

    private void compare(Map<Integer, Placements> known) {
        new PlacementCheck(placement, known).check();
        compared.addAll(known.keySet());
    }

    /**
     * Returns the store of a shard that is about to be taken. A database that was away so far is compared first. All
     * are, if the shard has no ring in its database yet: the call that takes it would lay one. For a shard that has its
     * ring nobody asks the others, which may be away.
     *
     * @throws io.ringtable.broker.config.ConfigurationRefused if a shard lies elsewhere than the configuration says
     * @throws StoreFailure if a database is away that has to be asked
     */
    public RingStore toTake(int shard) {
        RingStore store = get(shard);
        if (size() == 1) {
            return store;
        }
        int door = placement.doorOf(shard);
        Placements own = store.placements();
        if (!compared.contains(door)) {
            Map<Integer, Placements> known = new LinkedHashMap<>();
            known.put(FIRST, get(FIRST).placements());
            known.put(door, own);
            compare(known);
        }
        if (!own.held().contains(shard)) {
            compare(allFor(shard));
        }
        return store;
    }

    /** Asks every database whether it has a shard that seems to be new. */
    private Map<Integer, Placements> allFor(int shard) {
        Map<Integer, Placements> known = new LinkedHashMap<>();
        for (int door : placement.doors()) {
            try {
                known.put(door, get(door).placements());
            } catch (StoreFailure failure) {
                throw new StoreFailure(
                        failure.kind(),
                        "RT-4585",
                        "shard " + shard + " has no ring in store '" + nameOf(shard) + "' yet, and store '"
                                + nameOf(door) + "' may have it: bring that database back, and the shard is taken; "
                                + failure.getMessage(),
                        failure);
            }
        }
        return known;
    }

    /**
     * Lets each database that is there know where shards lie, once this node owns them; the main one first. One in
     * which no shard has been laid hears of it with its first.
     */
    public void keepPlaces() {
        if (placement.isSplit()) {
            tell(FIRST, rows(known()).get(FIRST)); // whose tokens count, should another node be about to do the same
            Map<Integer, Placements> known = known();
            rows(known).forEach((door, rows) -> {
                try {
                    if (door == FIRST || !known.get(door).held().isEmpty()) { // else it may have no tables
                        tell(door, rows);
                    }
                } catch (StoreFailure failure) {
                    if (!mayBeAway(door, failure)) {
                        throw failure;
                    }
                }
            });
        }
    }

    /**
     * Lets the database of a shard that this node owns know where all lie, unless it keeps that already. A caller of
     * {@code publish} there depends on it.
     *
     * @throws StoreFailure if it cannot be told: then nothing of the shard may be served
     */
    public void keepPlaces(int shard) {
        int door = placement.doorOf(shard);
        if (placement.isSplit() && !kept.contains(shard)) {
            Map<Integer, Placements> known = new LinkedHashMap<>();
            known.put(FIRST, get(FIRST).placements());
            known.put(door, get(door).placements());
            boolean isNew = known.get(FIRST).of(shard) == null;
            tell(FIRST, rows(known).get(FIRST)); // whose tokens count, should another node be about to do the same
            known.put(FIRST, get(FIRST).placements());
            rows(known).forEach(this::tell);
            if (isNew) {
                keepPlaces(); // the shard may have begun while this node serves others
            }
        }
    }

    private Map<Integer, List<Placed>> rows(Map<Integer, Placements> known) {
        return new PlacementCheck(placement, known).rows(shard -> placement.placeOf(main, shard));
    }

    private void tell(int door, List<Placed> rows) {
        get(door).keepPlacements(rows);
        rows.stream().filter(Placed::here).map(Placed::shard).forEach(kept::add);
    }

    @Override
    public void close() {
        List<RingStore> open;
        synchronized (this) {
            closed = true;
            open = all();
        }
        open.forEach(RingStore::close);
    }
}
