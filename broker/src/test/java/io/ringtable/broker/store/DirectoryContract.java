package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.directory.HomeRow.Scope;
import io.ringtable.broker.store.directory.HomeRow.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A name has one row, whoever asks at the same time, and a change that comes too late changes nothing. */
abstract class DirectoryContract {
    private StoreFixture f;
    private DirectoryStore directory;

    abstract StoreFixture fixture();

    @BeforeEach
    void openDirectory() {
        f = fixture();
        directory = f.store.directory();
    }

    private static HomeRow queue(String name, int part, int shard, long version) {
        return new HomeRow(Scope.ADDRESS, name, part, AddressKind.QUEUE, shard, "", State.HERE, version);
    }

    private DirectoryStore.Answer put(HomeRow... rows) {
        return directory.alter(Stream.of(rows).map(HomeChange::put).toList());
    }

    private void isWhole(HomeRow... rows) {
        assertThat(directory.changes(0).rows()).containsExactlyInAnyOrder(rows);
    }

    @Test
    void aNewDirectoryIsEmptyAndHasNoVersion() {
        assertThat(directory.changes(0)).isEqualTo(new DirectoryStore.Changes(0, false, List.of()));
    }

    @Test
    void whatIsPutIsThereAfterARestart() {
        assertThat(put(queue("orders", 0, 3, 0)))
                .isEqualTo(new DirectoryStore.Answer(true, 1, List.of(queue("orders", 0, 3, 1))));
        HomeRow client = new HomeRow(Scope.CLIENT, "orders", 0, null, HomeRow.NO_SHARD, "alice", State.HERE, 0);
        HomeRow subscription = new HomeRow(Scope.SUBSCRIPTION, "6|orders|s", 0, null, 1023, "", State.GOING, 0);
        put(client, subscription);
        f.reopen();
        directory = f.store.directory();
        assertThat(directory.changes(0).version()).isEqualTo(2);
        isWhole(
                queue("orders", 0, 3, 1),
                new HomeRow(Scope.CLIENT, "orders", 0, null, HomeRow.NO_SHARD, "alice", State.HERE, 2),
                new HomeRow(Scope.SUBSCRIPTION, "6|orders|s", 0, null, 1023, "", State.GOING, 2));
    }

    @Test
    void whoComesSecondGetsTheRowOfTheFirst() {
        put(queue("orders", 0, 3, 0));
        assertThat(put(queue("orders", 0, 5, 0)))
                .isEqualTo(new DirectoryStore.Answer(false, 1, List.of(queue("orders", 0, 3, 1))));
        isWhole(queue("orders", 0, 3, 1));
    }

    @Test
    void allChangesAreMadeOrNone() {
        put(queue("there", 0, 1, 0));
        DirectoryStore.Answer answer = put(queue("new", 0, 2, 0), queue("there", 0, 2, 0), queue("newer", 0, 2, 0));
        assertThat(answer).isEqualTo(new DirectoryStore.Answer(false, 1, List.of(queue("there", 0, 1, 1))));
        isWhole(queue("there", 0, 1, 1));
    }

    @Test
    void aChangeNamesTheVersionThatItSupersedes() {
        put(queue("orders", 0, 1, 0));
        put(queue("others", 0, 1, 0));
        assertThat(put(queue("orders", 0, 1, 1).with(State.GOING)).isApplied()).isTrue();
        for (long stale : new long[] {1, 2, 4}) {
            assertThat(put(queue("orders", 0, 7, stale)).isApplied()).isFalse();
            assertThat(directory
                            .alter(List.of(HomeChange.remove(queue("orders", 0, 1, stale))))
                            .isApplied())
                    .isFalse();
        }
        isWhole(queue("orders", 0, 1, 3).with(State.GOING), queue("others", 0, 1, 2));
        assertThat(put(queue("orders", 0, 7, 3)).rows()).containsExactly(queue("orders", 0, 7, 4));
    }

