package io.ringtable.broker.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Address;
import io.ringtable.broker.catalog.AddressKind;
import io.ringtable.broker.catalog.AddressQuota;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ProducerRow;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What is stored already, by numbers and by ids: as the tables have it and as the open batch adds to it. */
class StoredOnceTest {
    private static final int WINDOW = 3;
    private static final long NOW = 1_000;

    private final Address queue = address(1);
    private final Address other = address(2);
    private StoredOnce once = new StoredOnce();

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
        once.begin(WINDOW);
    }

    /** The numbers or ids of one work. @return for each message whether it is to be stored */
    private List<Boolean> stage(Once work, Address address, int messages) {
        List<Boolean> stored = new ArrayList<>();
        for (int index = 0; index < messages; index++) {
            stored.add(once.stage(work, index, message(address)));
        }
        return stored;
    }

    @Nested
    class Numbers {
        private final Numbering numbering =
                new Numbering(new ProducerRow(7, queue.id(), "p", 1, 4, 0), queue, "its owner");
        private final List<String> fenced = new ArrayList<>();
        private Producer producer;

        @BeforeEach
        void attach() {
            once.add(numbering);
            producer = numbering.hold(() -> fenced.add("first"));
        }

        private Once work(long first, long previous) {
            return new Once(producer, first, previous, List.of());
        }

        @Test
        void whatIsStoredAlreadyIsLeftOutAndTheRestIsNot() {
            assertThat(stage(work(3, 2), queue, 4)).containsExactly(false, false, true, true);
            assertThat(once.produced()).containsExactly(new Flush.Produced(7, 6, NOW));
        }

        @Test
        void whatTheOpenBatchHasCountsForTheMessagesBehindIt() {
            stage(work(5, 4), queue, 2);
            assertThat(stage(work(5, 4), queue, 2)).containsExactly(false, false);
            assertThat(once.refusal(work(7, 6))).isNull();
        }

        @Test
        void whatIsRolledBackWasNeverThere() {
            stage(work(5, 4), queue, 2);
            once.rollBack();
            assertThat(once.produced()).isEmpty();
            assertThat(once.refusal(work(7, 6)).code()).isEqualTo("RT-4107");
            assertThat(stage(work(5, 4), queue, 1)).containsExactly(true);
        }

        @Test
        void whatIsCommittedStaysAndIsNotWrittenAgain() {
            stage(work(5, 4), queue, 2);
            once.commit();
            assertThat(once.produced()).isEmpty();
            once.rollBack();
            assertThat(stage(work(6, 5), queue, 1)).containsExactly(false);
            assertThat(numbering.usedAt()).isEqualTo(NOW);
        }

        @Test
        void aGapIsRefusedAndWhatTheProducerKnowsToBeRefusedIsNone() {
            assertThat(once.refusal(work(6, 5)).code()).isEqualTo("RT-4107");
            assertThat(once.refusal(work(6, 4)))
                    .as("5 was refused, and it knows")
                    .isNull();
            assertThat(once.refusal(work(2, 1))).as("stored long ago").isNull();
        }

        @Test
        void aLaterHoldFencesTheEarlierOne() {
            Producer second = numbering.hold(() -> {});
            assertThat(fenced).containsExactly("first");
            assertThat(once.refusal(work(5, 4)).code()).isEqualTo("RT-4101");
            assertThat(once.refusal(new Once(second, 5, 4, List.of()))).isNull();
            once.left(producer);
            assertThat(numbering.isHeldBy(second))
                    .as("whoever was fenced frees nothing")
                    .isTrue();
            once.left(second);
            assertThat(numbering.isHeld()).isFalse();
        }

        @Test
        void aProducerThatIsGoneIsFenced() {
            once.remove(numbering);
            assertThat(once.refusal(work(5, 4)).code()).isEqualTo("RT-4101");
            assertThat(once.find(queue, "p")).isNull();
            assertThat(once.producersOf("its owner")).isZero();
        }

        @Test
        void producersGoWithTheirAddress() {
            Numbering elsewhere = new Numbering(new ProducerRow(8, other.id(), "p", 1, 0, 0), other, "its owner");
            once.add(elsewhere);
            assertThat(once.producersOf("its owner")).isEqualTo(2);
            once.forget(queue);
            assertThat(once.producers()).containsExactly(elsewhere);
            assertThat(once.find(other, "p")).isSameAs(elsewhere);
        }

        @Test
        void whatTheTablesHaveIsKnown() {
            StoredOnce recovered = new StoredOnce();
            recovered.recovered(new ProducerRow(9, queue.id(), "q", 3, 12, 0), queue);
            assertThat(recovered.find(queue, "q").last()).isEqualTo(12);
            assertThat(recovered.find(queue, "q").incarnation()).isEqualTo(3);
        }

        @Test
        void aMessageWithoutANumberIsStored() {
            assertThat(stage(Once.NOT, queue, 2)).containsExactly(true, true);
            assertThat(once.refusal(Once.NOT)).isNull();
            assertThat(once.produced()).isEmpty();
        }
    }

    @Nested
    class Ids {
        private List<Boolean> stage(String... ids) {
            return StoredOnceTest.this.stage(work(ids), queue, ids.length);
        }

        private Once work(String... ids) {
            return Once.ids(Arrays.stream(ids)
                    .map(text -> text == null ? null : id(text))
                    .toList());
        }

        /** The rows of the open batch, as the tables get them. */
        private List<String> rows() {
            return once.duplicateIds().stream()
                    .map(row ->
                            row.position() + ":" + row.ordinal() + ":" + new String(row.id(), StandardCharsets.UTF_8))
                    .toList();
        }

        @Test
        void theSameIdIsStoredOnce() {
            assertThat(stage("a", "b", "a")).containsExactly(true, true, false);
            once.commit();
            assertThat(stage("b", "c")).containsExactly(false, true);
            assertThat(rows()).containsExactly("2:2:c");
        }

        @Test
        void anIdTakesThePlaceOfTheOldest() {
            stage("a", "b", "c");
            once.commit();
            assertThat(stage("d", "a")).containsExactly(true, true);
            assertThat(rows()).containsExactly("0:3:d", "1:4:a");
            once.commit();
            assertThat(stage("c", "b")).containsExactly(false, true);
        }

        @Test
        void whatIsRolledBackWasNeverThereAndWhatItDroveOutIsBack() {
            stage("a", "b", "c");
            once.commit();
            stage("d", "e");
            once.rollBack();
            assertThat(once.duplicateIds()).isEmpty();
            assertThat(stage("a", "b", "c", "d")).containsExactly(false, false, false, true);
            assertThat(rows()).as("the place that it had before").containsExactly("0:3:d");
        }

        @Test
        void ofMoreThanTheWindowHoldsTheLastAreWritten() {
            assertThat(stage("a", "b", "c", "d", "e")).containsOnly(true);
            assertThat(rows()).containsExactly("2:2:c", "0:3:d", "1:4:e");
        }

        @Test
        void everyAddressHasAWindowOfItsOwn() {
            stage("a");
            assertThat(StoredOnceTest.this.stage(work("a"), other, 1)).containsExactly(true);
            once.commit();
            once.forget(queue);
            assertThat(stage("a")).as("an address of that id that is new").containsExactly(true);
        }

        @Test
        void thoseOfTemporaryAddressesAreNotWritten() {
            Address temporary = address(-1);
            assertThat(StoredOnceTest.this.stage(work("a", "a"), temporary, 2)).containsExactly(true, false);
            assertThat(once.duplicateIds()).isEmpty();
        }

        @Test
        void aMessageWithoutAnIdIsStored() {
            assertThat(stage(null, "a", null)).containsExactly(true, true, true);
        }

        @Test
        void whatTheTablesHaveIsKnownTheYoungestFirst() {
            once = new StoredOnce();
            for (int n = 0; n < 5; n++) {
                once.recovered(
                        new Flush.DuplicateId(queue.id(), n, n, id("id-" + n).bytes()));
            }
            once.begin(WINDOW);
            assertThat(stage("id-4", "id-3", "id-2", "id-1")).containsExactly(false, false, false, true);
        }

        @Test
        void withoutAWindowNothingIsKnown() {
            once = new StoredOnce();
            once.recovered(new Flush.DuplicateId(queue.id(), 0, 0, id("a").bytes()));
            once.begin(0);
            assertThat(stage("a", "a")).containsExactly(true, true);
            assertThat(once.duplicateIds()).isEmpty();
        }
    }
}
