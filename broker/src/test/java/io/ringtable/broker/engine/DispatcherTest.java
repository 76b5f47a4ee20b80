package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.work.Mailbox;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who gets what, and when; on a real SQLite file, stepped by hand. */
class DispatcherTest extends SteppedQueueTest {
    @Override
    void configure(SteppedEngine unopened) {
        unopened.dispatch = SMALL;
    }

    @Test
    void nothingIsDeliveredBeforeItIsDurable() {
        Reader reader = reader(10);
        engine.run();
        engine.publish(queue, "a");
        engine.dispatchTurn();
        assertThat(reader.deliveries).isEmpty();
        engine.run();
        assertThat(reader.texts()).containsExactly("a");
    }

    @Test
    void whatFitsNoWindowIsReadBackInOrder() {
        Reader reader = reader(10_000);
        engine.run();
        engine.publish(queue, 0, 3_000);
        assertThat(reader.texts()).isEqualTo(numbers(0, 3_000));
        assertThat(reader.deliveries).noneMatch(Delivery::redelivered);
    }

    @Test
    void competingConsumersTakeTurns() {
        Reader one = reader(100);
        Reader two = reader(100);
        engine.publish(queue, 0, 10);
        assertThat(one.deliveries).hasSize(5);
        assertThat(two.deliveries).hasSize(5);
        assertThat(Stream.concat(one.texts().stream(), two.texts().stream()))
                .containsExactlyInAnyOrderElementsOf(numbers(0, 10));
    }

    @Test
    void aDrainIsAnsweredAfterEverythingThatIsReady() {
        engine.publish(queue, 0, 100);
        Reader reader = reader(150).drain();
        engine.dispatchTurn();
        assertThat(reader.drained).as("a read-back is under way").isEmpty();
        engine.readTurn();
        engine.dispatchTurn();
        assertThat(reader.deliveries).as("its bound is on its way up").hasSizeLessThanOrEqualTo(1);
        assertThat(reader.drained).isEmpty();
        engine.run();
        assertThat(reader.texts()).isEqualTo(numbers(0, 100));
        assertThat(reader.drained).containsExactly(150L);
        engine.publish(queue, 100, 101);
        assertThat(reader.deliveries).as("the rest of the credit is void").hasSize(100);
    }

    @Test
    void aDrainIsAnsweredByAConsumerThatHoldsTooManyBytes() {
        Reader reader = reader(10);
        for (int i = 0; i < 5; i++) {
            engine.submit(engine.message(queue, new byte[20_000]));
        }
        engine.run();
        assertThat(reader.deliveries).as("64 KiB may be held unsettled").hasSize(4);
        reader.drain();
        engine.run();
        assertThat(reader.drained).hasSize(1);
        reader.acceptAll();
        reader.credit(10);
        engine.run();
        assertThat(reader.deliveries).hasSize(5);
    }

    @Test
    void whatMovesToTheBacklogDuringAReadThatFindsItEmptyIsNotForgotten() {
        Address other = engine.queue("other");
        engine.publish(queue, 0, 10);
        engine.publish(other, 0, 7_000); // the first ten lie in the backlog now
        engine.publish(queue, 10, 20);
        engine.store.afterEmptyBacklog = () -> {
            engine.store.afterEmptyBacklog = () -> {};
            for (int i = 7_000; i < 14_000; i++) {
                engine.publish(other, Integer.toString(i));
                if (i % 1_000 == 999) {
                    engine.commitTurn(); // the second ten are moved
                }
            }
        };
        Reader reader = reader(100);
        engine.run();
        assertThat(engine.state.ring().gate()).isGreaterThan(7_020);
        assertThat(reader.texts()).isEqualTo(numbers(0, 20));
    }

