package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads give what is there, in order, within the limits asked for, and leave out what is not. */
abstract class ReadContract {
    private StoreFixture f;
    private AddressRow topic;

    abstract StoreFixture fixture();

    @BeforeEach
    void aTopicWithABacklog() {
        f = fixture();
        topic = f.topic("orders", 2);
        f.publish(topic, 2048);
        f.batch().settle(0, 1024, 0).settle(0, 100, 1).flush();
        f.reclaim(1024);
    }

    @Test
    void messagesThatHaveLeftTheRingOrNeverWereThereAreLeftOut() {
        assertThat(sequences(f.store.readRing(new long[] {5, 1023, 1024, 2047, 2048, 9999, 1_000_000})))
                .containsExactly(1024L, 2047L);
    }

    @Test
    void theRingIsReadInOrderWhateverOrderIsAskedFor() {
        assertThat(sequences(f.store.readRing(new long[] {1500, 1100, 2000, 1101})))
                .containsExactly(1100L, 1101L, 1500L, 2000L);
    }

    @Test
    void askingForNothingGivesNothing() {
        assertThat(f.store.readRing(new long[0])).isEmpty();
    }

    @Test
    void aRingRowSaysWhoStillOwesIt() {
        f.batch().settle(1500, 1).flush();
        assertThat(f.store.readRing(new long[] {1499, 1500}))
                .extracting(StoredMessage::pending)
                .containsExactly(0b11L, 0b01L);
    }

    @Test
    void oneMessageIsReadFromTheRingWithWhoOwedItAndWhoStillDoes() {
        f.batch().settle(1500, 1).flush();
        MessageRow row = f.store.readMessage(1500);
        assertThat(row.inRing()).isTrue();
        assertThat(row.message().pending()).as("who owed it").isEqualTo(0b11L);
        assertThat(row.owed()).as("who owes it").isEqualTo(0b01L);
        assertThat(row.message().addressId()).isEqualTo(topic.addressId());
        assertThat(row.message().body()).isEqualTo(f.model.ring.get(1500L).body());
        f.batch().settle(1500, 0).flush();
        assertThat(f.store.readMessage(1500).owed())
                .as("its row is still there")
                .isZero();
    }

    @Test
    void oneMessageIsReadFromTheBacklogWithWhoOwedItAndWhoStillDoes() {
        assertThat(f.store.readMessage(500)).satisfies(row -> {
            assertThat(row.inRing()).isFalse();
            assertThat(row.message().addressId()).isEqualTo(topic.addressId());
            assertThat(row.message().pending()).as("who owed it when it moved").isEqualTo(0b10L);
            assertThat(row.message().body()).isEqualTo(f.model.backlog.get(500L).body());
            assertThat(row.owed()).isEqualTo(0b10L);
        });
        f.batch().settle(500, 1).flush();
        assertThat(f.store.readMessage(500).owed()).isZero();
    }

    @Test
    void oneMessageThatIsOverOrNeverWasIsNotRead() {
        assertThat(f.store.readMessage(5)).as("over, and below the gate").isNull();
        assertThat(f.store.readMessage(2048)).as("not published yet").isNull();
        assertThat(f.store.readMessage(500 + StoreFixture.GEOMETRY.capacity()))
                .as("of the next lap of its slot")
                .isNull();
        assertThat(f.store.readMessage(Long.MAX_VALUE)).isNull();
    }

    @Test
    void theBacklogIsReadInOrderFromAboveTheGivenSequence() {
        List<StoredMessage> read = f.store.readBacklog(topic.addressId(), 0, 1, 500, 10, Long.MAX_VALUE);
        assertThat(sequences(read)).containsExactly(501L, 502L, 503L, 504L, 505L, 506L, 507L, 508L, 509L, 510L);
        assertThat(read)
                .allSatisfy(m -> assertThat(m.body())
                        .isEqualTo(f.model.backlog.get(m.sequence()).body()));
    }

    @Test
    void theBacklogIsReadNoFurtherThanAsked() {
        assertThat(sequences(f.store.readBacklog(topic.addressId(), 0, 1, 500, 503, 10, Long.MAX_VALUE)))
                .containsExactly(501L, 502L);
        assertThat(f.store.readBacklog(topic.addressId(), 0, 1, 500, 501, 10, Long.MAX_VALUE))
                .isEmpty();
        assertThat(f.store.readBacklog(topic.addressId(), 0, 1, -1, 100, 10, Long.MAX_VALUE))
                .as("all settled before")
                .isEmpty();
    }