    @Test
    void aRowSaysWhereItsAddressMovesAndThatItHasCome() {
        put(queue("orders", 0, 3, 0));
        assertThat(put(queue("orders", 0, 3, 1).moving(1023)).rows())
                .containsExactly(queue("orders", 0, 3, 2).moving(1023));
        f.reopen();
        directory = f.store.directory();
        isWhole(queue("orders", 0, 3, 2).moving(1023));
        assertThat(put(queue("orders", 0, 3, 1).moving(5)).isApplied()).isFalse();
        put(queue("orders", 0, 3, 2).moving(1023).moved(1023));
        isWhole(queue("orders", 0, 1023, 3));
    }

    @Test
    void onlyAnAddressMovesAndToAnotherShard() {
        StoreFixture.fails(
                StoreFailure.Kind.REFUSED, () -> put(queue("orders", 0, 3, 0).moving(3)));
        StoreFixture.fails(
                StoreFailure.Kind.REFUSED,
                () -> put(new HomeRow(Scope.SUBSCRIPTION, "6|orders|s", 0, null, 3, "", State.HERE, 0).moving(4)));
        assertThat(directory.changes(0).rows()).isEmpty();
    }

    @Test
    void aRemovalIsMadeOnceAndTheNameIsFreeAgain() {
        put(queue("orders", 0, 1, 0));
        List<HomeChange> removal = List.of(HomeChange.remove(queue("orders", 0, 1, 1)));
        assertThat(directory.alter(removal)).isEqualTo(new DirectoryStore.Answer(true, 2, List.of()));
        assertThat(directory.alter(removal)).isEqualTo(new DirectoryStore.Answer(false, 2, List.of()));
        put(queue("orders", 0, 2, 0));
        assertThat(directory.alter(removal).isApplied()).isFalse();
        isWhole(queue("orders", 0, 2, 3));
    }

    @Test
    void whoKnowsAVersionReadsWhatHasChangedSince() {
        put(queue("a", 0, 1, 0));
        put(queue("b", 0, 1, 0));
        put(queue("a", 0, 2, 1));
        assertThat(directory.changes(1))
                .satisfies(changes -> assertThat(changes.isWhole()).isFalse())
                .satisfies(changes -> assertThat(changes.version()).isEqualTo(3))
                .satisfies(changes ->
                        assertThat(changes.rows()).containsExactlyInAnyOrder(queue("a", 0, 2, 3), queue("b", 0, 1, 2)));
        assertThat(directory.changes(2).rows()).containsExactly(queue("a", 0, 2, 3));
        assertThat(directory.changes(3)).isEqualTo(new DirectoryStore.Changes(3, false, List.of()));
    }

    @Test
    void whoMissedARemovalReadsEverything() {
        put(queue("a", 0, 1, 0));
        put(queue("b", 0, 1, 0));
        directory.alter(List.of(HomeChange.remove(queue("a", 0, 1, 1)), HomeChange.put(queue("c", 0, 1, 0))));
        DirectoryStore.Changes whole = directory.changes(2);
        assertThat(whole.isWhole()).isTrue();
        assertThat(whole.rows()).containsExactlyInAnyOrder(queue("b", 0, 1, 2), queue("c", 0, 1, 3));
        put(queue("d", 0, 1, 0));
        assertThat(directory.changes(3)).isEqualTo(new DirectoryStore.Changes(4, false, List.of(queue("d", 0, 1, 4))));
    }

    @Test
    void partsOfANameAreRowsOfTheirOwn() {
        put(queue("orders", 0, 1, 0), queue("orders", 1, 4, 0), queue("orders", 2, 5, 0));
        DirectoryStore.Answer answer = directory.alter(List.of(HomeChange.remove(queue("orders", 1, 4, 1))));
        assertThat(answer.rows()).containsExactlyInAnyOrder(queue("orders", 0, 1, 1), queue("orders", 2, 5, 1));
    }

    @Test
    void namesComeBackAsTheyWereGiven() {
        List<String> names = List.of(
                "läden/★ \"2\" 100% 'x' \\ {y,z} %41",
                "Orders",
                "orders",
                "ORDERS",
                "n".repeat(HomeRow.NAME_MAX),
                "★".repeat(HomeRow.NAME_MAX),
                "😀".repeat(HomeRow.NAME_MAX / 2),
                "tab\tand\nline");
        HomeRow[] rows = names.stream().map(name -> queue(name, 0, 1, 0)).toArray(HomeRow[]::new);
        assertThat(put(rows).isApplied()).isTrue();
        isWhole(names.stream().map(name -> queue(name, 0, 1, 1)).toArray(HomeRow[]::new));
        for (String name : names) {
            assertThat(put(queue(name, 0, 2, 1)).rows())
                    .singleElement()
                    .satisfies(row -> assertThat(row.name()).isEqualTo(name));
        }
    }

