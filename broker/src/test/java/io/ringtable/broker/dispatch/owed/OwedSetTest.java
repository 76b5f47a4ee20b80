package io.ringtable.broker.dispatch.owed;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.owed.Reading.BacklogRows;
import io.ringtable.broker.dispatch.owed.Reading.BacklogStretch;
import io.ringtable.broker.dispatch.owed.Reading.RingRows;
import io.ringtable.broker.dispatch.owed.ReadyPart.Sequences;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** Tests that every message that a subscription owes is in exactly one place: in memory, in the store, or delayed. */
class OwedSetTest {
    private static final int LOW = 0;
    private static final int NORMAL = 4;
    private static final int HIGH = 9;

    private OneSubscription fixture = new OneSubscription();
    private OwedSet owed = fixture.owed;

    private void small(int inMemoryMax, int room) {
        fixture = new OneSubscription(inMemoryMax, room, true);
        owed = fixture.owed;
    }

    private void volatileOne() {
        fixture = new OneSubscription(4, 4, false);
        owed = fixture.owed;
    }

    private void arrive(long from, long to) {
        for (long sequence = from; sequence < to; sequence++) {
            owed.arrived(fixture.ready(sequence), true);
        }
    }

    private static long[] sequences(Reading reading) {
        return reading instanceof RingRows ring ? ring.sequences() : ((BacklogRows) reading).sequences();
    }

    /** Reads until nothing is left to read. @param gate the ring's */
    private void readBack(long gate) {
        for (Reading next; (next = owed.nextReading(gate, true)) != null; ) {
            for (long sequence : sequences(next)) {
                owed.readBack(fixture.ready(sequence), 0);
            }
        }
    }

    @Nested
    class Arriving {
        @Test
        void whatComesIsGivenInOrder() {
            TestRecipient consumer = fixture.consumer();
            arrive(0, 5);
            assertThat(owed.isCaughtUp()).isTrue();
            assertThat(owed.inMemory()).isEqualTo(5);
            assertThat(fixture.takeAll(consumer)).containsExactly(0L, 1L, 2L, 3L, 4L);
        }

        @Test
        void higherPrioritiesGoFirst() {
            TestRecipient consumer = fixture.consumer();
            owed.arrived(fixture.ready(1, LOW), true);
            owed.arrived(fixture.ready(2, NORMAL), true);
            owed.arrived(fixture.ready(3, HIGH), true);
            owed.arrived(fixture.ready(4, NORMAL), true);
            assertThat(fixture.takeAll(consumer)).containsExactly(3L, 2L, 4L, 1L);
        }

        @Test
        void whatNobodyTakesSoonStaysInTheStore() {
            owed.arrived(fixture.ready(7), false);
            assertThat(owed.inMemory()).isZero();
            assertThat(owed.liesInStore(7)).isTrue();
            assertThat(owed.isCaughtUp()).isFalse();
            assertThat(fixture.budget.used()).isZero();
        }

        @Test
        void beyondTheBoundAllStaysInTheStoreUntilItIsRead() {
            small(4, 100);
            TestRecipient consumer = fixture.consumer();
            arrive(0, 10);
            assertThat(owed.inMemory()).isEqualTo(4);
            assertThat(owed.liesInStore(4)).isTrue();
            assertThat(fixture.takeAll(consumer)).containsExactly(0L, 1L, 2L, 3L);
            readBack(0);
            assertThat(fixture.takeAll(consumer)).containsExactly(4L, 5L, 6L, 7L, 8L, 9L);
            assertThat(owed.isCaughtUp()).isTrue();
        }

        @Test
        void withoutRoomOneMessageIsKeptAllTheSame() {
            small(100, 2);
            arrive(0, 5);
            assertThat(owed.inMemory()).isEqualTo(2);
            small(100, 0);
            arrive(0, 5);
            assertThat(owed.inMemory()).isEqualTo(1);
        }

        @Test
        void whereThereIsNoStoreEverythingWaitsInMemory() {
            volatileOne();
            TestRecipient consumer = fixture.consumer();
            arrive(0, 10);
            assertThat(owed.inMemory()).isEqualTo(10);
            assertThat(owed.readyInStore()).isEmpty();
            assertThat(owed.readyWithoutStore())
                    .extracting(Ready::sequence)
                    .hasSize(10)
                    .isSorted();
            assertThat(fixture.takeAll(consumer)).hasSize(10).isSorted();
        }
    }

    @Nested
    class ComingBack {
        @Test
        void aMessageThatComesBackHasItsPlaceAgain() {
            TestRecipient consumer = fixture.consumer();
            arrive(0, 3);
            Ready first = owed.peek(consumer, fixture.consumers, OneSubscription.slice());
            owed.take(first);
            owed.giveBack(OneSubscription.failed(first));
            assertThat(fixture.takeAll(consumer)).containsExactly(0L, 1L, 2L);
        }

