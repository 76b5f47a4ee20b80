package io.ringtable.client.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.wire.BatchFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PendingMessagesTest {

    private static final int COUNT_MAX = BatchFormat.MESSAGES_MAX;
    private static final long BYTES_MAX = PendingMessages.BATCH_BYTES_MAX;

    @Test
    void cutsBatchesByCount() {
        PendingMessages pending = filled(10_000, 10);
        assertThat(pending.isBatchFull(COUNT_MAX, BYTES_MAX)).isTrue();
        assertThat(pending.next(COUNT_MAX, BYTES_MAX).messages()).hasSize(4_096);
        assertThat(pending.next(COUNT_MAX, BYTES_MAX).messages()).hasSize(4_096);
        assertThat(pending.isBatchFull(COUNT_MAX, BYTES_MAX)).isFalse();
        assertThat(pending.next(COUNT_MAX, BYTES_MAX).messages()).hasSize(10_000 - 2 * 4_096);
        assertThat(pending.isEmpty()).isTrue();
    }

    @Test
    void cutsBatchesByTheCreditThatIsLeft() {
        PendingMessages pending = filled(10, 10);
        assertThat(pending.isBatchFull(10, BYTES_MAX)).isTrue();
        assertThat(pending.isBatchFull(11, BYTES_MAX)).isFalse();
        assertThat(pending.next(7, BYTES_MAX).messages()).hasSize(7);
        assertThat(pending.next(1, BYTES_MAX).messages()).hasSize(1);
        assertThat(pending.next(7, BYTES_MAX).messages()).hasSize(2);
    }

    @Test
    void cutsBatchesSoThatWithTheirFramingTheyStayWithinTheBytes() {
        PendingMessages pending = filled(20, 100);
        assertThat(pending.next(COUNT_MAX, 10 * 108).messages()).hasSize(10);
        assertThat(pending.next(COUNT_MAX, 10 * 108 - 1).messages()).hasSize(9);
        assertThat(pending.next(COUNT_MAX, 1_000_000).messages()).hasSize(1);
    }

    @Test
    void sendsAMessageLargerThanABatchAlone() {
        PendingMessages pending = new PendingMessages();
        pending.add(message(10));
        pending.add(message(5_000));
        pending.add(message(10));
        assertThat(pending.next(COUNT_MAX, 1_000).messages()).hasSize(1);
        assertThat(pending.next(COUNT_MAX, 1_000).bytes()).isEqualTo(5_000);
        assertThat(pending.next(COUNT_MAX, 1_000).messages()).hasSize(1);
    }

    @Test
    void putsBackWhatIsUnansweredInItsOrderBeforeEverythingElse() {
        PendingMessages pending = new PendingMessages();
        List<Outgoing> all = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Outgoing message = message(10);
            all.add(message);
            pending.add(message);
        }
        List<Transfer> sent = IntStream.range(0, 5)
                .mapToObj(i -> pending.next(COUNT_MAX, 4 * 18))
                .toList();
        sent.get(1).answered();
        pending.putBack(sent);
        List<Outgoing> expected = new ArrayList<>(all.subList(0, 4));
        expected.addAll(all.subList(8, 30));
        assertThat(pending.drain()).containsExactlyElementsOf(expected);
        assertThat(pending.isBatchFull(COUNT_MAX, 1)).isFalse();
    }

    @Test
    void cutsBatchesWhereNumbersDoNotFollowEachOther() {
        PendingMessages pending = new PendingMessages();
        for (long number : new long[] {3, 4, 5, 7, 8, 12}) {
            pending.add(numbered(number));
        }
        assertThat(numbers(pending.next(COUNT_MAX, BYTES_MAX))).containsExactly(3L, 4L, 5L);
        assertThat(numbers(pending.next(COUNT_MAX, BYTES_MAX))).containsExactly(7L, 8L);
        assertThat(numbers(pending.next(COUNT_MAX, BYTES_MAX))).containsExactly(12L);
        assertThat(pending.isBatchFull(COUNT_MAX, 1)).isFalse();
    }

    @Test
    void takesOutWhatTheBrokerHasStored() {
        PendingMessages pending = new PendingMessages();
        for (long number = 3; number <= 8; number++) {
            pending.add(numbered(number));
        }
        assertThat(pending.takeUpTo(2)).isEmpty();
        assertThat(pending.takeUpTo(5)).extracting(Outgoing::number).containsExactly(3L, 4L, 5L);
        assertThat(numbers(pending.next(COUNT_MAX, BYTES_MAX))).containsExactly(6L, 7L, 8L);
        assertThat(pending.isBatchFull(COUNT_MAX, 1)).isFalse();
    }

    private static Outgoing numbered(long number) {
        Outgoing message = message(10);
        message.number(number);
        return message;
    }

    private static List<Long> numbers(Transfer transfer) {
        return transfer.messages().stream().map(Outgoing::number).toList();
    }

    private static PendingMessages filled(int count, int bytes) {
        PendingMessages pending = new PendingMessages();
        for (int i = 0; i < count; i++) {
            pending.add(message(bytes));
        }
        return pending;
    }

    private static Outgoing message(int bytes) {
        return new Outgoing(new byte[bytes], null);
    }
}
