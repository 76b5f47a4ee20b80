package io.ringtable.broker.placement;

import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.store.RingOwnership.Placed;
import io.ringtable.broker.store.RingOwnership.Placements;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntFunction;

/**
 * Sees that each shard lies where the configuration has it. A start elsewhere would lay an empty ring, and the messages
 * would seem to be gone.
 * <p>
 * Every database of a broker keeps the same rows, one for each shard, with a token that was made when the shard first
 * lay there. So the main database knows the others again, and each of them knows its main one.
 * <p>
 * Thread: housekeeper.
 */
final class PlacementCheck {
    private static final int FIRST = 0; // lies in the main database

    private final Placement placement;
    private final PlacedStores stores;
    private final Map<Integer, Placements> known = new LinkedHashMap<>(); // by the lowest shard of each database

    PlacementCheck(Placement placement, PlacedStores stores) {
        this.placement = placement;
        this.stores = stores;
        placement.doors().forEach(door -> known.put(door, stores.get(door).placements()));
    }

    void check() {
        known.forEach(this::checkHeld);
        for (int shard = 0; shard < placement.shards(); shard++) {
            checkRecorded(shard);
        }
    }

    /** Refuses a ring in a database that the configuration does not have there. */
    private void checkHeld(int door, Placements database) {
        for (int held : database.held()) {
            boolean isThere = held < placement.shards() && placement.doorOf(held) == door;
            boolean isForCount = door == FIRST && held >= placement.shards(); // RT-1196 tells the number that is needed
            if (!isThere && !isForCount) {
                throw moved(held, placement.nameOf(door), "where it has its ring");
            }
        }
    }

    private void checkRecorded(int shard) {
        int door = placement.doorOf(shard);
        Placements own = known.get(door);
        Placed inMain = known.get(FIRST).of(shard);
        Placed inOwn = own.of(shard);
        if (inMain != null && inMain.here() != (door == FIRST)) {
            throw moved(shard, inMain.store(), "at " + inMain.place());
        }
        if (door == FIRST || inMain == null && inOwn == null) {
            return; // new, or of a broker that had one database
        }
        if (inMain == null) {
            Placed itsMain = own.of(FIRST);
            throw foreign(
                    shard,
                    "has it for the broker whose ringtable.store is "
                            + (itsMain == null ? "not known" : itsMain.place()) + ", which this one's is not");
        }
        if (inOwn == null && !own.held().contains(shard)) {
            throw foreign(shard, "has no ring of it, and it has been in use");
        }
        if (inOwn != null && !inOwn.token().equals(inMain.token())) {
            throw foreign(shard, "has one of the same number from another broker");
        }
    }

    private ConfigurationRefused moved(int shard, String store, String where) {
        return new ConfigurationRefused(
                "RT-1209",
                "shard " + shard + " lies in store '" + store + "', " + where + ", and the configuration has it "
                        + (shard < placement.shards()
                                ? "in '" + placement.nameOf(shard) + "'"
                                : "nowhere (ringtable.shards=" + placement.shards() + ")")
                        + ". Its messages stay where they are: name it in ringtable.stores as before");
    }

    private ConfigurationRefused foreign(int shard, String what) {
        return new ConfigurationRefused(
                "RT-1210",
                "the database of store '" + placement.nameOf(shard) + "' is not the one in which shard " + shard
                        + " lies: it " + what + ". Let the URL name that database, or restore it from its backup");
    }

    /** Keeps where each shard lies in every database, in the main one first. */
    void keep(IntFunction<String> placeOf) {
        Map<Integer, String> tokens = new HashMap<>();
        for (int shard = 0; shard < placement.shards(); shard++) {
            Placed kept = known.get(FIRST).of(shard);
            tokens.put(shard, kept == null ? UUID.randomUUID().toString() : kept.token());
        }
        for (int door : placement.doors()) {
            List<Placed> rows = new ArrayList<>();
            tokens.forEach((shard, token) -> rows.add(new Placed(
                    shard, token, placement.doorOf(shard) == door, placement.nameOf(shard), placeOf.apply(shard))));
            stores.get(door).keepPlacements(rows);
        }
    }
}