    @Test
    void whatManySubscriptionsReadBackIsBoundedAndComesInTheEnd() {
        int queues = 40;
        for (int q = 0; q < queues; q++) {
            Address each = engine.queue("large" + q);
            for (int i = 0; i < 4; i++) {
                engine.submit(engine.message(each, new byte[200_000]));
                engine.run();
            }
        }
        engine.crashAndRestart(); // nothing is in memory
        List<Reader> readers = IntStream.range(0, queues)
                .mapToObj(q -> engine.attach(engine.reader(engine.address("large" + q)), 0))
                .toList();
        engine.run();
        assertThat(engine.dispatcher.memoryBytes())
                .as("of 32 MB: 1 MiB, and four reads that were under way")
                .isBetween(1L << 20, 5L << 20);
        readers.forEach(reader -> reader.credit(10));
        engine.run();
        for (int round = 0; round < queues && engine.dispatcher.unsettledBytes() > 0; round++) {
            readers.forEach(Reader::acceptAll);
            engine.run();
        }
        assertThat(readers).allSatisfy(reader -> assertThat(reader.deliveries).hasSize(4));
        assertThat(engine.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void bodiesOfEverySizeComeBackFromMemoryRingAndBacklog() {
        Reader reader = reader(0);
        int[] sizes = {0, 1, 32_768, 32_769, 1 << 20, (2 << 20) + 1};
        for (int size : sizes) {
            byte[] body = new byte[size];
            java.util.Arrays.fill(body, (byte) 'x');
            engine.submit(engine.message(queue, body));
            engine.run();
        }
        Address other = engine.queue("other");
        engine.publish(other, 0, 7_500);
        for (int size : sizes) {
            reader.credit(1);
            engine.run();
            assertThat(reader.deliveries
                            .get(reader.deliveries.size() - 1)
                            .message()
                            .encoded())
                    .hasSize(size)
                    .containsOnly(size == 0 ? new byte[0] : new byte[] {'x'});
            reader.acceptAll();
        }
        engine.run();
        engine.stage(engine.doors.bodyIds().nextBodyId(), new byte[0]);
        assertThat(engine.store.orphanedBodies()).hasSizeLessThanOrEqualTo(1);
        assertThat(queue.quota().bytes()).isZero();
    }

    @Test
    void aConnectionThatSettlesNothingHoldsItsShareAndTheOthersGoOn() {
        int size = 16 << 10;
        Mailbox greedy = () -> {};
        List<Reader> readers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            readers.add(engine.attachOf(greedy, engine.reader(queue), 1_000));
        }
        for (int i = 0; i < 200; i++) {
            engine.submit(engine.message(queue, new byte[size]));
            engine.run();
        }
        assertThat(engine.dispatcher.unsettledBytes()).as("of 40 times 64 KiB").isBetween(1L << 20, (1L << 20) + size);

        Address other = engine.queue("other");
        Reader honest = engine.attachOf(() -> {}, engine.reader(other), 1_000);
        for (int i = 0; i < 200; i++) {
            engine.submit(engine.message(other, new byte[size]));
            engine.run();
            honest.acceptAll();
        }
        assertThat(honest.deliveries).hasSize(200);

        int settled = 0;
        for (int round = 0; settled < 200 && round < 200; round++) {
            for (Reader reader : readers) {
                settled += reader.unsettled.size();
                reader.acceptAll();
            }
            engine.run();
        }
        assertThat(settled).isEqualTo(200);
        assertThat(engine.dispatcher.unsettledBytes()).isZero();
    }

    @Test
    void whatAnEndedConsumerHeldIsFree() {
        Mailbox greedy = () -> {};
        List<Reader> readers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            readers.add(engine.attachOf(greedy, engine.reader(queue), 1_000));
        }
        for (int i = 0; i < 200; i++) {
            engine.submit(engine.message(queue, new byte[16 << 10]));
            engine.run();
        }
        readers.forEach(reader -> reader.detach(true));
        engine.run();
        assertThat(engine.dispatcher.unsettledBytes()).isZero();
        Reader next = engine.attachOf(() -> {}, engine.reader(queue), 1_000);
        for (int round = 0; round < 200; round++) {
            next.acceptAll();
            engine.run();
        }
        assertThat(next.deliveries).hasSize(200);
    }
}
