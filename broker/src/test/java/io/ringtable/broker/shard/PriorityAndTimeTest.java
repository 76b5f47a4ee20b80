package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Higher priorities come first, and nothing comes before its time: delivery times, rests, expiry. */
class PriorityAndTimeTest extends OrderedDelivery {
    private static String name(int i) {
        return i % 10 + "-" + String.format("%04d", i);
    }

    /**
     * So many of them, each with the last digit of its number as its priority; the order in which they have to come.
     */
    private List<String> publishPriorities(int from, int to) {
        for (int i = from; i < to; i++) {
            publish(queue, name(i), i % 10, 0, 0);
        }
        shard.run();
        return IntStream.range(from, to)
                .boxed()
                .sorted(Comparator.<Integer>comparingInt(i -> -(i % 10)).thenComparing(i -> i))
                .map(PriorityAndTimeTest::name)
                .toList();
    }

    @Test
    void theHighestPriorityComesFirstAndEachInItsOrder() {
        List<String> expected = publishPriorities(0, 500);
        Reader reader = reader(queue, null, 10_000);
        shard.run();
        assertThat(reader.texts()).isEqualTo(expected);
    }

    @Test
    void prioritiesSurviveARestartAndTheWayToTheBacklog() {
        List<String> expected = publishPriorities(0, 300);
        restart();
        shard.passALap();
        Reader reader = reader(queue, null, 10_000);
        shard.run();
        assertThat(reader.texts()).containsExactlyInAnyOrderElementsOf(expected);
        for (int priority = 0; priority < 10; priority++) {
            String prefix = priority + "-";
            assertThat(reader.texts().stream().filter(text -> text.startsWith(prefix)))
                    .isSorted();
        }
    }

    @Test
    void whatIsReadFromTheBacklogComesByPriorityToo() {
        List<String> expected = publishPriorities(0, 300);
        shard.passALap();
        Reader reader = reader(queue, null, 0);
        shard.run(); // reads it through, for there are several
        reader.credit(10_000);
        shard.run();
        assertThat(reader.texts()).isEqualTo(expected);
    }

    @Test
    void aHighPriorityOvertakesWhatWaits() {
        Reader reader = reader(queue, null, 1);
        for (int i = 0; i < 100; i++) {
            publish(queue, "normal" + i);
        }
        shard.run();
        publish(queue, "urgent", 9, 0, 0);
        shard.run();
        reader.credit(2);
        shard.run();
        assertThat(reader.texts()).containsExactly("normal0", "urgent", "normal1");
    }

    @Test
    void whatIsReadWhileAttendedIsFoundWhereTheRingHasLeftIt() {
        List<String> expected = publishPriorities(0, 300);
        Reader reader = reader(queue, null, 5);
        shard.run();
        shard.passALap(); // its bits stay known, its rows move
        reader.credit(10_000);
        shard.run();
        assertThat(reader.texts()).isEqualTo(expected);
        assertThat(reader.deliveries).extracting(Delivery::sequence).doesNotHaveDuplicates();
    }

    @Test
    void nothingComesBeforeItsTimeAndThenInOrderOfTime() {
        Reader reader = reader(queue, null, 100);
        publish(queue, "later", 4, 0, shard.now + 200);
        publish(queue, "soon", 4, 0, shard.now + 100);
        publish(queue, "now");
        shard.run();
        assertThat(reader.texts()).containsExactly("now");
        shard.now += 99;
        shard.run();
        assertThat(reader.texts()).containsExactly("now");
        shard.now += 1;
        shard.run();
        assertThat(reader.texts()).containsExactly("now", "soon");
        shard.now += 100;
        shard.run();
        assertThat(reader.texts()).containsExactly("now", "soon", "later");
    }

    @Test
    void aRestartAndTheWayToTheBacklogKeepTheTime() {
        publish(queue, "in the ring", 4, 0, shard.now + 1_000);
        shard.run();
        restart();
        Reader reader = reader(queue, null, 100);
        shard.run();
        shard.now += 999;
        shard.run();
        assertThat(reader.deliveries).isEmpty();
        shard.passALap();
        shard.now += 1;
        shard.run();
        assertThat(reader.texts())
                .as("moved while its subscription was attended")
                .containsExactly("in the ring");
        reader.acceptAll();
        reader.detach(false);

        publish(queue, "in the backlog", 4, 0, shard.now + 1_000);
        shard.run();
        shard.passALap();
        restart();
        Reader next = reader(queue, null, 100);
        shard.run();
        assertThat(next.deliveries).isEmpty();
        shard.now += 1_000;
        shard.run();
        assertThat(next.texts()).containsExactly("in the backlog");
    }

