package io.ringtable.broker.deduplication;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ProducerRow;
import io.ringtable.broker.work.Deduplication;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests which messages count as stored, by numbers and by ids: in the tables and in the open flush. */
class DeduplicatorTest {
    private static final int IDS_MAX = 3;
    private static final long NOW = 1_000;

    private final Address queue = address(1);
    private final Address other = address(2);
    private Deduplicator deduplicator = new Deduplicator();

    private static Address address(long id) {
        return new Address(id, "q" + id, AddressKind.QUEUE, new AddressQuota(100, 100_000));
    }

    private static Message message(Address address) {
        return new Message(address, NOW, 4, 0, 0, new byte[] {1}, 0);
    }

    private static DuplicateId id(String text) {
        return new DuplicateId(text.getBytes(StandardCharsets.UTF_8));
    }

    @BeforeEach
    void begin() {
        deduplicator.begin(IDS_MAX);
    }

    /** The numbers or ids of one work. @return for each message whether it is to be stored */
    private List<Boolean> stage(Deduplication work, Address address, int messages) {
        List<Boolean> stored = new ArrayList<>();
        for (int index = 0; index < messages; index++) {
            stored.add(deduplicator.stage(work, index, message(address)));
        }
        return stored;
    }

    @Nested
    class Numbers {
        private final ProducerNumbers numbers =
                new ProducerNumbers(new ProducerRow(7, queue.id(), "p", 1, 4, 0, null), queue, "its owner");
        private final List<String> fenced = new ArrayList<>();
        private Producer producer;

        @BeforeEach
        void attach() {
            deduplicator.add(numbers);
            producer = numbers.hold("owner", () -> fenced.add("first"));
        }

        private Deduplication work(long first, long previous) {
            return new Deduplication(producer, first, previous, List.of());
        }

        @Test
        void whatIsStoredAlreadyIsLeftOutAndTheRestIsNot() {
            assertThat(stage(work(3, 2), queue, 4)).containsExactly(false, false, true, true);
            assertThat(deduplicator.produced()).containsExactly(new Flush.Produced(7, 6, NOW));
        }

        @Test
        void whatTheOpenBatchHasCountsForTheMessagesBehindIt() {
            stage(work(5, 4), queue, 2);
            assertThat(stage(work(5, 4), queue, 2)).containsExactly(false, false);
            assertThat(deduplicator.refusal(work(7, 6))).isNull();
        }

        @Test
        void whatIsRolledBackWasNeverThere() {
            stage(work(5, 4), queue, 2);
            deduplicator.rollBack();
            assertThat(deduplicator.produced()).isEmpty();
            assertThat(deduplicator.refusal(work(7, 6)).code()).isEqualTo("RT-4107");
            assertThat(stage(work(5, 4), queue, 1)).containsExactly(true);
        }

        @Test
        void whatIsCommittedStaysAndIsNotWrittenAgain() {
            stage(work(5, 4), queue, 2);
            deduplicator.commit();
            assertThat(deduplicator.produced()).isEmpty();
            deduplicator.rollBack();
            assertThat(stage(work(6, 5), queue, 1)).containsExactly(false);
            assertThat(numbers.usedAt()).isEqualTo(NOW);
        }

        @Test
        void aGapIsRefusedAndWhatTheProducerKnowsToBeRefusedIsNone() {
            assertThat(deduplicator.refusal(work(6, 5)).code()).isEqualTo("RT-4107");
            assertThat(deduplicator.refusal(work(6, 4)))
                    .as("5 was refused, and it knows")
                    .isNull();
            assertThat(deduplicator.refusal(work(2, 1))).as("stored long ago").isNull();
        }

        @Test
        void aLaterHoldFencesTheEarlierOne() {
            Producer second = numbers.hold("owner", () -> {});
            assertThat(fenced).containsExactly("first");
            assertThat(deduplicator.refusal(work(5, 4)).code()).isEqualTo("RT-4101");
            assertThat(deduplicator.refusal(new Deduplication(second, 5, 4, List.of())))
                    .isNull();
            deduplicator.left(producer);
            assertThat(numbers.isHeldBy(second))
                    .as("whoever was fenced frees nothing")
                    .isTrue();
            deduplicator.left(second);
            assertThat(numbers.isHeld()).isFalse();
        }