    @Test
    void ownersComeBackAsTheyWereGiven() {
        for (String owner : List.of("", "alice", "läden/★ \"2\" 100% 'x' \\", "o".repeat(HomeRow.NAME_MAX))) {
            HomeRow row = new HomeRow(Scope.CLIENT, "c" + owner.length(), 0, null, -1, owner, State.HERE, 0);
            assertThat(put(row).rows())
                    .singleElement()
                    .satisfies(made -> assertThat(made.owner()).isEqualTo(owner));
        }
    }

    @Test
    void aRowThatTheTableRefusesChangesNothing() {
        put(queue("orders", 0, 1, 0));
        StoreFixture.fails(StoreFailure.Kind.REFUSED, () -> put(queue("others", 0, 1, 0), queue("", 0, 1, 0)));
        isWhole(queue("orders", 0, 1, 1));
        assertThat(put(queue("others", 0, 1, 0)).version()).isEqualTo(2);
    }

    @Test
    void asManyChangesAsOneCallTakesAreOneVersion() {
        HomeRow[] rows = IntStream.range(0, DirectoryStore.CHANGES_MAX)
                .mapToObj(i -> queue("queue " + i, 0, i % 7, 0))
                .toArray(HomeRow[]::new);
        assertThat(put(rows).rows()).hasSize(rows.length).allMatch(row -> row.version() == 1);
        assertThat(directory.changes(0).rows()).hasSize(rows.length);
    }

    /** Each writer wants each name for a shard of its own, then marks and removes the names that it won. */
    @Test
    void oneOfSeveralWritersWinsEachName() throws Exception {
        int names = 40;
        ConcurrentHashMap<String, Integer> winners = new ConcurrentHashMap<>();
        List<Long> versions = new ArrayList<>();
        List<RingStore> stores = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            CyclicBarrier begin = new CyclicBarrier(3);
            List<Future<List<Long>>> writers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int shard = i;
                DirectoryStore its = f.store.limits().exclusiveFile() ? directory : another(stores);
                writers.add(threads.submit(() -> {
                    begin.await(60, TimeUnit.SECONDS);
                    return write(its, shard, names, winners);
                }));
            }
            for (Future<List<Long>> writer : writers) {
                versions.addAll(writer.get(120, TimeUnit.SECONDS));
            }
        } finally {
            threads.shutdownNow();
            stores.forEach(RingStore::close);
        }
        assertThat(winners).hasSize(names);
        assertThat(versions.stream().sorted())
                .as("each change that was made has a version of its own, and there is no gap")
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, 2L * names).boxed().toList());
        assertThat(directory.changes(0).rows())
                .hasSize(names)
                .allSatisfy(row -> assertThat(row.state()).isEqualTo(State.GOING))
                .allSatisfy(row -> assertThat(row.shard()).isEqualTo(winners.get(row.name())));
    }

    private DirectoryStore another(List<RingStore> stores) {
        RingStore store = f.database.open();
        stores.add(store);
        return store.directory();
    }

    private static List<Long> write(
            DirectoryStore directory, int shard, int names, ConcurrentHashMap<String, Integer> winners) {
        List<Long> versions = new ArrayList<>();
        for (int i = 0; i < names; i++) {
            String name = "name " + i;
            DirectoryStore.Answer answer = directory.alter(List.of(HomeChange.put(queue(name, 0, shard, 0))));
            HomeRow row = answer.rows().get(0);
            if (answer.isApplied()) {
                assertThat(winners.put(name, shard)).as(name).isNull();
                versions.add(answer.version());
                DirectoryStore.Answer marked = directory.alter(List.of(HomeChange.put(row.with(State.GOING))));
                assertThat(marked.isApplied()).as(name).isTrue();
                versions.add(marked.version());
            } else {
                assertThat(row.shard()).as(name).isNotEqualTo(shard);
            }
        }
        return versions;
    }
}