        @Test
        void itGoesToTheStoreIfThatIsWhereItsNeighboursAreAndKeepsItsFailures() {
            TestRecipient consumer = fixture.consumer();
            owed.arrived(fixture.ready(3), false);
            owed.giveBack(OneSubscription.failed(fixture.ready(4)));
            assertThat(owed.liesInStore(4)).isTrue();
            readBack(0);
            owed.take(owed.peek(consumer, fixture.consumers, OneSubscription.slice()));
            Ready again = owed.peek(consumer, fixture.consumers, OneSubscription.slice());
            assertThat(again.sequence()).isEqualTo(4);
            assertThat(again.failures()).isEqualTo(1);
            assertThat(again.redelivered()).isTrue();
        }

        @Test
        void whatFailedIsFlaggedAndCountedWhenItIsReadAgain() {
            TestRecipient consumer = fixture.consumer();
            owed.recoveredFailures(5, 2, 0);
            owed.arrived(fixture.ready(5), false);
            readBack(0);
            Ready again = owed.peek(consumer, fixture.consumers, OneSubscription.slice());
            assertThat(again.failures()).isEqualTo(2);
            assertThat(again.redelivered()).isTrue();
        }

        @Test
        void whatMayHaveBeenDeliveredBeforeTheStartIsFlagged() {
            TestRecipient consumer = fixture.consumer();
            owed.recoveredBound(5);
            owed.arrived(fixture.ready(5), false);
            owed.arrived(fixture.ready(6), false);
            readBack(0);
            Ready five = owed.peek(consumer, fixture.consumers, OneSubscription.slice());
            owed.take(five);
            Ready six = owed.peek(consumer, fixture.consumers, OneSubscription.slice());
            assertThat(five.redelivered()).isTrue();
            assertThat(six.redelivered()).isFalse();
        }

        @Test
        void whatIsOnItsWayOutDoesNotComeBackWithARead() {
            TestRecipient consumer = fixture.consumer();
            owed.arrived(fixture.ready(1), false);
            owed.leaves(1);
            readBack(0);
            assertThat(fixture.takeAll(consumer)).isEmpty();
            assertThat(owed.liesInStore(1)).isFalse();
        }
    }

    @Nested
    class Later {
        @Test
        void nothingIsGivenBeforeItsTime() {
            TestRecipient consumer = fixture.consumer();
            owed.later(fixture.ready(1), 100);
            owed.arrived(fixture.ready(2), true);
            assertThat(owed.nextDue()).isEqualTo(100);
            assertThat(owed.release(99)).isZero();
            assertThat(fixture.takeAll(consumer)).containsExactly(2L);
            assertThat(owed.release(100)).isOne();
            assertThat(owed.liesInStore(1)).isTrue();
            readBack(0);
            assertThat(fixture.takeAll(consumer)).containsExactly(1L);
        }

        @Test
        void withoutAStoreItWaitsInMemoryAndCounts() {
            volatileOne();
            TestRecipient consumer = fixture.consumer();
            owed.later(fixture.ready(1), 100);
            assertThat(owed.inMemory()).isOne();
            assertThat(fixture.budget.used()).isEqualTo(OneSubscription.WEIGHT);
            assertThat(fixture.takeAll(consumer)).isEmpty();
            owed.release(100);
            assertThat(fixture.takeAll(consumer)).containsExactly(1L);
            assertThat(fixture.budget.used()).isZero();
        }

        @Test
        void manyThatComeDueAreReleasedInPortions() {
            for (long sequence = 0; sequence < 1_500; sequence++) {
                owed.later(fixture.ready(sequence), 1);
            }
            assertThat(owed.release(1)).isEqualTo(1_024);
            assertThat(owed.release(1)).isEqualTo(476);
        }

        @Test
        void aRestThatWasRecoveredIsKept() {
            owed.recoveredFailures(1, 1, 100);
            owed.arrived(fixture.ready(1), false);
            fixture.consumer();
            readBack(0);
            assertThat(owed.nextDue()).isEqualTo(100);
            assertThat(owed.inMemory()).isZero();
        }

        @Test
        void theLaterOnesOfItsGroupWaitForOneThatRests() {
            TestRecipient consumer = fixture.consumer();
            Ready first = fixture.ofGroup(1, "g");
            owed.arrived(first, true);
            owed.arrived(fixture.ofGroup(2, "g"), true);
            owed.arrived(fixture.ready(3), true);
            owed.take(owed.peek(consumer, fixture.consumers, OneSubscription.slice()));
            owed.given(first, consumer, fixture.consumers);
            owed.rests(first, 100);
            assertThat(fixture.takeAll(consumer)).containsExactly(3L);
            owed.isOver(1);
            assertThat(fixture.takeAll(consumer)).containsExactly(2L);
        }
    }

    @Nested
    class Settled {
        @Test
        void whatOthersSettleLeavesWhereverItWaits() {
            TestRecipient consumer = fixture.consumer();
            arrive(0, 2);
            owed.later(fixture.ready(2), 100);
            assertThat(owed.settledElsewhere(0)).as("in memory").isTrue();
            assertThat(owed.settledElsewhere(2)).as("delayed").isTrue();
            assertThat(owed.nextDue()).isEqualTo(OwedSet.NEVER);
            owed.arrived(fixture.ready(3), false);
            assertThat(owed.settledElsewhere(3))
                    .as("perhaps on its way from the store")
                    .isFalse();
            assertThat(owed.liesInStore(3)).isFalse();
            assertThat(fixture.takeAll(consumer)).containsExactly(1L);
            assertThat(fixture.budget.used()).isZero();
        }
    }

