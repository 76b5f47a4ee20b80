package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.work.Deduplication;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stored address that is deleted takes everything with it, for good; on a real SQLite file, stepped by hand. */
class DeletedAddressTest extends SteppedTest {
    private void delete(Address address, boolean evenIfUsed) {
        shard.await(shard.doors.catalog().deleteStored(address, evenIfUsed));
    }

    @ParameterizedTest(name = "restarted meanwhile {0}")
    @ValueSource(booleans = {false, true})
    void whatLiesInTheBacklogAndInTheRingGoesAndItsConsumersEnd(boolean restarted) {
        Address doomed = shard.queue("doomed");
        Address other = shard.queue("other");
        shard.publish(other, 0, 3);
        shard.publish(doomed, 0, 3_000);
        shard.passALap();
        shard.publish(doomed, 3_000, 3_100);
        shard.submit(shard.message(doomed, new byte[1 << 20]));
        shard.run();
        if (restarted) {
            shard.crashAndRestart();
            doomed = shard.address("doomed");
        }
        assertThat(shard.state.backlogMessages()).isEqualTo(3_003);
        Reader consumer = shard.attach(shard.reader(doomed), 10);
        shard.run();
        assertThat(consumer.deliveries).hasSize(10);

        delete(doomed, true);
        assertThat(consumer.ended.code()).isEqualTo("RT-2202");
        assertThat(shard.address("doomed")).isNull();
        assertThat(doomed.quota().messages()).isZero();
        assertThat(doomed.quota().bytes()).isZero();
        consumer.acceptAll(); // they were on their way
        shard.run();
        assertThat(shard.state.backlogMessages()).as("the other's").isEqualTo(3);
        shard.passALap();
        assertThat(shard.state.backlogMessages()).isEqualTo(3);
        shard.stage(shard.doors.bodyIds().nextBodyId(), new byte[0]); // the stager has done what was asked before this
        assertThat(shard.store.orphanedBodies()).as("the one just staged").hasSize(1);

        shard.crashAndRestart();
        assertThat(shard.address("doomed")).isNull();
        Reader rest = shard.attach(shard.reader(shard.address("other")), 10);
        shard.run();
        assertThat(rest.texts()).containsExactly("0", "1", "2");
    }

    @Test
    void oneOfItsNameThatIsMadeLaterIsAnother() {
        Address old = shard.queue("doomed");
        shard.publish(old, 0, 5);
        Reader consumer = shard.attach(shard.reader(old), 2);
        shard.run();
        delete(old, true);
        Address made = shard.queue("doomed");
        assertThat(made).isNotEqualTo(old);
        Outcome late = shard.publish(old, "late");
        Outcome anew = shard.publish(made, "anew");
        consumer.release(consumer.deliveries.get(0));
        consumer.accept(consumer.deliveries.get(1));
        shard.run();
        assertThat(late.refusal.code()).isEqualTo("RT-2010");
        assertThat(anew.accepted).isTrue();
        assertThat(old.quota().messages()).isZero();
        shard.crashAndRestart();
        Reader reader = shard.attach(shard.reader(shard.address("doomed")), 10);
        shard.run();
        assertThat(reader.texts()).containsExactly("anew");
    }

    @Test
    void itIsRefusedWhileMessagesAreOwedOrDurableSubscriptionsAreThere() {
        Address queue = shard.queue("queue");
        Address topic = shard.topic("topic");
        Subscription durable = shard.subscribe(topic, "durable");
        shard.publish(queue, 0, 2);
        assertThatThrownBy(() -> delete(queue, false))
                .hasMessageContaining("RT-2030 queue 'queue' is in use (messages owed: 2)");
        assertThatThrownBy(() -> delete(topic, false))
                .hasMessageContaining("topic 'topic' is in use (durable subscriptions: 1)");
        Reader reader = shard.attach(shard.reader(queue), 10);
        shard.run();
        reader.acceptAll();
        shard.run();
        shard.await(shard.doors.catalog().unsubscribe(durable));
        delete(queue, false);
        delete(topic, false);
        assertThat(shard.committer.entries().entries()).isEmpty();
        assertThatThrownBy(() -> delete(queue, true)).hasMessageContaining("RT-2010");
    }

    @Test
    void itsDurableSubscriptionsAndItsProducersAndIdsGoWithIt() {
        Address topic = shard.topic("topic");
        shard.subscribe(topic, "durable");
        Deduplication id = Deduplication.ids(List.of(new DuplicateId(new byte[] {1})));
        shard.submit(id, shard.message(topic, SteppedShard.bytes("one")));
        shard.attend(topic, "shop", 0, () -> {});
        shard.run();
        delete(topic, true);
        assertThat(shard.subscription("durable")).isNull();
        assertThat(shard.deduplicator.size()).isZero();
        Address made = shard.topic("topic");
        Subscription durable = shard.subscribe(made, "durable");
        Reader reader = shard.attach(durable, 10);
        shard.submit(id, shard.message(made, SteppedShard.bytes("one")));
        assertThat(shard.attend(made, "shop", 0, () -> {}).incarnation()).isEqualTo(1);
        shard.run();
        assertThat(reader.texts()).containsExactly("one");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDeletionWhoseOutcomeIsUnknownIsMadeOnce(boolean made) {
        Address doomed = shard.queue("doomed");
        shard.publish(doomed, 0, 5);
        boolean[] failed = {false};
        shard.store.plan = (verb, flush) -> {
            if (!verb.equals("alter") || failed[0]) {
                return null;
            }
            failed[0] = true;
            return made ? Fault.after(Kind.OUTCOME_UNKNOWN) : Fault.before(Kind.OUTCOME_UNKNOWN);
        };
        delete(doomed, true);
        assertThat(failed[0]).isTrue();
        shard.crashAndRestart();
        assertThat(shard.address("doomed")).isNull();
    }
}
