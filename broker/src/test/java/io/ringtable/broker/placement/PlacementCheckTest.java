package io.ringtable.broker.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.store.RingOwnership.Placed;
import io.ringtable.broker.store.RingOwnership.Placements;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Shards 0 to main, 1 to b, 2 to c: what is found of a shard that lies elsewhere, whichever database is away. */
class PlacementCheckTest {
    private static final int SHARDS = 3;
    private static final List<String> NAMES = List.of("main", "b", "c");
    private static final Placement CONFIGURED = placement(1, 2);
    private static final Placement SWAPPED = placement(2, 1);

    /** By their lowest shard, as the configuration of the test has it. */
    private final Map<Integer, Placements> known = new LinkedHashMap<>();

    private static Placement placement(int ofB, int ofC) {
        return TestSettings.of(
                        "ringtable.shards", SHARDS,
                        "ringtable.stores[0].name", "b",
                        "ringtable.stores[0].url", "jdbc:postgresql://b/ringtable",
                        "ringtable.stores[0].shards", ofB,
                        "ringtable.stores[1].name", "c",
                        "ringtable.stores[1].url", "jdbc:postgresql://c/ringtable",
                        "ringtable.stores[1].shards", ofC)
                .shard()
                .placement();
    }

    /** A database with the ring of one shard, which knows where all lie. */
    private static Placements having(int held) {
        return new Placements(
                Set.of(held),
                IntStream.range(0, SHARDS)
                        .mapToObj(shard -> new Placed(shard, "token " + shard, shard == held, NAMES.get(shard), "at"))
                        .toList());
    }

    private void refused(Placement placement, String text) {
        assertThatThrownBy(() -> new PlacementCheck(placement, known).check())
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith(text);
    }

    private void passes(Placement placement) {
        new PlacementCheck(placement, known).check();
    }

    @Test
    void whatLiesWhereItIsConfiguredPassesWhicheverIsAway() {
        known.put(0, having(0));
        passes(CONFIGURED);
        known.put(2, having(2));
        passes(CONFIGURED);
        known.put(1, having(1));
        passes(CONFIGURED);
    }

    @Test
    void aRingInADatabaseThatIsThereIsFoundThoughItsShardIsConfiguredInOneThatIsAway() {
        known.put(0, having(0));
        known.put(1, having(2)); // c, which has shard 1 now
        refused(SWAPPED, "RT-1209 shard 2 lies in store 'c', where it has its ring, and the configuration has it in");
    }

    @Test
    void aDatabaseThatKnowsItsShardToLieElsewhereIsNotTakenForItsHome() {
        known.put(0, having(0));
        known.put(1, new Placements(Set.of(), having(2).recorded())); // b is away, or in no store any more
        refused(SWAPPED, "RT-1209 shard 1 lies in store 'b', at at");
    }

    @Test
    void theMainDatabaseAloneTellsOfAShardThatIsConfiguredThereAndLiesElsewhere() {
        known.put(0, having(0));
        refused(TestSettings.of("ringtable.shards", SHARDS).shard().placement(), "RT-1209 shard 1 lies in store 'b'");
    }

    @Test
    void aDatabaseThatIsAwayLeavesItsShardsOpenUntilItIsCompared() {
        known.put(0, having(0));
        passes(SWAPPED);
        known.put(2, having(1)); // b has come back
        refused(SWAPPED, "RT-1209 shard 1 lies in store 'b', where it has its ring");
    }

    @Test
    void anotherDatabaseAtTheUrlIsFoundWhenItIsCompared() {
        known.put(0, having(0));
        known.put(1, new Placements(Set.of(), List.of()));
        refused(CONFIGURED, "RT-1210 the database of store 'b' is not the one in which shard 1 lies: it has no ring");
        known.put(1, new Placements(Set.of(1), List.of(new Placed(1, "another", true, "b", "at"))));
        refused(CONFIGURED, "RT-1210 the database of store 'b' is not the one in which shard 1 lies: it has one of");
    }

    // ---- what is kept

    @Test
    void eachDatabaseThatIsThereKeepsWhereAllLie() {
        known.put(0, new Placements(Set.of(0), List.of()));
        known.put(1, new Placements(Set.of(1), List.of()));
        known.put(2, new Placements(Set.of(2), List.of()));
        Map<Integer, List<Placed>> rows = new PlacementCheck(CONFIGURED, known).rows(shard -> "place " + shard);
        assertThat(rows.keySet()).containsExactly(0, 1, 2);
        rows.forEach((door, all) -> {
            assertThat(all).extracting(Placed::shard).containsExactly(0, 1, 2);
            assertThat(all).filteredOn(Placed::here).extracting(Placed::shard).containsExactly(door);
            assertThat(all).extracting(Placed::store).containsExactly("main", "b", "c");
            assertThat(all)
                    .extracting(Placed::token)
                    .isEqualTo(rows.get(0).stream().map(Placed::token).toList());
        });
    }

    /** Its store may have another name in the configuration, which nobody has compared yet. */
    @Test
    void aShardOfADatabaseThatIsAwayKeepsItsRow() {
        known.put(0, having(0));
        known.put(2, having(2));
        Map<Integer, List<Placed>> rows = new PlacementCheck(CONFIGURED, known).rows(shard -> "new place");
        Placed kept = new Placed(1, "token 1", false, "b", "at");
        assertThat(rows.get(0)).contains(kept);
        assertThat(rows.get(2)).contains(kept);
        assertThat(rows.get(2)).contains(new Placed(2, "token 2", true, "c", "new place"));
    }

    /** A row would say that it has been in use: its first start would then look like a loss (RT-1210). */
    @Test
    void aShardWhoseRingNobodyHasSeenGetsNoRow() {
        known.put(0, new Placements(Set.of(0), List.of()));
        known.put(2, new Placements(Set.of(), List.of()));
        Map<Integer, List<Placed>> rows = new PlacementCheck(CONFIGURED, known).rows(shard -> "place");
        assertThat(rows.get(0)).extracting(Placed::shard).containsExactly(0);
        assertThat(rows.get(2)).extracting(Placed::shard).containsExactly(0);
    }
}
