package io.ringtable.broker.placement;

import io.ringtable.broker.inbox.InboxCrossing;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.store.jdbc.StoreEngine;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/**
 * Holds the stores of all shards of a node, by number, each open in the database where its shard lies.
 * <p>
 * Thread: the one that starts the broker opens and closes them; any may ask for one that is open.
 */
public final class PlacedStores implements AutoCloseable {
    /** Connections for a look into another database: the carrier is the only one who asks. */
    private static final int CROSSING_READERS = 1;

    private static final StoreLimits NOT_OPEN = new StoreLimits("(not open yet)", 0, 0, 0, false, null);

    private final Placement placement;
    private final StoreSettings main;
    private final UnaryOperator<RingStore> around;
    private final List<RingStore> stores = new CopyOnWriteArrayList<>();

    /**
     * @param main settings of {@code ringtable.store}
     * @param around wraps each store
     */
    public PlacedStores(Placement placement, StoreSettings main, UnaryOperator<RingStore> around) {
        this.placement = placement;
        this.main = main;
        this.around = around;
    }

    /**
     * Refuses what cannot be opened, before anything is written.
     *
     * @throws io.ringtable.broker.config.ConfigurationRefused if the stores cannot be several databases
     * @throws io.ringtable.broker.store.StoreFailure if there is no such engine
     */
    public void check() {
        placement.engine(main);
    }

    /** Opens all of them. @throws io.ringtable.broker.store.StoreFailure if one cannot be used; it names its place */
    public void open() {
        StoreEngine engine = placement.engine(main);
        for (int shard = 0; shard < placement.shards(); shard++) {
            stores.add(around.apply(engine.open(placement.settings(main, shard))));
        }
    }

    /** Returns how many shards there are. */
    public int size() {
        return placement.shards();
    }

    /** Returns the store of a shard. */
    public RingStore get(int shard) {
        return stores.get(shard);
    }

    /** Answers whether the store of a shard is open. */
    public boolean isOpen(int shard) {
        return shard < stores.size();
    }

    /** Returns the limits of the store that promises least, for people; before one is open, none of any engine. */
    public StoreLimits limits() {
        return stores.stream()
                .map(RingStore::limits)
                .max(Comparator.comparing(its -> its.delayed() != null))
                .orElse(NOT_OPEN);
    }

    /** Returns all that are open. */
    public List<RingStore> all() {
        return List.copyOf(stores);
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
                .map(door -> new InboxCrossing(
                        door,
                        placement.nameOf(door),
                        () -> placement.engine(main).open(inOther(door, shard))))
                .toList();
    }

    /** Returns the settings of a store that reads what another database has for the shard, and owns nothing there. */
    private StoreSettings inOther(int door, int shard) {
        StoreSettings other = placement.settings(main, door);
        return new StoreSettings(other.properties().readersMax(CROSSING_READERS), other.dataDir(), shard);
    }

    /**
     * Compares the configuration with what all databases know. A broker with one shard asks nothing: its database
     * counts its shards when the shard is taken.
     *
     * @throws io.ringtable.broker.config.ConfigurationRefused if a shard lies elsewhere than the configuration says
     */
    public void checkPlaces() {
        if (size() > 1) {
            new PlacementCheck(placement, this).check();
        }
    }

    /**
     * Compares once more before a shard is taken that has no ring in its database yet: the call would lay one. For a
     * shard that has its ring nobody asks the other databases, which may be away.
     */
    public void checkBeforeLaying(int shard) {
        if (size() > 1 && !get(shard).placements().held().contains(shard)) {
            checkPlaces();
        }
    }

    /** Lets each database know where all shards lie, once this node owns them. */
    public void keepPlaces() {
        if (placement.isSplit()) {
            new PlacementCheck(placement, this).keep(shard -> placement.placeOf(main, shard));
        }
    }

    @Override
    public void close() {
        stores.forEach(RingStore::close);
    }
}
