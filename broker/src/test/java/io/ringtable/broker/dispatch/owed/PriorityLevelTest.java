package io.ringtable.broker.dispatch.owed;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.agent.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** Messages of one priority: those in memory, those out of turn, those in the store. */
class PriorityLevelTest {
    private static final long NO_END = Long.MAX_VALUE;

    private final OneSubscription fixture = new OneSubscription();
    private final PriorityLevel level = new PriorityLevel(4, fixture.budget);
    private final TestRecipient consumer = fixture.consumer();

    /** As a subscription with room in memory does it: what one may not have waits for the others. */
    private static boolean stay(PriorityLevel level, Ready head, List<? extends Recipient> all, Slice slice) {
        level.removeHead();
        level.giveBack(head);
        return true;
    }

    private Ready peek(TestRecipient who) {
        return level.peek(who, NO_END, fixture.consumers, PriorityLevelTest::stay, OneSubscription.slice());
    }

    private List<Long> takeAll(TestRecipient who) {
        List<Long> taken = new ArrayList<>();
        for (Ready next; (next = peek(who)) != null; ) {
            level.take(next);
            taken.add(next.sequence());
        }
        return taken;
    }

    private void add(long... sequences) {
        for (long sequence : sequences) {
            level.add(fixture.ready(sequence));
        }
    }

    @Test
    void givesInOrderOfSequence() {
        add(1, 2, 5);
        level.giveBack(fixture.ready(3));
        add(4); // late, as a message from a read-back may be
        assertThat(level.inMemory()).isEqualTo(5);
        assertThat(takeAll(consumer)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(level.inMemory()).isZero();
    }

    @Test
    void givesNothingBeforeWhatLiesInTheStoreBelow() {
        add(1, 7);
        level.giveBack(fixture.ready(6));
        level.store(5);
        assertThat(takeAll(consumer)).containsExactly(1L);
        assertThat(level.isStoredNext(false)).isTrue();
        assertThat(level.unstore(5)).isTrue();
        assertThat(takeAll(consumer)).containsExactly(6L, 7L);
    }

    @Test
    void givesNothingFromTheEndOn() {
        add(1, 2, 3);
        Ready first = level.peek(consumer, 2, fixture.consumers, PriorityLevelTest::stay, OneSubscription.slice());
        assertThat(first.sequence()).isEqualTo(1);
        level.take(first);
        assertThat(level.peek(consumer, 2, fixture.consumers, PriorityLevelTest::stay, OneSubscription.slice()))
                .isNull();
    }

    @Test
    void knowsWhatLiesInTheStore() {
        assertThat(level.isStoredEmpty()).isTrue();
        level.store(Roaring64Bitmap.bitmapOf(9, 3, 12));
        level.store(6);
        assertThat(level.storedFirst()).isEqualTo(3);
        assertThat(level.isStored(9)).isTrue();
        assertThat(level.isStored(4)).isFalse();
        assertThat(level.nextStored(2, NO_END)).containsExactly(3, 6);
        assertThat(level.nextStored(10, 12)).containsExactly(3, 6, 9);
        assertThat(level.unstore(4)).isFalse();
        level.unstoreBelow(9);
        assertThat(level.storedFirst()).isEqualTo(9);
        level.unstoreBelow(100);
        assertThat(level.isStoredEmpty()).isTrue();
        assertThat(level.storedFirst()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatOneMayNotHaveIsTheOthers() {
        TestRecipient odd = fixture.consumer();
        add(2);
        level.add(OneSubscription.notFor(fixture.ready(3), consumer));
        add(4);
        assertThat(takeAll(consumer)).containsExactly(2L, 4L);
        assertThat(takeAll(odd)).containsExactly(3L);
    }

    @Test
    void doesNotAskAgainAboutWhatAConsumerMayNotHave() {
        int[] asked = {0};
        TestRecipient none = fixture.consumer(message -> {
            asked[0]++;
            return false;
        });
        add(1, 2, 3);
        assertThat(peek(none)).isNull();
        assertThat(peek(none)).isNull();
        assertThat(asked[0]).isEqualTo(3);
        level.giveBack(fixture.ready(0));
        assertThat(peek(none)).isNull();
        assertThat(asked[0]).as("after one came back below").isGreaterThan(3);
        int before = asked[0];
        level.askAnew();
        assertThat(peek(none)).isNull();
        assertThat(asked[0]).isEqualTo(before + 4);
    }

    @Test
    void stopsWhenTheSliceIsOverAndSaysSo() {
        TestRecipient none = fixture.consumer(message -> false);
        add(1, 2, 3);
        assertThat(level.peek(none, NO_END, fixture.consumers, PriorityLevelTest::stay, OneSubscription.slice(1)))
                .isNull();
        assertThat(level.isInterrupted()).isTrue();
        assertThat(level.peek(none, NO_END, fixture.consumers, PriorityLevelTest::stay, OneSubscription.slice()))
                .isNull();
        assertThat(level.isInterrupted()).isFalse();
        assertThat(takeAll(consumer)).as("nothing is lost").containsExactly(1L, 2L, 3L);
    }

    @Test
    void memoryIsCountedWhileMessagesWait() {
        add(1, 2, 3);
        level.giveBack(fixture.ready(0));
        assertThat(fixture.budget.used()).isEqualTo(4L * OneSubscription.WEIGHT);
        assertThat(level.remove(2).sequence()).isEqualTo(2);
        assertThat(level.remove(0).sequence()).isZero();
        assertThat(level.remove(2)).as("a second time").isNull();
        assertThat(fixture.budget.used()).isEqualTo(2L * OneSubscription.WEIGHT);
        List<Long> left = new ArrayList<>();
        level.clearMemory(ready -> left.add(ready.sequence()));
        assertThat(left).containsExactly(1L, 3L);
        assertThat(fixture.budget.used()).isZero();
    }

    @Test
    void saysWhatWaitsWhereverItWaits() {
        add(5, 6);
        level.giveBack(fixture.ready(2));
        level.store(9);
        level.evicted().add(7, List.of(consumer));
        assertThat(level.sequences()).isEqualTo(Roaring64Bitmap.bitmapOf(2, 5, 6, 7, 9));
        assertThat(level.inOrder()).extracting(Ready::sequence).containsExactly(2L, 5L, 6L);
    }
}
