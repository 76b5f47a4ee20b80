package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerUser;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Deduplication;
import io.ringtable.wire.BatchFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Another node holds a producer for the links that it passes on (ADR 84); on a real SQLite file, stepped by hand. */
class RelayProducerTest extends SteppedQueueTest {
    private static final String NAME = Producer.RELAY_PREFIX + "node-a:0:0";
    private static final long MINUTE_MS = 60_000;

    private final List<String> fenced = new ArrayList<>();

    @Test
    void aLinkTakesItAsItIsAndComesBackToItAlone() {
        Producer first = take(NAME, 0);
        assertThat(first.isOfRelay()).isTrue();
        assertThatThrownBy(() -> take(NAME, 0)).as("another link has it").hasMessageContaining("RT-4666");
        shard.doors.catalog().leave(first);

        shard.store.calls.clear();
        Producer second = take(NAME, 0);
        assertThat(shard.store.calls).as("nothing is written").isEmpty();
        assertThat(second.incarnation()).isEqualTo(first.incarnation());
        assertThatThrownBy(() -> take(NAME, first.incarnation() + 1)).hasMessageContaining("RT-4101");

        Outcome late = send(second, 1, 0, "late");
        Producer back = take(NAME, second.incarnation());
        assertThat(fenced).hasSize(1);
        shard.run();
        assertThat(back.lastNumber())
                .as("what is stored of the link before, and nothing is later")
                .isEqualTo(late.accepted ? step(1) : 0);
        assertThat(late.accepted || late.refusal.code().equals("RT-4101")).isTrue();
        assertThat(shard.await(shard.doors.catalog().producers(0, 10, queue, null)))
                .as("those of applications")
                .isEmpty();
        assertThatThrownBy(() -> shard.await(shard.doors.catalog().forget(queue, NAME)))
                .hasMessageContaining("RT-4378");
        assertThatThrownBy(() -> shard.attend(queue, NAME, 0, () -> {})).hasMessageContaining("RT-4111");
    }

    @Test
    void theNumberOfABatchIsOneAndTheNextOneFollowsItUnseen() {
        assertThat(Producer.RELAY_STEP).isEqualTo(BatchFormat.MESSAGES_MAX);
        Producer producer = take(NAME, 0);
        Outcome batch = send(producer, 1, 0, "one", "two", "three");
        Outcome next = send(producer, 2, 1, "four");
        Outcome behindARefusedOne = send(producer, 4, 3, "five");
        shard.run();
        assertThat(batch.accepted && next.accepted).isTrue();
        assertThat(behindARefusedOne.refusal.reason()).isEqualTo(Refusal.Reason.OUT_OF_ORDER);

        restart();
        Producer after = take(NAME, producer.incarnation());
        assertThat(after.lastNumber() / Producer.RELAY_STEP).isEqualTo(2);
        Outcome again = send(after, 5, 2, "five");
        shard.run();
        assertThat(again.accepted).isTrue();
        assertThat(received(queue)).containsExactly("one", "two", "three", "four", "five");
    }

    @Test
    void relaysHaveHalfOfThePlacesAndGiveThemUpAfterAMinute() {
        shard.close();
        shard = new SteppedShard(directory);
        shard.commit = SteppedSettings.commit(100, 4, Duration.ofDays(1));
        shard.open();
        queue = shard.address(QUEUE);
        Producer held = take(NAME, 0);
        Producer idle = take(NAME + "1", 0);
        restart();
        assertThatThrownBy(() -> take(NAME + "2", 0)).hasMessageContaining("RT-4102 other nodes have made 2 producers");

        shard.now += MINUTE_MS;
        assertThat(take(NAME, held.incarnation()).incarnation()).isEqualTo(held.incarnation());
        shard.doors.catalog().leave(take(NAME + "2", 0));
        assertThatThrownBy(() -> take(NAME + "1", 0)).as("that was forgotten").hasMessageContaining("RT-4102");

        shard.now += MINUTE_MS;
        assertThat(take(NAME + "1", idle.incarnation()).incarnation())
                .as("of another one of that name")
                .isGreaterThan(idle.incarnation());
        assertThat(fenced).isEmpty();
    }

    private static long step(long number) {
        return number * Producer.RELAY_STEP;
    }

    private Producer take(String name, long incarnation) {
        return shard.await(shard.doors
                .catalog()
                .attend(ProducerUser.relay("node-a"), queue, name, incarnation, () -> fenced.add(name)));
    }

    private Outcome send(Producer producer, long number, long previous, String... texts) {
        Message[] messages = Arrays.stream(texts)
                .map(text -> shard.message(queue, SteppedShard.bytes(text)))
                .toArray(Message[]::new);
        return shard.submit(new Deduplication(producer, step(number), step(previous), List.of()), messages);
    }
}
