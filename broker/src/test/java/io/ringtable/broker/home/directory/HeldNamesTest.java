package io.ringtable.broker.home.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes with one directory, on a real file: the first has shard 0, the other one shard 1. */
class HeldNamesTest {
    private static final IntFunction<Refusal> LIVES =
            shard -> new Refusal(Refusal.Reason.IN_USE, "RT-2017", "shard " + shard + " has it");
    private static final IntFunction<Refusal> IS_LOST = shard -> null;

    @TempDir
    Path files;

    private RingStore store;
    private SteppedDirectory one;
    private SteppedDirectory other;

    @BeforeEach
    void open() {
        store = RingStores.open(StoreSettings.embedded(files));
        store.acquire("node", "test", Duration.ofSeconds(30), new RingGeometry(RingGeometry.CAPACITY_STEP));
        one = new SteppedDirectory(store.directory());
        other = new SteppedDirectory(store.directory());
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static void answer(SteppedDirectory node, CompletionStage<Void> asked) {
        while (node.turn()) {
            // until nothing is asked any more
        }
        asked.toCompletableFuture().join();
    }

    private static void hold(SteppedDirectory node, int shard, IntFunction<Refusal> holder) {
        hold(node, List.of(shard), shard, holder);
    }

    private static void hold(SteppedDirectory node, List<Integer> topic, int here, IntFunction<Refusal> holder) {
        answer(
                node,
                new HeldNames(node.directory(), Runnable::run).hold("client", "name", topic, List.of(here), holder));
    }

    private static void release(SteppedDirectory node, int shard) {
        answer(node, new HeldNames(node.directory(), Runnable::run).release("client", "name", own -> own == shard));
    }

    private List<Integer> stored() {
        return new SteppedDirectory(store.directory())
                .directory().of(HomeRow.Scope.SUBSCRIPTION, DirectoryEntry.volatileName("client", "name")).stream()
                        .map(HomeRow::shard)
                        .toList();
    }

    @Test
    void theSecondNodeIsRefusedThoughItHasNotHeardOfTheFirst() {
        hold(one, 0, LIVES);
        assertThatThrownBy(() -> hold(other, 1, LIVES)).hasMessageContaining("RT-2017 shard 0 has it");
        assertThat(stored()).containsExactly(0);
    }

    @Test
    void aNameThatWasLetGoIsFreeAtOnceThoughTheOtherNodeHasNotHeardOfThat() {
        hold(one, 0, LIVES);
        assertThatThrownBy(() -> hold(other, 1, LIVES)).hasMessageContaining("RT-2017");
        release(one, 0);
        assertThat(stored()).isEmpty();
        hold(other, 1, LIVES);
        assertThat(stored()).containsExactly(1);
    }

    @Test
    void aLostNodeKeepsNoNameAndTakesNoneBack() {
        hold(one, 0, LIVES);
        hold(other, 1, IS_LOST);
        assertThat(stored()).containsExactly(1);
        release(one, 0);
        assertThat(stored()).containsExactly(1);
    }

    @Test
    void nodesWithPartsOfOneTopicShareItsName() {
        hold(one, List.of(0, 1), 0, LIVES);
        hold(other, List.of(0, 1), 1, LIVES);
        assertThat(stored()).containsExactlyInAnyOrder(0, 1);
        release(one, 0);
        assertThat(stored()).containsExactly(1);
    }

    @Test
    void aDurableSubscriptionMayHaveTheSameName() {
        DirectoryEntry durable = DirectoryEntry.subscription("client", "name", "", List.of(1));
        Directory directory = other.directory();
        answer(
                other,
                directory.change(
                        () -> durable.changes(directory.of(durable.scope(), durable.name()), HomeRow.State.HERE)));
        hold(one, 0, LIVES);
        assertThat(stored()).containsExactly(0);
    }
}
