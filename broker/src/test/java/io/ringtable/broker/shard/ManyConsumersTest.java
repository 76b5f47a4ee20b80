package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.Address;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A queue with more consumers with selectors than one turn of the dispatcher asks; on a real SQLite file, stepped by
 * hand.
 */
class ManyConsumersTest extends SteppedQueueTest {
    private static final int CONSUMERS = 3_000;
    private static final int WINDOW = 64;

    @Override
    void configure(SteppedShard unopened) {
        unopened.dispatch = SteppedSettings.dispatch(4 << 20, WINDOW, 64 << 10, 16);
    }

    private List<Reader> readers(int count, String prefix, long credit) {
        return IntStream.range(0, count)
                .mapToObj(number -> shard.attach(shard.reader(queue), prefix, credit))
                .toList();
    }

    private void publishAndCommit(String... texts) {
        for (String text : texts) {
            shard.publish(queue, text);
        }
        while (shard.commitTurn() > 0) {
            // until all are committed
        }
    }

    @Test
    void othersAreServedBetweenTheSlicesOfOne() {
        List<Reader> consumers = readers(CONSUMERS, "never", 10);
        Address other = shard.queue("other");
        Reader honest = shard.attach(shard.reader(other), 10);
        Reader wanting = shard.attach(shard.reader(queue), "b", 10);
        shard.run();
        publishAndCommit("a0", "a1", "b0", "a2", "a3", "b1");
        shard.dispatchTurn();
        assertThat(wanting.deliveries).as("more than a turn asks").isEmpty();
        shard.publish(other, "to somebody else");
        for (int turns = 0; turns < 3; turns++) { // one for the flush, one for its bound
            shard.commitTurn();
            shard.dispatchTurn();
        }
        assertThat(honest.texts()).containsExactly("to somebody else");
        assertThat(wanting.deliveries).hasSizeLessThan(2);
        shard.run();
        assertThat(wanting.texts()).containsExactly("b0", "b1");
        assertThat(consumers).allMatch(consumer -> consumer.deliveries.isEmpty());
    }

    /** Asks consumers of an earlier slice again, for the messages that have come since. */
    @Test
    void whatComesDuringARoundIsFound() {
        Reader early = shard.attach(shard.reader(queue), "b", 10);
        readers(CONSUMERS, "never", 10);
        shard.run();
        publishAndCommit("a0", "a1", "a2");
        shard.dispatchTurn();
        publishAndCommit("b0");
        shard.run();
        assertThat(early.texts()).containsExactly("b0");
    }

    @Test
    void aDrainIsAnsweredWhenEverythingHasBeenAskedAbout() {
        List<Reader> consumers = readers(CONSUMERS, "never", 10);
        Reader last = shard.attach(shard.reader(queue), "b", 10);
        shard.run();
        publishAndCommit("a0", "a1", "b0");
        last.drain();
        consumers.get(0).drain();
        shard.dispatchTurn();
        assertThat(last.drained).isEmpty();
        shard.run();
        assertThat(last.texts()).containsExactly("b0");
        assertThat(last.drained).hasSize(1);
        assertThat(consumers.get(0).drained).hasSize(1);
    }

    /** More of them than are noted for each message. */
    @Test
    void whatWasSetAsideForManyIsGivenOnceAndInOrder() {
        List<Reader> stalled = new ArrayList<>(readers(20, "a", 0));
        Reader busy = shard.attach(shard.reader(queue), "b", 10_000);
        for (int i = 0; i < 1_000; i++) {
            shard.publish(queue, "ab".charAt(i % 2) + String.format("%04d", i));
        }
        shard.run();
        assertThat(busy.texts()).hasSize(500).isSorted();
        stalled.forEach(reader -> reader.credit(7));
        shard.run();
        assertThat(stalled)
                .allSatisfy(reader -> assertThat(reader.texts()).hasSize(7).isSorted());
        Reader gone = stalled.remove(3);
        gone.acceptAll();
        gone.detach(false);
        Collections.reverse(stalled);
        stalled.forEach(reader -> reader.credit(1_000));
        shard.run();
        List<String> all = new ArrayList<>(gone.texts());
        stalled.forEach(reader -> all.addAll(reader.texts()));
        assertThat(all).hasSize(500).doesNotHaveDuplicates().allMatch(text -> text.startsWith("a"));
    }

    /** A message may take longer than a slice to look through. */
    @Test
    void aLargeMessageIsAskedAboutToo() {
        readers(40, "never", 10);
        Reader wanting = shard.attach(shard.reader(queue), "b", 10);
        shard.run();
        shard.submit(shard.message(queue, SteppedShard.bytes("a" + "-".repeat(5_000_000))));
        shard.submit(shard.message(queue, SteppedShard.bytes("b" + "-".repeat(5_000_000))));
        shard.run();
        assertThat(wanting.deliveries).hasSize(1);
    }
}
