package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.work.Mailbox;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests who gets which message, and when; on a real SQLite file, stepped by hand. */
class DispatcherTest extends SteppedQueueTest {
    @Override
    void configure(SteppedShard unopened) {
        unopened.dispatch = SMALL;
    }

    @Test
    void nothingIsDeliveredBeforeItIsDurable() {
        Reader reader = reader(10);
        shard.run();
        shard.publish(queue, "a");
        shard.dispatchTurn();
        assertThat(reader.deliveries).isEmpty();
        shard.run();
        assertThat(reader.texts()).containsExactly("a");
    }

    @Test
    void whatFitsNoWindowIsReadBackInOrder() {
        Reader reader = reader(10_000);
        shard.run();
        shard.publish(queue, 0, 3_000);
        assertThat(reader.texts()).isEqualTo(numbers(0, 3_000));
        assertThat(reader.deliveries).noneMatch(Delivery::redelivered);
    }

    @Test
    void competingConsumersTakeTurns() {
        Reader one = reader(100);
        Reader two = reader(100);
        shard.publish(queue, 0, 10);
        assertThat(one.deliveries).hasSize(5);
        assertThat(two.deliveries).hasSize(5);
        assertThat(Stream.concat(one.texts().stream(), two.texts().stream()))
                .containsExactlyInAnyOrderElementsOf(numbers(0, 10));
    }

    @Test
    void aDrainIsAnsweredAfterEverythingThatIsReady() {
        shard.publish(queue, 0, 100);
        Reader reader = reader(150).drain();
        shard.dispatchTurn();
        assertThat(reader.drained).as("a read-back is under way").isEmpty();
        shard.readTurn();
        shard.dispatchTurn();
        assertThat(reader.deliveries).as("its bound is on its way up").hasSizeLessThanOrEqualTo(1);
        assertThat(reader.drained).isEmpty();
        shard.run();
        assertThat(reader.texts()).isEqualTo(numbers(0, 100));
        assertThat(reader.drained).containsExactly(150L);
        shard.publish(queue, 100, 101);
        assertThat(reader.deliveries).as("the rest of the credit is void").hasSize(100);
    }

    @Test
    void aDrainIsAnsweredByAConsumerThatHoldsTooManyBytes() {
        Reader reader = reader(10);
        for (int i = 0; i < 5; i++) {
            shard.submit(shard.message(queue, new byte[20_000]));
        }
        shard.run();
        assertThat(reader.deliveries).as("64 KiB may be held unsettled").hasSize(4);
        reader.drain();
        shard.run();
        assertThat(reader.drained).hasSize(1);
        reader.acceptAll();
        reader.credit(10);
        shard.run();
        assertThat(reader.deliveries).hasSize(5);
    }

    @Test
    void whatMovesToTheBacklogDuringAReadThatFindsItEmptyIsNotForgotten() {
        Address other = shard.queue("other");
        shard.publish(queue, 0, 10);
        shard.publish(other, 0, 7_000); // the first ten lie in the backlog now
        shard.publish(queue, 10, 20);
        shard.store.afterEmptyBacklog = () -> {
            shard.store.afterEmptyBacklog = () -> {};
            for (int i = 7_000; i < 14_000; i++) {
                shard.publish(other, Integer.toString(i));
                if (i % 1_000 == 999) {
                    shard.commitTurn(); // the second ten are moved
                }
            }
        };
        Reader reader = reader(100);
        shard.run();
        assertThat(shard.state.ring().gate()).isGreaterThan(7_020);
        assertThat(reader.texts()).isEqualTo(numbers(0, 20));
    }