    @Test
    void theBacklogStopsAfterTheRowThatReachesTheBytesAskedFor() {
        int bytes = f.model.backlog.get(100L).bodyBytes();
        assertThat(sequences(f.store.readBacklog(topic.addressId(), 0, 1, -1, 100, bytes + 1)))
                .containsExactly(100L, 101L);
        assertThat(sequences(f.store.readBacklog(topic.addressId(), 0, 1, -1, 100, 1)))
                .as("at least one row is returned if there is one")
                .containsExactly(100L);
    }

    @Test
    void theBacklogLeavesOutWhatTheBitHasSettled() {
        f.batch().settle(101, 1).settle(103, 1).flush();
        assertThat(sequences(f.store.readBacklog(topic.addressId(), 0, 1, -1, 4, Long.MAX_VALUE)))
                .containsExactly(100L, 102L, 104L, 105L);
    }

    @Test
    void theBacklogOfABitThatOwesNothingIsEmpty() {
        assertThat(f.store.readBacklog(topic.addressId(), 0, 0, -1, 10, Long.MAX_VALUE))
                .isEmpty();
        assertThat(f.store.readBacklog(topic.addressId(), 1, 1, -1, 10, Long.MAX_VALUE))
                .as("another group")
                .isEmpty();
        AddressRow other = f.address("other", AddressKind.QUEUE);
        assertThat(f.store.readBacklog(other.addressId(), 0, 1, -1, 10, Long.MAX_VALUE))
                .isEmpty();
        assertThat(f.store.readBacklogLedger(other.addressId())).isEmpty();
    }

    @Test
    void theFactsOfTheBacklogAreReadInOrderWithoutBodiesWhateverIsSettled() {
        f.batch().settle(501, 1).flush();
        List<StoredMessage> facts = f.store.readBacklogFacts(topic.addressId(), 0, 1, 500, 3);
        assertThat(sequences(facts)).containsExactly(501L, 502L, 503L);
        assertThat(facts).allSatisfy(m -> {
            StoredMessage expected = f.model.backlog.get(m.sequence());
            assertThat(m).isEqualTo(StoreModel.facts(expected));
        });
        assertThat(f.store.readBacklogFacts(topic.addressId(), 0, 1, 1022, 10))
                .extracting(StoredMessage::sequence)
                .containsExactly(1023L);
        assertThat(f.store.readBacklogFacts(topic.addressId(), 0, 1, 1023, 10)).isEmpty();
        assertThat(f.store.readBacklogFacts(topic.addressId(), 0, 0, -1, 10))
                .as("a bit that owed none of them")
                .isEmpty();
        assertThat(f.store.readBacklogFacts(topic.addressId(), 1, 1, -1, 10))
                .as("another group")
                .isEmpty();
        assertThat(f.store.readBacklogFacts(topic.addressId() + 1_000, 0, 1, -1, 10))
                .isEmpty();
    }

    @Test
    void theFactsOfABodyInOverflowNameIt() {
        f.store.stage(f.epoch, 77, new byte[100_000]);
        long sequence = f.model.next;
        f.batch().publish(topic, null, 77, 100_000, 0, 0, 4).flush();
        f.publish(topic, 2047);
        f.batch().settle(1024, 2048, 0).settle(1024, 2048, 1).flush();
        f.reclaim(2048);
        f.reclaim(3072);
        List<StoredMessage> facts = f.store.readBacklogFacts(topic.addressId(), 0, 1, sequence - 1, 1);
        assertThat(facts).singleElement().satisfies(m -> {
            assertThat(m.sequence()).isEqualTo(sequence);
            assertThat(m.bodyId()).isEqualTo(77);
            assertThat(m.bodyBytes()).isEqualTo(100_000);
            assertThat(m.body()).isNull();
        });
    }

    @Test
    void whatIsOwedInAStretchOfTheBacklogIsCounted() {
        f.batch().settle(200, 1).settle(500, 1).flush();
        f.alter(new CatalogChange.Purge(f.subscription(topic, 1).subscriptionId(), 150));
        assertThat(f.store.countBacklog(topic.addressId(), 100, 400))
                .containsExactly(
                        new ShardState.OwedCount(f.subscription(topic, 1).subscriptionId(), 249));
        f.agrees();
        f.alter(new CatalogChange.Unsubscribe(f.subscription(topic, 1).subscriptionId()));
        assertThat(f.store.countBacklog(topic.addressId(), 0, 1024)).isEmpty();
    }

    private static List<Long> sequences(List<StoredMessage> messages) {
        return messages.stream().map(StoredMessage::sequence).toList();
    }
}
