package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
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
        engine.run();
        Outcome later = identified("id", "three");
        Outcome other = identified("another", "four");
        engine.run();
        assertThat(List.of(first, together, later, other)).allMatch(outcome -> outcome.accepted);
        assertThat(received()).containsExactly("one", "four");
        assertThat(queue.quota().messages()).isEqualTo(2);
    }

    @Test
    void idsSurviveACrashAndBeyondTheWindowTheyAreForgotten() {
        identified("first", "one");
        engine.run();
        engine.crashAndRestart();
        queue = engine.address("q");
        identified("first", "not stored");
        for (int i = 1; i < 100; i++) {
            identified("id-" + i, "filler");
        }
        engine.run();
        identified("first", "not stored either");
        engine.run();
        identified("id-100", "the hundred and first");
        engine.run();
        engine.crashAndRestart();
        queue = engine.address("q");
        identified("first", "two");
        identified("id-100", "not stored");
        engine.run();
        assertThat(received())
                .filteredOn(text -> !text.equals("filler"))
                .containsExactly("one", "the hundred and first", "two");
    }

    @Test
    void aFlushWithMoreIdsThanTheWindowKeepsTheLast() {
        Message[] messages = IntStream.range(0, 250)
                .mapToObj(i -> engine.message(queue, SteppedEngine.bytes("m" + i)))
                .toArray(Message[]::new);
        engine.submit(
                Deduplication.ids(
                        IntStream.range(0, 250).mapToObj(i -> id("id-" + i)).toList()),
                messages);
        engine.run();
        engine.crashAndRestart();
        queue = engine.address("q");
        for (int i = 249; i >= 150; i--) {
            identified("id-" + i, "not stored");
        }
        engine.run();
        identified("id-149", "stored again");
        engine.run();
        assertThat(received()).hasSize(251).endsWith("m249", "stored again");
    }

    @Test
    void aWindowThatIsMadeSmallerOrLargerKeepsTheYoungest() {
        for (int i = 0; i < 100; i++) {
            identified("id-" + i, "m" + i);
        }
        engine.run();
        restart(10);
        identified("id-90", "not stored");
        identified("id-89", "stored again");
        engine.run();
        restart(1_000);
        identified("id-89", "not stored");
        identified("id-99", "not stored");
        identified("new", "stored");
        engine.run();
        restart(1_000);
        identified("new", "not stored");
        engine.run();
        assertThat(received()).hasSize(102).endsWith("stored again", "stored");
    }

    @Test
    void withoutAWindowNobodyLooks() {
        restart(0);
        identified("id", "one");
        identified("id", "two");
        engine.run();
        assertThat(received()).containsExactly("one", "two");
    }

    @Test
    void idsOfAFlushThatIsRolledBackAreUnknown() {
        for (int i = 0; i < 100; i++) {
            identified("id-" + i, "m" + i);
        }
        engine.run();
        engine.store.plan = (verb, flush) -> Fault.before(Kind.NOT_WRITABLE);
        Outcome refused = identified("id-100", "refused");
        engine.commitTurn();
        assertThat(refused.refusal).isNotNull();
        engine.store.plan = FaultyStore.NOTHING_FAILS;
        identified("id-0", "not stored: still the oldest of the window");
        identified("id-100", "stored");
        engine.run();
        assertThat(received()).hasSize(101).endsWith("stored");
    }

    @Test
    void everyAddressHasAWindowOfItsOwn() {
        Address other = engine.queue("other");
        identified("id", "one");
        engine.submit(Deduplication.ids(List.of(id("id"))), engine.message(other, SteppedEngine.bytes("one")));
        engine.run();
        assertThat(other.quota().messages()).isEqualTo(1);
    }

    @Test
    void aTemporaryQueueRemembersInMemory() {
        Address temporary = engine.await(engine.doors.catalog().createTemporary(AddressKind.QUEUE, null));
        for (int i = 0; i < 2; i++) {
            engine.submit(Deduplication.ids(List.of(id("id"))), engine.message(temporary, SteppedEngine.bytes("one")));
        }
        engine.store.calls.clear();
        engine.run();
        assertThat(engine.store.calls).isEmpty();
        Reader reader = engine.attach(engine.reader(temporary), 10);
        engine.run();
        assertThat(reader.texts()).containsExactly("one");
    }

    @Test
    void aNonDurableSubscriptionGetsNoDuplicate() {
        Address topic = engine.topic("t");
        Reader reader = engine.attach(engine.doors.lookup().volatileReader(topic, "client", "v", null, false), 10);
        engine.run();
        for (int i = 0; i < 2; i++) {
            engine.submit(Deduplication.ids(List.of(id("id"))), engine.message(topic, SteppedEngine.bytes("one")));
        }
        engine.run();
        assertThat(reader.texts()).containsExactly("one");
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void ofATransactionOnlyTheDuplicateIsLeftOut() {
        Address inputs = engine.queue("inputs");
        engine.publish(inputs, "input");
        engine.run();
        Reader reader = engine.attach(engine.reader(inputs), 1);
        engine.run();
        identified("id", "one");
        engine.run();
        Delivery input = reader.deliveries.get(0);
        reader.unsettled.remove(input);
        Settle settle = engine.dispatcher.mailbox().enlist(reader, input).settlement();
        Outcome committed = engine.submit(
                Deduplication.ids(Arrays.asList(id("id"), null, id("id-2"), id("id-2"))),
                List.of(settle),
                engine.message(queue, SteppedEngine.bytes("not stored")),
                engine.message(queue, SteppedEngine.bytes("two")),
                engine.message(queue, SteppedEngine.bytes("three")),
                engine.message(queue, SteppedEngine.bytes("not stored either")));
        engine.run();
        assertThat(committed.accepted).isTrue();
        assertThat(received()).containsExactly("one", "two", "three");
        assertThat(inputs.quota().messages()).as("what it settled is settled").isZero();
    }

    @Test
    void aFlushWithoutNumbersAndIdsCarriesNothingOfThem() {
        engine.store.recordFlushes = true;
        engine.publish(queue, 0, 100);
        assertThat(engine.store.flushes).isNotEmpty().allMatch(flush -> !flush.isOnce());
    }

    private Outcome identified(String id, String text) {
        return engine.submit(Deduplication.ids(List.of(id(id))), engine.message(queue, SteppedEngine.bytes(text)));
    }

    private static DuplicateId id(String text) {
        return new DuplicateId(text.getBytes(StandardCharsets.UTF_8));
    }

    private void restart(int duplicateIds) {
        engine.commit = SteppedEngine.commit(duplicateIds, 10, Duration.ofDays(7));
        restart();
    }

    private List<String> received() {
        return received(engine.address(QUEUE));
    }
}
