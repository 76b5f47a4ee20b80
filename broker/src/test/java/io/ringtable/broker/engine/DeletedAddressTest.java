package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.work.Deduplication;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stored address that is deleted takes everything with it, for good; on a real SQLite file, stepped by hand. */
class DeletedAddressTest extends SteppedTest {
    private void delete(Address address, boolean evenIfUsed) {
        engine.await(engine.doors.catalog().deleteStored(address, evenIfUsed));
    }

    @ParameterizedTest(name = "restarted meanwhile {0}")
    @ValueSource(booleans = {false, true})
    void whatLiesInTheBacklogAndInTheRingGoesAndItsConsumersEnd(boolean restarted) {
        Address doomed = engine.queue("doomed");
        Address other = engine.queue("other");
        engine.publish(other, 0, 3);
        engine.publish(doomed, 0, 3_000);
        engine.passALap();
        engine.publish(doomed, 3_000, 3_100);
        engine.submit(engine.message(doomed, new byte[1 << 20]));
        engine.run();
        if (restarted) {
            engine.crashAndRestart();
            doomed = engine.address("doomed");
        }
        assertThat(engine.state.backlogMessages()).isEqualTo(3_003);
        Reader consumer = engine.attach(engine.reader(doomed), 10);
        engine.run();
        assertThat(consumer.deliveries).hasSize(10);

        delete(doomed, true);
        assertThat(consumer.ended.code()).isEqualTo("RT-2202");
        assertThat(engine.address("doomed")).isNull();
        assertThat(doomed.quota().messages()).isZero();
        assertThat(doomed.quota().bytes()).isZero();
        consumer.acceptAll(); // they were on their way
        engine.run();
        assertThat(engine.state.backlogMessages()).as("the other's").isEqualTo(3);
        engine.passALap();
        assertThat(engine.state.backlogMessages()).isEqualTo(3);
        engine.stage(
                engine.doors.bodyIds().nextBodyId(), new byte[0]); // the stager has done what was asked before this
        assertThat(engine.store.orphanedBodies()).as("the one just staged").hasSize(1);

        engine.crashAndRestart();
        assertThat(engine.address("doomed")).isNull();
        Reader rest = engine.attach(engine.reader(engine.address("other")), 10);
        engine.run();
        assertThat(rest.texts()).containsExactly("0", "1", "2");
    }

    @Test
    void oneOfItsNameThatIsMadeLaterIsAnother() {
        Address old = engine.queue("doomed");
        engine.publish(old, 0, 5);
        Reader consumer = engine.attach(engine.reader(old), 2);
        engine.run();
        delete(old, true);
        Address made = engine.queue("doomed");
        assertThat(made).isNotEqualTo(old);
        Outcome late = engine.publish(old, "late");
        Outcome anew = engine.publish(made, "anew");
        consumer.release(consumer.deliveries.get(0));
        consumer.accept(consumer.deliveries.get(1));
        engine.run();
        assertThat(late.refusal.code()).isEqualTo("RT-2010");
        assertThat(anew.accepted).isTrue();
        assertThat(old.quota().messages()).isZero();
        engine.crashAndRestart();
        Reader reader = engine.attach(engine.reader(engine.address("doomed")), 10);
        engine.run();
        assertThat(reader.texts()).containsExactly("anew");
    }

    @Test
    void itIsRefusedWhileMessagesAreOwedOrDurableSubscriptionsAreThere() {
        Address queue = engine.queue("queue");
        Address topic = engine.topic("topic");
        Subscription durable = engine.subscribe(topic, "durable");
        engine.publish(queue, 0, 2);
        assertThatThrownBy(() -> delete(queue, false))
                .hasMessageContaining("RT-2030 queue 'queue' is in use (messages owed: 2)");
        assertThatThrownBy(() -> delete(topic, false))
                .hasMessageContaining("topic 'topic' is in use (durable subscriptions: 1)");
        Reader reader = engine.attach(engine.reader(queue), 10);
        engine.run();
        reader.acceptAll();
        engine.run();
        engine.await(engine.doors.catalog().unsubscribe(durable));
        delete(queue, false);
        delete(topic, false);
        assertThat(engine.committer.entries().entries()).isEmpty();
        assertThatThrownBy(() -> delete(queue, true)).hasMessageContaining("RT-2010");
    }

    @Test
    void itsDurableSubscriptionsAndItsProducersAndIdsGoWithIt() {
        Address topic = engine.topic("topic");
        engine.subscribe(topic, "durable");
        Deduplication id = Deduplication.ids(List.of(new DuplicateId(new byte[] {1})));
        engine.submit(id, engine.message(topic, SteppedEngine.bytes("one")));
        engine.attend(topic, "shop", 0, () -> {});
        engine.run();
        delete(topic, true);
        assertThat(engine.subscription("durable")).isNull();
        assertThat(engine.deduplicator.size()).isZero();
        Address made = engine.topic("topic");
        Subscription durable = engine.subscribe(made, "durable");
        Reader reader = engine.attach(durable, 10);
        engine.submit(id, engine.message(made, SteppedEngine.bytes("one")));
        assertThat(engine.attend(made, "shop", 0, () -> {}).incarnation()).isEqualTo(1);
        engine.run();
        assertThat(reader.texts()).containsExactly("one");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDeletionWhoseOutcomeIsUnknownIsMadeOnce(boolean made) {
        Address doomed = engine.queue("doomed");
        engine.publish(doomed, 0, 5);
        boolean[] failed = {false};
        engine.store.plan = (verb, flush) -> {
            if (!verb.equals("alter") || failed[0]) {
                return null;
            }
            failed[0] = true;
            return made ? Fault.after(Kind.OUTCOME_UNKNOWN) : Fault.before(Kind.OUTCOME_UNKNOWN);
        };
        delete(doomed, true);
        assertThat(failed[0]).isTrue();
        engine.crashAndRestart();
        assertThat(engine.address("doomed")).isNull();
    }
}
