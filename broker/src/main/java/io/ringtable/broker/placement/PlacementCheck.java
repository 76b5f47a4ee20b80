package io.ringtable.broker.placement;

import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.store.RingOwnership.Placed;
import io.ringtable.broker.store.RingOwnership.Placements;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.IntFunction;

/**
 * Sees that each shard lies where the configuration has it. A start elsewhere would lay an empty ring, and the messages
 * would seem to be gone.
 * <p>
 * Every database of a broker keeps the same rows, one for each shard, with a token that was made when the shard first
 * lay there. So the main database knows the others again, and each of them knows its main one.
 * <p>
 * A database that is away may be left out. Rings in the others are found all the same, wherever the configuration has
 * their shards. Nobody takes a shard from a database before that one is compared too.
 * <p>
 * Thread: any.
 */
final class PlacementCheck {
    private static final int FIRST = 0; // lies in the main database

    private final Placement placement;
    private final Map<Integer, Placements> known; // by the lowest shard of each database

    /** @param known what databases say, by their lowest shards; the main one is the first of them */
    PlacementCheck(Placement placement, Map<Integer, Placements> known) {
        this.placement = placement;
        this.known = known;
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
        if (inMain != null && inMain.here() != (door == FIRST)) {
            throw moved(shard, inMain.store(), "at " + inMain.place());
        }
        Placed inOwn = own == null ? null : own.of(shard);
        if (door == FIRST || own == null || inMain == null && inOwn == null) {
            return; // compared already, away, or new or of a broker that had one database
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
        if (inOwn != null && !inOwn.here()) {
            throw moved(shard, inOwn.store(), "at " + inOwn.place()); // perhaps in one that is away
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

    /**
     * Returns the rows that each known database is to keep, by its lowest shard; the main one is the first. A shard
     * whose database is away keeps the row that the main one has. It has none if nobody knows whether it was ever laid.
     *
     * @param placeOf address of the database of a shard, for people
     */
    Map<Integer, List<Placed>> rows(IntFunction<String> placeOf) {
        Map<Integer, Placed> all = new TreeMap<>();
        for (int shard = 0; shard < placement.shards(); shard++) {
            Placed kept = known.get(FIRST).of(shard);
            if (isLaid(shard)) {
                String token = kept == null ? UUID.randomUUID().toString() : kept.token();
                all.put(shard, new Placed(shard, token, false, placement.nameOf(shard), placeOf.apply(shard)));
            } else if (kept != null) {
                all.put(shard, kept);
            }
        }
        Map<Integer, List<Placed>> rows = new LinkedHashMap<>();
        for (int door : known.keySet()) {
            rows.put(
                    door,
                    all.values().stream()
                            .map(row -> row.here(placement.doorOf(row.shard()) == door))
                            .toList());
        }
        return rows;
    }

    private boolean isLaid(int shard) {
        Placements own = known.get(placement.doorOf(shard));
        return own != null && own.held().contains(shard);
    }
}
