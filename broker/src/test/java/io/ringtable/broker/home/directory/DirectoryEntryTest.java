package io.ringtable.broker.home.directory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Utf16;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.directory.HomeRow.Scope;
import io.ringtable.broker.store.directory.HomeRow.State;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DirectoryEntryTest {
    private static HomeRow row(int part, int shard, State state, long version) {
        return new HomeRow(Scope.ADDRESS, "q", part, AddressKind.QUEUE, shard, "", state, version);
    }

    private static List<HomeChange> changes(List<Integer> shards, HomeRow... rows) {
        return DirectoryEntry.address("q", AddressKind.QUEUE, shards).changes(List.of(rows), State.HERE);
    }

    @Test
    void whatIsSaidAlreadyNeedsNoChange() {
        assertThat(changes(List.of())).isEmpty();
        assertThat(changes(List.of(2, 0), row(0, 0, State.HERE, 7), row(1, 2, State.HERE, 8)))
                .isEmpty();
    }

    @Test
    void aNewNameGetsPartsFromTheFirstOn() {
        assertThat(changes(List.of(3, 5)))
                .containsExactly(HomeChange.put(row(0, 3, State.HERE, 0)), HomeChange.put(row(1, 5, State.HERE, 0)));
    }

    @Test
    void aRowWithoutItsAddressMovesToAnAddressWithoutARow() {
        assertThat(changes(List.of(3), row(0, 1, State.GOING, 7)))
                .containsExactly(HomeChange.put(row(0, 3, State.HERE, 7)));
    }

    @Test
    void aPartThatCameGetsANumberThatNobodyHas() {
        assertThat(changes(List.of(0, 1, 2), row(0, 2, State.HERE, 7), row(2, 0, State.HERE, 7)))
                .containsExactly(HomeChange.put(row(1, 1, State.HERE, 0)));
    }

    @Test
    void whatIsGoneLosesItsRow() {
        assertThat(changes(List.of(2), row(0, 0, State.GOING, 7), row(1, 2, State.GOING, 8)))
                .containsExactly(
                        HomeChange.put(row(1, 2, State.HERE, 8)), HomeChange.remove(row(0, 0, State.GOING, 7)));
    }

    @Test
    void aMarkIsPutOnEveryPartOnce() {
        DirectoryEntry entry = DirectoryEntry.address("q", AddressKind.QUEUE, List.of(1, 2));
        assertThat(entry.changes(List.of(row(0, 1, State.HERE, 7)), State.GOING))
                .containsExactly(HomeChange.put(row(0, 1, State.GOING, 7)), HomeChange.put(row(1, 2, State.GOING, 0)));
        assertThat(entry.changes(List.of(row(0, 1, State.GOING, 8), row(1, 2, State.GOING, 8)), State.GOING))
                .isEmpty();
    }

    @Test
    void aNameThatComesBackAsAnotherKindSaysSo() {
        assertThat(DirectoryEntry.address("q", AddressKind.TOPIC, List.of(1))
                        .changes(List.of(row(0, 1, State.HERE, 7)), State.HERE))
                .singleElement()
                .satisfies(change -> assertThat(change.row().kind()).isEqualTo(AddressKind.TOPIC));
    }

    @Test
    void noTwoSubscriptionsHaveOneName() {
        String longest = "x".repeat(HomeRow.NAME_MAX);
        List<List<String>> pairs = List.of(
                List.of("", "a"),
                List.of("", "a|b"),
                List.of("a", "b"),
                List.of("a", "b|c"),
                List.of("a|b", "c"),
                List.of("1|a", "b"),
                List.of(longest, "a"),
                List.of(longest, "b"),
                List.of(longest, longest),
                List.of("", longest + "y"),
                List.of("a", "😀".repeat(HomeRow.NAME_MAX)),
                List.of("ab", "😀".repeat(HomeRow.NAME_MAX)));
        Set<String> names = new HashSet<>();
        for (List<String> pair : pairs) {
            String name = DirectoryEntry.subscriptionName(pair.get(0), pair.get(1));
            assertThat(names.add(name)).as(name).isTrue();
            assertThat(name).hasSizeLessThanOrEqualTo(HomeRow.NAME_MAX);
            assertThat(Utf16.isWellFormed(name)).as(name).isTrue();
        }
    }
}