    @Test
    void aNonDurableSubscriberWaitsForTheTimeToo() {
        Address topic = shard.topic("t");
        Reader reader = shard.attach(shard.doors.lookup().volatileReader(topic, "client", "link", null, false), 10);
        shard.run();
        publish(topic, "later", 4, 0, shard.now + 100);
        publish(topic, "now");
        shard.run();
        assertThat(reader.texts()).containsExactly("now");
        shard.now += 100;
        shard.run();
        assertThat(reader.texts()).containsExactly("now", "later");
    }

    @Test
    void aFailedMessageRestsLongerEachTimeAndOthersOvertakeIt() {
        Address rests = shard.queue("rests.q");
        Reader reader = reader(rests, null, 100);
        publish(rests, "poison");
        publish(rests, "good");
        shard.run();
        reader.modify(reader.deliveries.get(0), true, false);
        for (long rest : new long[] {100, 200, 300}) {
            shard.run();
            int before = reader.deliveries.size();
            shard.now += rest - 1;
            shard.run();
            assertThat(reader.deliveries).as("it rests %d ms", rest).hasSize(before);
            shard.now += 1;
            shard.run();
            assertThat(reader.deliveries).hasSize(before + 1);
            Delivery again = reader.deliveries.get(before);
            assertThat(SteppedShard.text(again)).isEqualTo("poison");
            assertThat(again.failures()).isEqualTo(before - 1);
            reader.modify(again, true, false);
        }
        shard.run();
        Reader dead = reader(shard.address("DLQ"), null, 10);
        shard.run();
        assertThat(dead.texts()).containsExactly("poison|rests.q/");
    }

    @Test
    void aRestSurvivesARestart() {
        Address rests = shard.queue("rests.q");
        Reader reader = reader(rests, null, 100);
        publish(rests, "poison");
        shard.run();
        reader.modify(reader.deliveries.get(0), true, false);
        shard.run();
        restart();
        Reader next = reader(shard.address("rests.q"), null, 100);
        shard.now += 99;
        shard.run();
        assertThat(next.deliveries).isEmpty();
        shard.now += 1;
        shard.run();
        assertThat(next.deliveries).hasSize(1).first().satisfies(delivery -> {
            assertThat(delivery.failures()).isEqualTo(1);
            assertThat(delivery.redelivered()).isTrue();
        });
    }

    @Test
    void whatHasExpiredMovesInOneFlushWithItsSettlement() {
        Address expires = shard.queue("expires");
        publish(expires, "late", 4, shard.now + 100, 0);
        shard.run();
        shard.now += 100;
        shard.store.recordFlushes = true;
        Reader reader = reader(expires, null, 10);
        shard.run();
        Flush moved = shard.store.flushes.stream()
                .filter(flush -> !flush.claims().isEmpty())
                .findFirst()
                .orElseThrow();
        assertThat(moved.settlements()).as("settled by the same flush").isNotEmpty();
        assertThat(reader.deliveries).isEmpty();
        assertThat(expires.quota().messages()).isZero();
        Reader expired = reader(shard.address("expired"), null, 10);
        shard.run();
        assertThat(expired.texts()).containsExactly("late|expires/");
    }

    /** Their letters are in memory until they are durable. */
    @Test
    void aBoundedNumberOfExpiredMessagesIsOnTheWayAtATimeAndAllArrive() {
        Address expires = shard.queue("expires");
        Address expired = shard.queue("expired");
        int messages = 3_000;
        IntStream.range(0, messages).forEach(i -> publish(expires, "late " + i, 4, shard.now + 100, 0));
        shard.run();
        shard.now += 100;
        reader(expires, null, 10);
        for (int idle = 0; idle < 3; idle = shard.dispatchTurn() + shard.readTurn() == 0 ? idle + 1 : 0) {
            // The committer takes no turn.
        }
        assertThat(expired.quota().messages()).as("letters on their way").isEqualTo(1_024);
        shard.run();
        assertThat(expired.quota().messages()).isEqualTo(messages);
        assertThat(expires.quota().messages()).isZero();
    }

    @Test
    void whatCannotBeMovedStaysAndIsTriedAgain() {
        Address expires = shard.queue("expires");
        shard.queue("expired");
        publish(expires, "late", 4, shard.now + 100, 0);
        shard.run();
        shard.now += 100;
        shard.store.plan =
                (verb, flush) -> flush != null && !flush.claims().isEmpty() ? Fault.before(Kind.NOT_WRITABLE) : null;
        Reader reader = reader(expires, null, 10);
        shard.run();
        assertThat(reader.deliveries).isEmpty();
        assertThat(expires.quota().messages()).isEqualTo(1);
        shard.store.plan = FaultyStore.NOTHING_FAILS;
        shard.now += 60_000;
        shard.run();
        assertThat(expires.quota().messages()).isZero();
        assertThat(shard.address("expired").quota().messages()).isEqualTo(1);
    }
}
