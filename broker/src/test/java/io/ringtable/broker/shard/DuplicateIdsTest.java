package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.work.Deduplication;
import io.ringtable.broker.work.Settle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A message with a known duplicate id is accepted and not stored again; on a real SQLite file, stepped by hand. */
class DuplicateIdsTest extends SteppedQueueTest {
    @Test
    void aMessageWithAKnownIdIsAcceptedAndNotStored() {
        Outcome first = identified("id", "one");
        Outcome together = identified("id", "two");
        shard.run();
        Outcome later = identified("id", "three");
        Outcome other = identified("another", "four");
        shard.run();
        assertThat(List.of(first, together, later, other)).allMatch(outcome -> outcome.accepted);
        assertThat(received()).containsExactly("one", "four");
        assertThat(queue.quota().messages()).isEqualTo(2);
    }

    @Test
    void idsSurviveACrashAndBeyondTheWindowTheyAreForgotten() {
        identified("first", "one");
        shard.run();
        shard.crashAndRestart();
        queue = shard.address("q");
        identified("first", "not stored");
        for (int i = 1; i < 100; i++) {
            identified("id-" + i, "filler");
        }
        shard.run();
        identified("first", "not stored either");
        shard.run();
        identified("id-100", "the hundred and first");
        shard.run();
        shard.crashAndRestart();
        queue = shard.address("q");
        identified("first", "two");
        identified("id-100", "not stored");
        shard.run();
        assertThat(received())
                .filteredOn(text -> !text.equals("filler"))
                .containsExactly("one", "the hundred and first", "two");
    }

    @Test
    void aFlushWithMoreIdsThanTheWindowKeepsTheLast() {
        Message[] messages = IntStream.range(0, 250)
                .mapToObj(i -> shard.message(queue, SteppedShard.bytes("m" + i)))
                .toArray(Message[]::new);
        shard.submit(
                Deduplication.ids(
                        IntStream.range(0, 250).mapToObj(i -> id("id-" + i)).toList()),
                messages);
        shard.run();
        shard.crashAndRestart();
        queue = shard.address("q");
        for (int i = 249; i >= 150; i--) {
            identified("id-" + i, "not stored");
        }
        shard.run();
        identified("id-149", "stored again");
        shard.run();
        assertThat(received()).hasSize(251).endsWith("m249", "stored again");
    }

    @Test
    void aWindowThatIsMadeSmallerOrLargerKeepsTheYoungest() {
        for (int i = 0; i < 100; i++) {
            identified("id-" + i, "m" + i);
        }
        shard.run();
        restart(10);
        identified("id-90", "not stored");
        identified("id-89", "stored again");
        shard.run();
        restart(1_000);
        identified("id-89", "not stored");
        identified("id-99", "not stored");
        identified("new", "stored");
        shard.run();
        restart(1_000);
        identified("new", "not stored");
        shard.run();
        assertThat(received()).hasSize(102).endsWith("stored again", "stored");
    }

    @Test
    void withoutAWindowNobodyLooks() {
        restart(0);
        identified("id", "one");
        identified("id", "two");
        shard.run();
        assertThat(received()).containsExactly("one", "two");
    }

    @Test
    void idsOfAFlushThatIsRolledBackAreUnknown() {
        for (int i = 0; i < 100; i++) {
            identified("id-" + i, "m" + i);
        }
        shard.run();
        shard.store.plan = (verb, flush) -> Fault.before(Kind.NOT_WRITABLE);
        Outcome refused = identified("id-100", "refused");
        shard.commitTurn();
        assertThat(refused.refusal).isNotNull();
        shard.store.plan = FaultyStore.NOTHING_FAILS;
        identified("id-0", "not stored: still the oldest of the window");
        identified("id-100", "stored");
        shard.run();
        assertThat(received()).hasSize(101).endsWith("stored");
    }

    @Test
    void everyAddressHasAWindowOfItsOwn() {
        Address other = shard.queue("other");
        identified("id", "one");
        shard.submit(Deduplication.ids(List.of(id("id"))), shard.message(other, SteppedShard.bytes("one")));
        shard.run();
        assertThat(other.quota().messages()).isEqualTo(1);
    }

    @Test
    void aTemporaryQueueRemembersInMemory() {
        Address temporary = shard.await(shard.doors.catalog().createTemporary(AddressKind.QUEUE, null));
        for (int i = 0; i < 2; i++) {
            shard.submit(Deduplication.ids(List.of(id("id"))), shard.message(temporary, SteppedShard.bytes("one")));
        }
        shard.store.calls.clear();
        shard.run();
        assertThat(shard.store.calls).isEmpty();
        Reader reader = shard.attach(shard.reader(temporary), 10);
        shard.run();
        assertThat(reader.texts()).containsExactly("one");
    }

    @Test
    void aNonDurableSubscriptionGetsNoDuplicate() {
        Address topic = shard.topic("t");
        Reader reader = shard.attach(shard.doors.lookup().volatileReader(topic, "client", "v", null, false), 10);
        shard.run();
        for (int i = 0; i < 2; i++) {
            shard.submit(Deduplication.ids(List.of(id("id"))), shard.message(topic, SteppedShard.bytes("one")));
        }
        shard.run();
        assertThat(reader.texts()).containsExactly("one");
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void ofATransactionOnlyTheDuplicateIsLeftOut() {
        Address inputs = shard.queue("inputs");
        shard.publish(inputs, "input");
        shard.run();
        Reader reader = shard.attach(shard.reader(inputs), 1);
        shard.run();
        identified("id", "one");
        shard.run();
        Delivery input = reader.deliveries.get(0);
        reader.unsettled.remove(input);
        Settle settle = shard.dispatcher.mailbox().enlist(reader, input).settlement();
        Outcome committed = shard.submit(
                Deduplication.ids(Arrays.asList(id("id"), null, id("id-2"), id("id-2"))),
                List.of(settle),
                shard.message(queue, SteppedShard.bytes("not stored")),
                shard.message(queue, SteppedShard.bytes("two")),
                shard.message(queue, SteppedShard.bytes("three")),
                shard.message(queue, SteppedShard.bytes("not stored either")));
        shard.run();
        assertThat(committed.accepted).isTrue();
        assertThat(received()).containsExactly("one", "two", "three");
        assertThat(inputs.quota().messages()).as("what it settled is settled").isZero();
    }

    @Test
    void aFlushWithoutNumbersAndIdsCarriesNothingOfThem() {
        shard.store.recordFlushes = true;
        shard.publish(queue, 0, 100);
        assertThat(shard.store.flushes).isNotEmpty().allMatch(flush -> !flush.isOnce());
    }

    private Outcome identified(String id, String text) {
        return shard.submit(Deduplication.ids(List.of(id(id))), shard.message(queue, SteppedShard.bytes(text)));
    }

    private static DuplicateId id(String text) {
        return new DuplicateId(text.getBytes(StandardCharsets.UTF_8));
    }

    private void restart(int duplicateIds) {
        shard.commit = SteppedSettings.commit(duplicateIds, 10, Duration.ofDays(7));
        restart();
    }

    private List<String> received() {
        return received(shard.address(QUEUE));
    }
}
