package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A topic with more selectors than one turn of the dispatcher asks; on a real SQLite file, stepped by hand. */
class FanOutTest extends SteppedTest {
    private static final int SUBSCRIPTIONS = 5_000;
    private static final List<String> MESSAGES = List.of("a0", "b0", "a1", "a2");
    private Address topic;
    private List<Reader> readers;

    @Override
    void configure(SteppedShard unopened) {
        unopened.dispatch = SMALL;
    }

    @BeforeEach
    void prepare() {
        topic = shard.topic("t");
        readers = IntStream.range(0, SUBSCRIPTIONS)
                .mapToObj(number -> reader("v" + number))
                .toList();
        shard.run();
    }

    /** It wants what begins with an a. */
    private Reader reader(String name) {
        Subscription subscription =
                shard.doors.lookup().volatileReader(topic, "client", name, SteppedShard.selector("a"), false);
        return shard.attach(subscription, 100);
    }

    /** They are durable when it returns, and the dispatcher has had one turn. */
    private void publishAndTakeATurn() {
        MESSAGES.forEach(text -> shard.publish(topic, text));
        while (shard.commitTurn() > 0) {
            // until all are committed
        }
        shard.dispatchTurn();
    }

    private long delivered() {
        return readers.stream().mapToLong(reader -> reader.deliveries.size()).sum();
    }

    @Test
    void othersAreServedMeanwhile() {
        Address queue = shard.queue("q");
        Reader other = shard.attach(shard.reader(queue), 10);
        shard.run();
        MESSAGES.forEach(text -> shard.publish(topic, text));
        shard.publish(queue, "to somebody else");
        publishAndTakeATurn();
        assertThat(other.texts()).containsExactly("to somebody else");
        assertThat(delivered()).as("in one turn").isBetween(1L, 2L * SUBSCRIPTIONS);
        shard.run();
        assertThat(readers)
                .allSatisfy(reader -> assertThat(reader.texts()).containsExactly("a0", "a1", "a2", "a0", "a1", "a2"));
    }

    @Test
    void whoComesMeanwhileGetsNothingOfWhatWasPublishedBefore() {
        publishAndTakeATurn();
        Reader late = reader("late");
        shard.run();
        shard.publish(topic, "a3");
        shard.run();
        assertThat(late.texts()).containsExactly("a3");
        assertThat(readers.get(SUBSCRIPTIONS - 1).texts()).containsExactly("a0", "a1", "a2", "a3");
    }

    @Test
    void whoGoesMeanwhileIsNotAsked() {
        publishAndTakeATurn();
        Reader last = readers.get(SUBSCRIPTIONS - 1);
        last.detach(true);
        shard.run();
        assertThat(last.deliveries).isEmpty();
        assertThat(readers.get(0).texts()).containsExactly("a0", "a1", "a2");
    }

    @Test
    void publishersAreHeldWhileMuchWaits() {
        for (int i = 0; i < 4; i++) {
            shard.submit(shard.message(topic, new byte[30_000]));
        }
        while (shard.commitTurn() > 0) {
            // until all are committed
        }
        shard.dispatchTurn();
        assertThat(topic.quota().hasRoom()).as("a sixteenth of 1 MiB").isFalse();
        assertThat(shard.dispatcher.memoryBytes()).isGreaterThan(60_000);
        shard.run();
        assertThat(topic.quota().hasRoom()).isTrue();
        assertThat(shard.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void whoHasNoRoomHoldsTheTopicAndItsMessagesWaitOnceForAll() {
        shard.dispatch = SteppedSettings.dispatch(64 << 20, 16, 64 << 10, 16);
        shard.crashAndRestart();
        topic = shard.topic("crowded");
        List<Reader> crowd = IntStream.range(0, 200)
                .mapToObj(number -> shard.attach(
                        shard.doors.lookup().volatileReader(topic, "client", "c" + number, null, false), 0))
                .toList();
        shard.run();
        for (int i = 0; i < 1_000; i++) {
            shard.publish(topic, String.format("%04d", i));
        }
        shard.run();
        assertThat(topic.quota().isHeld()).isTrue();
        assertThat(shard.dispatcher.memoryBytes())
                .as("17 for each of 200, and 983 for all; about 200 bytes each")
                .isBetween(4_000L * 200, 5_000L * 210);
        Reader drains = crowd.get(0);
        drains.credit(30);
        drains.drain();
        shard.run();
        assertThat(drains.drained).as("what is held up cannot come").hasSize(1);
        crowd.forEach(reader -> reader.credit(2_000));
        shard.run();
        assertThat(crowd)
                .allSatisfy(reader -> assertThat(reader.texts()).hasSize(1_000).isSorted());
        assertThat(topic.quota().isHeld()).isFalse();
        assertThat(shard.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void aDrainWaitsForWhatIsOnItsWay() {
        Reader last = reader("last");
        publishAndTakeATurn();
        assertThat(last.deliveries).as("its turn has not come").isEmpty();
        last.drain();
        Reader none = readers.get(0);
        none.drain();
        shard.dispatchTurn();
        assertThat(last.drained).isEmpty();
        shard.run();
        assertThat(last.texts()).containsExactly("a0", "a1", "a2");
        assertThat(last.drained).hasSize(1);
        assertThat(none.drained).hasSize(1);
    }

    @Test
    void aDeletedTopicIsForgotten() {
        publishAndTakeATurn();
        CompletionStage<Void> deletion = shard.doors.catalog().deleteStored(topic, true);
        shard.run();
        assertThat(deletion).isCompleted();
        assertThat(delivered()).isLessThan(3L * SUBSCRIPTIONS);
        assertThat(shard.dispatcher.memoryBytes()).isZero();
    }
}