    @Nested
    class Choosing {
        @Test
        void whatWasSetAsideIsReadAgainForItsConsumer() {
            small(2, 2);
            TestRecipient never = fixture.consumer(message -> false);
            TestRecipient all = fixture.consumer();
            all.credit(0); // no credit: nothing is taken soon
            arrive(0, 2);
            owed.readBack(fixture.ready(2), 0);
            owed.readBack(fixture.ready(3), 0);
            assertThat(fixture.takeAll(never)).isEmpty();
            assertThat(owed.inMemory()).isLessThanOrEqualTo(2 + 1);
            assertThat(owed.readyInStore()).hasSize(1);
            all.credit(10);
            owed.recall(all);
            readBack(0);
            assertThat(fixture.takeAll(all)).containsExactly(0L, 1L, 2L, 3L);
        }

        @Test
        void whoComesIsOfferedWhatNobodyWanted() {
            TestRecipient never = fixture.consumer(message -> false);
            arrive(0, 3);
            assertThat(fixture.takeAll(never)).isEmpty();
            TestRecipient all = fixture.consumer();
            readBack(0);
            assertThat(fixture.takeAll(all)).containsExactly(0L, 1L, 2L);
        }

        @Test
        void theGroupsOfAConsumerThatGoesAreOthers() {
            TestRecipient one = fixture.consumer();
            TestRecipient other = fixture.consumer();
            Ready first = fixture.ofGroup(1, "g");
            owed.arrived(first, true);
            owed.take(first);
            owed.given(first, one, fixture.consumers);
            owed.arrived(fixture.ofGroup(2, "g"), true);
            assertThat(fixture.takeAll(other)).isEmpty();
            fixture.leaves(one);
            readBack(0);
            assertThat(fixture.takeAll(other)).containsExactly(2L);
        }
    }

    @Nested
    class Store {
        @Test
        void whatLiesBelowTheGateIsReadFromTheBacklog() {
            fixture.consumer();
            owed.arrived(fixture.ready(3), false);
            owed.arrived(fixture.ready(12), false);
            assertThat(owed.nextReading(10, true))
                    .isInstanceOfSatisfying(
                            BacklogRows.class,
                            rows -> assertThat(rows.sequences()).containsExactly(3));
            owed.readBack(fixture.ready(3), 0);
            assertThat(owed.nextReading(10, true))
                    .isInstanceOfSatisfying(
                            RingRows.class, rows -> assertThat(rows.sequences()).containsExactly(12));
        }

        @Test
        void whatNobodyAttendsIsAStretchOfTheBacklogOnceTheGateHasPassed() {
            owed.arrived(fixture.ready(3), false);
            owed.arrived(fixture.ready(8), false);
            owed.gateRaised(8);
            assertThat(owed.liesInStore(3)).isTrue();
            assertThat(owed.nextReading(8, true)).isEqualTo(new BacklogStretch(2, 8));
            owed.readOn(fixture.ready(3), 0);
            owed.isReadThrough();
            TestRecipient consumer = fixture.consumer();
            readBack(8);
            assertThat(fixture.takeAll(consumer)).containsExactly(3L, 8L);
            assertThat(owed.isCaughtUp()).isTrue();
        }

        @Test
        void nothingIsGivenBeforeAnUnreadStretchBelow() {
            TestRecipient consumer = fixture.consumer();
            owed.recoveredInBacklog(5);
            owed.arrived(fixture.ready(9), true);
            assertThat(fixture.takeAll(consumer)).isEmpty();
            owed.isReadThrough();
            readBack(5);
            assertThat(fixture.takeAll(consumer)).containsExactly(9L);
        }

        @Test
        void nobodyReadsForMemoryThatIsNotThere() {
            small(4, 0);
            owed.arrived(fixture.ready(0), false);
            assertThat(owed.nextReading(0, false)).isNull();
            assertThat(owed.nextReading(0, true)).isNotNull();
        }

        @Test
        void whoOnlyLooksIsShownThePartsInOrderOfDelivery() {
            owed.recoveredInBacklog(5);
            owed.arrived(fixture.ready(9, HIGH), false);
            owed.arrived(fixture.ready(7, NORMAL), false);
            assertThat(owed.readyInStore())
                    .containsExactly(
                            new BacklogStretch(-1, 5),
                            new Sequences(Roaring64Bitmap.bitmapOf(9)),
                            new Sequences(Roaring64Bitmap.bitmapOf(7)));
        }

        @Test
        void whenNobodyReadsAnyMoreMemoryIsEmpty() {
            arrive(0, 5);
            owed.leaveToStore();
            assertThat(owed.inMemory()).isZero();
            assertThat(fixture.budget.used()).isZero();
            TestRecipient consumer = fixture.consumer();
            readBack(0);
            assertThat(fixture.takeAll(consumer)).isEqualTo(List.of(0L, 1L, 2L, 3L, 4L));
        }
    }
}
