package io.ringtable.broker.home.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.directory.HomeRow.Scope;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes know one directory, on a real file, and what a node says when it gets no answer. */
class DirectoryTest {
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

    private static DirectoryEntry queue(String name, Integer... shards) {
        return DirectoryEntry.address(name, AddressKind.QUEUE, List.of(shards));
    }

    private static CompletionStage<Void> asked(SteppedDirectory node, DirectoryEntry entry) {
        Directory directory = node.directory();
        return directory.change(() -> entry.changes(directory.of(entry.scope(), entry.name()), HomeRow.State.HERE));
    }

    private static void make(SteppedDirectory node, DirectoryEntry entry) {
        CompletionStage<Void> change = asked(node, entry);
        while (node.turn()) {
            // until nothing is asked any more
        }
        assertThat(change.toCompletableFuture()).isCompleted();
    }

    private static List<Integer> homes(SteppedDirectory node, String name) {
        return node.directory().of(Scope.ADDRESS, name).stream()
                .map(HomeRow::shard)
                .toList();
    }

    @Test
    void aNodeKnowsWhatItHasChanged() {
        make(one, queue("a", 2));
        make(one, queue("b", 0, 1));
        assertThat(homes(one, "a")).containsExactly(2);
        assertThat(homes(one, "b")).containsExactly(0, 1);
        make(one, queue("b", 1));
        make(one, queue("a"));
        assertThat(homes(one, "b")).containsExactly(1);
        assertThat(one.directory().all()).hasSize(1);
    }

    @Test
    void aNodeThatChangesSomethingHearsWhatAnotherOneHasChanged() {
        make(one, queue("a", 2));
        make(one, queue("b", 0, 1));
        assertThat(homes(other, "a")).isEmpty();
        make(other, queue("c", 1));
        assertThat(homes(other, "a")).containsExactly(2);
        assertThat(homes(other, "b")).containsExactly(0, 1);

        make(one, queue("a"));
        make(one, queue("d", 1));
        assertThat(homes(other, "a")).containsExactly(2);
        make(other, queue("e", 1));
        assertThat(homes(other, "a")).isEmpty();
        assertThat(other.directory().all()).hasSize(4);
    }

    @Test
    void aNameIsToldOnceWithAllItsParts() {
        List<List<Integer>> told = new ArrayList<>();
        other.directory().listen(name -> {
            if ("b".equals(name)) {
                told.add(homes(other, "b"));
            }
        });
        make(one, queue("b", 0, 1, 2));
        make(other, queue("c", 1));
        assertThat(told).containsExactly(List.of(0, 1, 2));
    }

    @Test
    void aNodeThatStartsKnowsEverything() {
        make(one, queue("a", 2));
        make(one, queue("b", 0, 1));
        SteppedDirectory third = new SteppedDirectory(store.directory());
        assertThat(homes(third, "a")).containsExactly(2);
        assertThat(homes(third, "b")).containsExactly(0, 1);
    }

    @Test
    void aNodeHearsOfNothingMoreOnceANameLivesInAShardThatItDoesNotKnow() {
        SteppedDirectory cutOff = new SteppedDirectory(store.directory(), 2);
        make(one, queue("a", 1));
        make(cutOff, queue("b", 0));
        List<String> told = new ArrayList<>();
        cutOff.directory().listen(told::add);

        make(one, queue("c", 0));
        make(one, queue("wide", 0, 1, 2));
        CompletionStage<Void> refresh = cutOff.directory().refresh();
        CompletionStage<Void> change = asked(cutOff, queue("wide", 0, 1));
        while (cutOff.turn()) {
            // until nothing is asked any more
        }
        assertRefused(refresh, "RT-4616 'wide' lives in shard 2, and this node knows 2 shards");
        assertRefused(change, "RT-4616");
        assertThat(told).isEmpty();
        assertThat(homes(cutOff, "a")).containsExactly(1);
        assertThat(homes(cutOff, "wide")).as("parts of it").isEmpty();
    }

    @Test
    void aNodeThatComesSecondLooksAgainAtWhatItWants() {
        make(one, queue("a", 2));
        make(other, queue("a", 1)); // does not know the row of the first, and then moves the name
        assertThat(homes(other, "a")).containsExactly(1);
        assertThat(store.directory().changes(0).rows()).hasSize(1);
    }

    @Test
    void whoeverIsOvertakenEachTimeIsRefused() {
        Directory directory = one.directory();
        int[] turns = {0};
        CompletionStage<Void> change = directory.change(() -> {
            make(other, queue("a", turns[0]++ % 7)); // always faster
            return List.of(HomeChange.put(
                    new HomeRow(Scope.ADDRESS, "a", 0, AddressKind.QUEUE, 7, "", HomeRow.State.HERE, 0)));
        });
        while (one.turn()) {
            // until it gives up
        }
        assertRefused(change, "RT-4537");
    }

    private static void assertRefused(CompletionStage<Void> change, String code) {
        assertThatThrownBy(() -> change.toCompletableFuture().join())
                .hasCauseInstanceOf(Refusal.Refused.class)
                .hasMessageContaining(code);
    }

    /** Answers nothing but what is there. */
    private static final class Silent implements DirectoryStore {
        private final DirectoryStore store;
        private final StoreFailure.Kind kind;
        private int asked;

        Silent(DirectoryStore store, StoreFailure.Kind kind) {
            this.store = store;
            this.kind = kind;
        }

        @Override
        public Answer alter(List<HomeChange> changes) {
            asked++;
            throw new StoreFailure(kind, "RT-3099", "the test says so");
        }

        @Override
        public Changes changes(long since) {
            return store.changes(since);
        }
    }

    @Test
    void aDirectoryThatIsAwayIsAskedForTenSeconds() {
        Silent silent = new Silent(store.directory(), StoreFailure.Kind.UNAVAILABLE);
        AtomicLong seconds = new AtomicLong();
        SteppedDirectory node =
                new SteppedDirectory(silent, () -> TimeUnit.SECONDS.toNanos(seconds.get()), seconds::incrementAndGet);
        CompletionStage<Void> change = asked(node, queue("a", 1));
        node.turn();
        assertRefused(change, "RT-4538");
        assertThat(silent.asked).isEqualTo(11);
    }

    @Test
    void whatTheTableRefusesIsAskedOnce() {
        Silent silent = new Silent(store.directory(), StoreFailure.Kind.REFUSED);
        SteppedDirectory node = new SteppedDirectory(silent);
        CompletionStage<Void> change = asked(node, queue("a", 1));
        node.turn();
        assertRefused(change, "RT-4538");
        assertThat(silent.asked).isEqualTo(1);
    }

    @Test
    void aDirectoryThatClosesRefusesWhatIsStillAsked() {
        Silent silent = new Silent(store.directory(), StoreFailure.Kind.UNAVAILABLE);
        SteppedDirectory[] node = new SteppedDirectory[1];
        node[0] =
                new SteppedDirectory(silent, () -> 0, () -> node[0].directory().close());
        CompletionStage<Void> change = asked(node[0], queue("a", 1));
        node[0].turn();
        assertRefused(change, "RT-4539");
        assertThat(silent.asked).isEqualTo(1);
    }
}
