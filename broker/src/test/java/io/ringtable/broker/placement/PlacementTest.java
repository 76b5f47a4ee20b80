package io.ringtable.broker.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which stores a configuration may name, and where it has each shard. */
class PlacementTest {
    private static final Path DATA = Path.of("unused");
    private static final TestSettings THREE = TestSettings.of(
            "ringtable.shards",
            5,
            "ringtable.stores[0].name",
            "b",
            "ringtable.stores[0].url",
            "jdbc:postgresql://two/ringtable",
            "ringtable.stores[0].shards",
            "4,2",
            "ringtable.stores[1].name",
            "c",
            "ringtable.stores[1].url",
            "jdbc:postgresql://three/ringtable?user=secret",
            "ringtable.stores[1].username",
            "carl",
            "ringtable.stores[1].shards",
            "3");
    private static final StoreSettings MAIN =
            StoreSettings.of("jdbc:postgresql://one/ringtable", "ann", "secret", DATA);

    private static Placement placement(Object... changes) {
        return THREE.with(changes).shard().placement();
    }

    @Test
    void aShardLiesInTheStoreThatNamesItAndTheOthersInMain() {
        Placement placement = placement();
        assertThat(placement.isSplit()).isTrue();
        assertThat(placement.doors()).containsExactly(0, 2, 3);
        assertThat(placement.nameOf(1)).isEqualTo("main");
        assertThat(placement.settings(MAIN, 1)).isEqualTo(MAIN.ofShard(1));
        assertThat(placement.nameOf(4)).isEqualTo("b");
        assertThat(placement.doorOf(4)).isEqualTo(2);
        assertThat(placement.settings(MAIN, 4).shardId()).isEqualTo(4);
        assertThat(placement.settings(MAIN, 4).properties().url()).isEqualTo("jdbc:postgresql://two/ringtable");
        assertThat(placement.settings(MAIN, 4).properties().username()).isNull();
        assertThat(placement.settings(MAIN, 3).properties().username()).isEqualTo("carl");
        assertThat(placement.placeOf(MAIN, 3)).isEqualTo("jdbc:postgresql://three/ringtable");
        placement.engine(MAIN);
    }

    @Test
    void withoutStoresThereIsOneDatabaseOfAnyEngine() {
        Placement placement = TestSettings.of("ringtable.shards", 3).shard().placement();
        assertThat(placement.isSplit()).isFalse();
        assertThat(placement.doors()).containsExactly(0);
        assertThat(placement.engine(StoreSettings.embedded(DATA)).embedded()).isTrue();
    }

    /** It may be that of another broker, whose messages would be taken. */
    @Test
    void noMessageIsTakenFromADatabaseThatNobodyHasCompared() {
        try (PlacedStores stores = new PlacedStores(placement(), MAIN, UnaryOperator.identity())) {
            assertThatThrownBy(() -> stores.openInOther(2, 0))
                    .isInstanceOf(StoreFailure.class)
                    .hasMessageStartingWith("RT-4588 store 'b' is not compared yet");
            assertThat(stores.compared()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ringtable.stores[0].name | c | RT-1206 ringtable.stores has two of the name 'c'",
                "ringtable.stores[0].name | main | RT-1206 ringtable.stores has two of the name 'main'",
                "ringtable.stores[0].shards | 5 | RT-1207 store 'b' names shard 5, and ringtable.shards=5: name shards",
                "ringtable.stores[0].shards | 0 | RT-1207 store 'b' names shard 0, and ringtable.shards=5",
                "ringtable.stores[0].shards | 2,3 | RT-1211 stores 'b' and 'c' both name shard 3",
            })
    void storesThatContradictEachOtherAreRefused(String property, String value, String text) {
        assertThatThrownBy(() -> placement(property, value))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith(text);
    }

    @Test
    void aStoreWithoutShardsOrWithoutAUrlIsRefused() {
        assertThatThrownBy(() -> placement("ringtable.stores[0].shards", null))
                .hasMessageContaining("ringtable.stores[0].shards");
        assertThatThrownBy(() -> placement("ringtable.stores[0].url", null))
                .hasMessageContaining("ringtable.stores[0].url");
    }

    @Test
    void databasesOfSeveralEnginesFilesAndOneDatabaseTwiceAreRefused() {
        assertThatThrownBy(() -> placement().engine(StoreSettings.embedded(DATA)))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1208 store 'main' at null cannot be one of several")
                .hasMessageContaining("On SQLite leave ringtable.stores out");
        assertThatThrownBy(() -> placement("ringtable.stores[1].url", "jdbc:sqlserver://three;databaseName=ringtable")
                        .engine(MAIN))
                .hasMessageStartingWith(
                        "RT-1208 store 'c' at jdbc:sqlserver://three;databaseName=ringtable cannot be one of several");
        assertThatThrownBy(() -> placement("ringtable.stores[1].url", "jdbc:postgresql://two/ringtable")
                        .engine(MAIN))
                .hasMessageStartingWith("RT-1212 store 'c' at jdbc:postgresql://two/ringtable is the database of store"
                        + " 'b' as well");
    }
}