    @Test
    void whatManySubscriptionsReadBackIsBoundedAndComesInTheEnd() {
        int queues = 40;
        for (int q = 0; q < queues; q++) {
            Address each = shard.queue("large" + q);
            for (int i = 0; i < 4; i++) {
                shard.submit(shard.message(each, new byte[200_000]));
                shard.run();
            }
        }
        shard.crashAndRestart(); // nothing is in memory
        List<Reader> readers = IntStream.range(0, queues)
                .mapToObj(q -> shard.attach(shard.reader(shard.address("large" + q)), 0))
                .toList();
        shard.run();
        assertThat(shard.dispatcher.memoryBytes())
                .as("of 32 MB: 1 MiB, and four reads that were under way")
                .isBetween(1L << 20, 5L << 20);
        readers.forEach(reader -> reader.credit(10));
        shard.run();
        for (int round = 0; round < queues && shard.dispatcher.unsettledBytes() > 0; round++) {
            readers.forEach(Reader::acceptAll);
            shard.run();
        }
        assertThat(readers).allSatisfy(reader -> assertThat(reader.deliveries).hasSize(4));
        assertThat(shard.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void bodiesOfEverySizeComeBackFromMemoryRingAndBacklog() {
        Reader reader = reader(0);
        int[] sizes = {0, 1, 32_768, 32_769, 1 << 20, (2 << 20) + 1};
        for (int size : sizes) {
            byte[] body = new byte[size];
            java.util.Arrays.fill(body, (byte) 'x');
            shard.submit(shard.message(queue, body));
            shard.run();
        }
        Address other = shard.queue("other");
        shard.publish(other, 0, 7_500);
        for (int size : sizes) {
            reader.credit(1);
            shard.run();
            assertThat(reader.deliveries
                            .get(reader.deliveries.size() - 1)
                            .message()
                            .encoded())
                    .hasSize(size)
                    .containsOnly(size == 0 ? new byte[0] : new byte[] {'x'});
            reader.acceptAll();
        }
        shard.run();
        shard.stage(shard.doors.bodyIds().nextBodyId(), new byte[0]);
        assertThat(shard.store.orphanedBodies()).hasSizeLessThanOrEqualTo(1);
        assertThat(queue.quota().bytes()).isZero();
    }

    @Test
    void aConnectionThatSettlesNothingHoldsItsShareAndTheOthersGoOn() {
        int size = 16 << 10;
        Mailbox greedy = () -> {};
        List<Reader> readers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            readers.add(shard.attachOf(greedy, shard.reader(queue), 1_000));
        }
        for (int i = 0; i < 200; i++) {
            shard.submit(shard.message(queue, new byte[size]));
            shard.run();
        }
        assertThat(shard.dispatcher.unsettledBytes()).as("of 40 times 64 KiB").isBetween(1L << 20, (1L << 20) + size);

        Address other = shard.queue("other");
        Reader honest = shard.attachOf(() -> {}, shard.reader(other), 1_000);
        for (int i = 0; i < 200; i++) {
            shard.submit(shard.message(other, new byte[size]));
            shard.run();
            honest.acceptAll();
        }
        assertThat(honest.deliveries).hasSize(200);

        int settled = 0;
        for (int round = 0; settled < 200 && round < 200; round++) {
            for (Reader reader : readers) {
                settled += reader.unsettled.size();
                reader.acceptAll();
            }
            shard.run();
        }
        assertThat(settled).isEqualTo(200);
        assertThat(shard.dispatcher.unsettledBytes()).isZero();
    }

    @Test
    void whatAnEndedConsumerHeldIsFree() {
        Mailbox greedy = () -> {};
        List<Reader> readers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            readers.add(shard.attachOf(greedy, shard.reader(queue), 1_000));
        }
        for (int i = 0; i < 200; i++) {
            shard.submit(shard.message(queue, new byte[16 << 10]));
            shard.run();
        }
        readers.forEach(reader -> reader.detach(true));
        shard.run();
        assertThat(shard.dispatcher.unsettledBytes()).isZero();
        Reader next = shard.attachOf(() -> {}, shard.reader(queue), 1_000);
        for (int round = 0; round < 200; round++) {
            next.acceptAll();
            shard.run();
        }
        assertThat(next.deliveries).hasSize(200);
    }
}