        @Test
        void aProducerThatIsGoneIsFenced() {
            deduplicator.remove(numbers);
            assertThat(deduplicator.refusal(work(5, 4)).code()).isEqualTo("RT-4101");
            assertThat(deduplicator.find(queue, "p")).isNull();
            assertThat(deduplicator.producersOf("its owner")).isZero();
        }

        @Test
        void producersGoWithTheirAddress() {
            ProducerNumbers elsewhere =
                    new ProducerNumbers(new ProducerRow(8, other.id(), "p", 1, 0, 0, null), other, "its owner");
            deduplicator.add(elsewhere);
            assertThat(deduplicator.producersOf("its owner")).isEqualTo(2);
            deduplicator.forget(queue);
            assertThat(deduplicator.producers()).containsExactly(elsewhere);
            assertThat(deduplicator.find(other, "p")).isSameAs(elsewhere);
        }

        @Test
        void whatTheTablesHaveIsKnown() {
            Deduplicator recovered = new Deduplicator();
            recovered.recovered(new ProducerRow(9, queue.id(), "q", 3, 12, 0, "shop"), queue);
            assertThat(recovered.find(queue, "q").last()).isEqualTo(12);
            assertThat(recovered.find(queue, "q").incarnation()).isEqualTo(3);
            assertThat(recovered.find(queue, "q").owner()).isEqualTo("shop");
        }

        @Test
        void aMessageWithoutANumberIsStored() {
            assertThat(stage(Deduplication.NONE, queue, 2)).containsExactly(true, true);
            assertThat(deduplicator.refusal(Deduplication.NONE)).isNull();
            assertThat(deduplicator.produced()).isEmpty();
        }
    }

    @Nested
    class Ids {
        private List<Boolean> stage(String... ids) {
            return DeduplicatorTest.this.stage(work(ids), queue, ids.length);
        }

        private Deduplication work(String... ids) {
            return Deduplication.ids(Arrays.stream(ids)
                    .map(text -> text == null ? null : id(text))
                    .toList());
        }

        /** The rows of the open flush, as the tables get them. */
        private List<String> rows() {
            return deduplicator.duplicateIds().stream()
                    .map(row ->
                            row.position() + ":" + row.ordinal() + ":" + new String(row.id(), StandardCharsets.UTF_8))
                    .toList();
        }

        @Test
        void theSameIdIsDeduplicator() {
            assertThat(stage("a", "b", "a")).containsExactly(true, true, false);
            deduplicator.commit();
            assertThat(stage("b", "c")).containsExactly(false, true);
            assertThat(rows()).containsExactly("2:2:c");
        }

        @Test
        void anIdTakesThePlaceOfTheOldest() {
            stage("a", "b", "c");
            deduplicator.commit();
            assertThat(stage("d", "a")).containsExactly(true, true);
            assertThat(rows()).containsExactly("0:3:d", "1:4:a");
            deduplicator.commit();
            assertThat(stage("c", "b")).containsExactly(false, true);
        }

        @Test
        void whatIsRolledBackWasNeverThereAndWhatItDroveOutIsBack() {
            stage("a", "b", "c");
            deduplicator.commit();
            stage("d", "e");
            deduplicator.rollBack();
            assertThat(deduplicator.duplicateIds()).isEmpty();
            assertThat(stage("a", "b", "c", "d")).containsExactly(false, false, false, true);
            assertThat(rows()).as("the place that it had before").containsExactly("0:3:d");
        }

        @Test
        void ofMoreIdsThanAreKeptTheLastAreWritten() {
            assertThat(stage("a", "b", "c", "d", "e")).containsOnly(true);
            assertThat(rows()).containsExactly("2:2:c", "0:3:d", "1:4:e");
        }

        @Test
        void everyAddressKeepsIdsOfItsOwn() {
            stage("a");
            assertThat(DeduplicatorTest.this.stage(work("a"), other, 1)).containsExactly(true);
            deduplicator.commit();
            deduplicator.forget(queue);
            assertThat(stage("a")).as("an address of that id that is new").containsExactly(true);
        }

        @Test
        void thoseOfTemporaryAddressesAreNotWritten() {
            Address temporary = address(-1);
            assertThat(DeduplicatorTest.this.stage(work("a", "a"), temporary, 2))
                    .containsExactly(true, false);
            assertThat(deduplicator.duplicateIds()).isEmpty();
        }

