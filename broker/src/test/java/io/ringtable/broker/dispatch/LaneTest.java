package io.ringtable.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.agent.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** Messages of one priority: those in memory, those out of turn, those in the store. */
class LaneTest {
    private static final long NO_END = Long.MAX_VALUE;

    private final OneSubscription fixture = new OneSubscription();
    private final Lane lane = new Lane(4, fixture.budget);
    private final CreditWindow consumer = fixture.consumer();

    /** As a subscription with room in memory does it: what one may not have waits for the others. */
    private static boolean stay(Lane lane, Ready head, List<CreditWindow> all, Slice slice) {
        lane.removeHead();
        lane.giveBack(head);
        return true;
    }

    private Ready peek(CreditWindow who) {
        return lane.peek(who, NO_END, fixture.consumers, LaneTest::stay, OneSubscription.slice());
    }

    private List<Long> takeAll(CreditWindow who) {
        List<Long> taken = new ArrayList<>();
        for (Ready next; (next = peek(who)) != null; ) {
            lane.take(next);
            taken.add(next.sequence());
        }
        return taken;
    }

    private void add(long... sequences) {
        for (long sequence : sequences) {
            lane.add(fixture.ready(sequence));
        }
    }

    @Test
    void givesInOrderOfSequence() {
        add(1, 2, 5);
        lane.giveBack(fixture.ready(3));
        add(4); // late, as what is read back may be
        assertThat(lane.inMemory()).isEqualTo(5);
        assertThat(takeAll(consumer)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(lane.inMemory()).isZero();
    }

    @Test
    void givesNothingBeforeWhatLiesInTheStoreBelow() {
        add(1, 7);
        lane.giveBack(fixture.ready(6));
        lane.store(5);
        assertThat(takeAll(consumer)).containsExactly(1L);
        assertThat(lane.isStoredNext(false)).isTrue();
        assertThat(lane.unstore(5)).isTrue();
        assertThat(takeAll(consumer)).containsExactly(6L, 7L);
    }

    @Test
    void givesNothingFromTheEndOn() {
        add(1, 2, 3);
        Ready first = lane.peek(consumer, 2, fixture.consumers, LaneTest::stay, OneSubscription.slice());
        assertThat(first.sequence()).isEqualTo(1);
        lane.take(first);
        assertThat(lane.peek(consumer, 2, fixture.consumers, LaneTest::stay, OneSubscription.slice()))
                .isNull();
    }

    @Test
    void knowsWhatLiesInTheStore() {
        assertThat(lane.isStoredEmpty()).isTrue();
        lane.store(Roaring64Bitmap.bitmapOf(9, 3, 12));
        lane.store(6);
        assertThat(lane.storedFirst()).isEqualTo(3);
        assertThat(lane.isStored(9)).isTrue();
        assertThat(lane.isStored(4)).isFalse();
        assertThat(lane.nextStored(2, NO_END)).containsExactly(3, 6);
        assertThat(lane.nextStored(10, 12)).containsExactly(3, 6, 9);
        assertThat(lane.unstore(4)).isFalse();
        lane.unstoreBelow(9);
        assertThat(lane.storedFirst()).isEqualTo(9);
        lane.unstoreBelow(100);
        assertThat(lane.isStoredEmpty()).isTrue();
        assertThat(lane.storedFirst()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatOneMayNotHaveIsTheOthers() {
        CreditWindow odd = fixture.consumer();
        add(2);
        lane.add(OneSubscription.notFor(fixture.ready(3), consumer));
        add(4);
        assertThat(takeAll(consumer)).containsExactly(2L, 4L);
        assertThat(takeAll(odd)).containsExactly(3L);
    }

    @Test
    void doesNotAskAgainAboutWhatAConsumerMayNotHave() {
        int[] asked = {0};
        CreditWindow none = fixture.consumer(message -> {
            asked[0]++;
            return false;
        });
        add(1, 2, 3);
        assertThat(peek(none)).isNull();
        assertThat(peek(none)).isNull();
        assertThat(asked[0]).isEqualTo(3);
        lane.giveBack(fixture.ready(0));
        assertThat(peek(none)).isNull();
        assertThat(asked[0]).as("after one came back below").isGreaterThan(3);
        int before = asked[0];
        lane.askAnew();
        assertThat(peek(none)).isNull();
        assertThat(asked[0]).isEqualTo(before + 4);
    }

    @Test
    void stopsWhenTheSliceIsOverAndSaysSo() {
        CreditWindow none = fixture.consumer(message -> false);
        add(1, 2, 3);
        assertThat(lane.peek(none, NO_END, fixture.consumers, LaneTest::stay, OneSubscription.slice(1)))
                .isNull();
        assertThat(lane.isInterrupted()).isTrue();
        assertThat(lane.peek(none, NO_END, fixture.consumers, LaneTest::stay, OneSubscription.slice()))
                .isNull();
        assertThat(lane.isInterrupted()).isFalse();
        assertThat(takeAll(consumer)).as("nothing is lost").containsExactly(1L, 2L, 3L);
    }

    @Test
    void memoryIsCountedWhileMessagesWait() {
        add(1, 2, 3);
        lane.giveBack(fixture.ready(0));
        assertThat(fixture.budget.used()).isEqualTo(4L * OneSubscription.WEIGHT);
        assertThat(lane.remove(2).sequence()).isEqualTo(2);
        assertThat(lane.remove(0).sequence()).isZero();
        assertThat(lane.remove(2)).as("a second time").isNull();
        assertThat(fixture.budget.used()).isEqualTo(2L * OneSubscription.WEIGHT);
        List<Long> left = new ArrayList<>();
        lane.clearMemory(ready -> left.add(ready.sequence()));
        assertThat(left).containsExactly(1L, 3L);
        assertThat(fixture.budget.used()).isZero();
    }

    @Test
    void saysWhatWaitsWhereverItWaits() {
        add(5, 6);
        lane.giveBack(fixture.ready(2));
        lane.store(9);
        lane.aside().add(7, List.of(consumer));
        assertThat(lane.sequences()).isEqualTo(Roaring64Bitmap.bitmapOf(2, 5, 6, 7, 9));
        assertThat(lane.inOrder()).extracting(Ready::sequence).containsExactly(2L, 5L, 6L);
    }
}