        @Test
        void aMessageWithoutAnIdIsStored() {
            assertThat(stage(null, "a", null)).containsExactly(true, true, true);
        }

        private List<Boolean> stageOf(String user, String... ids) {
            DuplicateId.Owner owner = DuplicateId.Owner.of(user);
            return DeduplicatorTest.this.stage(
                    Deduplication.ids(Arrays.stream(ids)
                            .map(text -> id(text).ownedBy(owner))
                            .toList()),
                    queue,
                    ids.length);
        }

        @Test
        void theIdOfAnotherUserIsAnotherId() {
            assertThat(stageOf("loader", "a")).containsExactly(true);
            assertThat(stageOf("shop", "a", "a")).containsExactly(true, false);
            deduplicator.commit();
            assertThat(stageOf("loader", "a")).containsExactly(false);
            assertThat(stageOf("", "a")).as("of nobody").containsExactly(true);
        }

        @Test
        void anIdOfNobodyCountsForEveryUserUntilItIsForgotten() {
            deduplicator = new Deduplicator();
            deduplicator.recovered(new Flush.DuplicateId(queue.id(), 0, 0, id("a").bytes()));
            deduplicator.begin(IDS_MAX);
            assertThat(stageOf("shop", "a", "b", "c", "d")).containsExactly(false, true, true, true);
            assertThat(stageOf("shop", "a")).as("driven out by d").containsExactly(true);
            deduplicator.rollBack();
            assertThat(stageOf("loader", "a")).as("d was never there").containsExactly(false);
        }

        @Test
        void theTablesTellWhoseAnIdIs() {
            byte[] row = id("a").ownedBy(DuplicateId.Owner.of("shop")).bytes();
            deduplicator = new Deduplicator();
            deduplicator.recovered(new Flush.DuplicateId(queue.id(), 0, 0, row));
            deduplicator.begin(IDS_MAX);
            assertThat(stageOf("loader", "a")).containsExactly(true);
            assertThat(stageOf("shop", "a")).containsExactly(false);
            assertThat(new String(row, StandardCharsets.ISO_8859_1))
                    .as("found by whoever looks into the table")
                    .endsWith("a");
        }

        @Test
        void anIdOfAnyLengthHasRoomForItsOwner() {
            for (int length : new int[] {1, 383, 384, DuplicateId.BYTES_MAX}) {
                DuplicateId longest = id("x".repeat(length)).ownedBy(DuplicateId.Owner.of("shop"));
                assertThat(longest.bytes().length).isBetween(2, DuplicateId.BYTES_MAX);
                assertThat(longest)
                        .isEqualTo(id("x".repeat(length)).ownedBy(DuplicateId.Owner.of("shop")))
                        .isNotEqualTo(id("x".repeat(length)).ownedBy(DuplicateId.Owner.of("shop2")))
                        .isNotEqualTo(id("y" + "x".repeat(length - 1)).ownedBy(DuplicateId.Owner.of("shop")));
                assertThat(longest.isOwned()).isTrue();
            }
            assertThat(id("x").ownedBy(DuplicateId.Owner.of("")).isOwned()).isFalse();
        }

        @Test
        void nobodyMakesUpTheIdOfAUser() {
            DuplicateId shops = id("a").ownedBy(DuplicateId.Owner.of("shop"));
            DuplicateId madeUp = new DuplicateId(shops.bytes()).ownedBy(DuplicateId.Owner.of("loader"));
            assertThat(madeUp).isNotEqualTo(shops);
        }

        @Test
        void whatTheTablesHaveIsKnownTheYoungestFirst() {
            deduplicator = new Deduplicator();
            for (int n = 0; n < 5; n++) {
                deduplicator.recovered(
                        new Flush.DuplicateId(queue.id(), n, n, id("id-" + n).bytes()));
            }
            deduplicator.begin(IDS_MAX);
            assertThat(stage("id-4", "id-3", "id-2", "id-1")).containsExactly(false, false, false, true);
        }

        @Test
        void whereNoIdsAreKeptNothingIsKnown() {
            deduplicator = new Deduplicator();
            deduplicator.recovered(new Flush.DuplicateId(queue.id(), 0, 0, id("a").bytes()));
            deduplicator.begin(0);
            assertThat(stage("a", "a")).containsExactly(true, true);
            assertThat(deduplicator.duplicateIds()).isEmpty();
        }
    }
}
