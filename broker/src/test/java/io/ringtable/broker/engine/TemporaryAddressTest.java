package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import org.junit.jupiter.api.Test;

/** Temporary addresses live in memory: nothing of them is stored, what waits on them is bounded, and what is gone stays gone. */
class TemporaryAddressTest extends SteppedTest {
    @Override
    void configure(SteppedEngine unopened) {
        unopened.dispatch = SMALL;
    }

    private CatalogMailbox catalog() {
        return engine.doors.catalog();
    }

    private Address temporary(AddressKind kind) {
        return engine.await(catalog().createTemporary(kind, null));
    }

    @Test
    void messagesWaitInMemoryForAConsumerThatComesLaterAndForTheNextOne() {
        engine.store.calls.clear();
        Address replies = temporary(AddressKind.QUEUE);
        engine.publish(replies, 0, 5);
        Reader first = engine.attach(engine.reader(replies), 3);
        engine.run();
        assertThat(first.texts()).containsExactly("0", "1", "2");
        first.accept(first.deliveries.get(0));
        first.detach(true);
        engine.run();
        Reader second = engine.attach(engine.reader(replies), 100);
        engine.run();
        assertThat(second.texts()).containsExactly("1", "2", "3", "4");
        assertThat(second.deliveries.get(0).redelivered()).isTrue();
        assertThat(second.deliveries.get(2).redelivered()).isFalse();
        second.acceptAll();
        engine.run();
        assertThat(engine.dispatcher.memoryBytes()).isZero();
        assertThat(replies.quota().messages()).isZero();
        assertThat(engine.store.calls).isEmpty();
        assertThat(engine.state.ring().next()).isZero();
    }

    @Test
    void oneOwnerHasHalfOfThemAndTheNextOneFindsRoom() {
        int half = engine.commit.catalog().temporaryAddressesMax() / 2;
        Address first = ownedBy("greedy");
        for (int i = 1; i < half; i++) {
            ownedBy("greedy");
        }
        assertThatThrownBy(() -> ownedBy("greedy"))
                .hasMessageContaining("RT-2320 greedy has " + half + " temporary addresses");
        assertThat(ownedBy("honest")).isNotNull();
        engine.await(catalog().delete(first));
        assertThat(ownedBy("greedy")).isNotNull();
    }

    private Address ownedBy(String owner) {
        return engine.await(catalog().createTemporary(AddressKind.QUEUE, owner));
    }

    @Test
    void whatIsDeletedTakesItsMessagesAndConsumersWithIt() {
        Address replies = temporary(AddressKind.QUEUE);
        Subscription reader = engine.reader(replies);
        Reader consumer = engine.attach(reader, 1);
        engine.publish(replies, 0, 3);
        engine.await(catalog().delete(replies));
        assertThat(consumer.ended.code()).isEqualTo("RT-2202");
        assertThat(engine.dispatcher.memoryBytes()).isZero();
        assertThat(engine.doors.lookup().find(replies.name())).isNull();
        Reader late = engine.attach(reader, 1);
        Outcome outcome = engine.publish(replies, "late");
        engine.run();
        assertThat(late.ended.code()).isEqualTo("RT-2202");
        assertThat(outcome.refusal.code()).isEqualTo("RT-2010");
        assertThat(replies.quota().messages()).isZero();
        engine.await(catalog().delete(replies)); // a second time is no harm
        assertThat(engine.committer.entries().temporaries()).isZero();
    }

    @Test
    void aTopicTakesItsConsumersWithIt() {
        Address topic = temporary(AddressKind.TOPIC);
        Subscription alone = engine.doors.lookup().volatileReader(topic, "client", "v", null, false);
        Subscription shared = engine.await(catalog().subscribeVolatile(topic, "client", "s", null));
        Reader first = engine.attach(alone, 10);
        Reader second = engine.attach(shared, 0);
        engine.publish(topic, 0, 2);
        assertThat(first.texts()).containsExactly("0", "1");
        engine.await(catalog().delete(topic));
        assertThat(first.ended.code()).isEqualTo("RT-2202");
        assertThat(second.ended.code()).isEqualTo("RT-2202");
        assertThat(engine.dispatcher.memoryBytes()).isZero();
        Reader late = engine.attach(alone, 10);
        engine.run();
        assertThat(late.ended.code()).isEqualTo("RT-2202");
    }

    @Test
    void publishersAreHeldWhileNobodyReadsAndLetGoWithTheQueue() {
        Address replies = temporary(AddressKind.QUEUE);
        int sent = 0;
        for (; replies.quota().hasRoom() && sent < 100; sent++) {
            engine.publish(replies, Integer.toString(sent));
            engine.run();
        }
        assertThat(sent).as("17 is one more than 16").isEqualTo(17);
        engine.await(catalog().delete(replies));
        assertThat(replies.quota().hasRoom())
                .as("or its publishers would never hear that it is gone")
                .isTrue();
    }

    @Test
    void thereAreSoManyAndTheyAreNotCountedWithTheStoredOnes() {
        int most = engine.commit.catalog().temporaryAddressesMax();
        Address last = null;
        for (int i = 0; i < most; i++) {
            last = temporary(AddressKind.QUEUE);
        }
        assertThat(engine.committer.entries().size()).isZero();
        assertThat(engine.committer.entries().entries()).isEmpty();
        assertThatThrownBy(() -> temporary(AddressKind.QUEUE)).hasMessageContaining("RT-2020");
        engine.await(catalog().delete(last));
        temporary(AddressKind.TOPIC);
    }

    @Test
    void aNameOfATemporaryAddressIsNeverStored() {
        Address topic = temporary(AddressKind.TOPIC);
        assertThat(engine.topic(topic.name())).isEqualTo(topic);
        assertThatThrownBy(() -> engine.await(catalog().subscribe(topic, "client", "d", null, false, true)))
                .hasMessageContaining("RT-2021");
        engine.await(catalog().delete(topic));
        assertThatThrownBy(() -> engine.topic(topic.name())).hasMessageContaining("RT-2019");
        engine.crashAndRestart();
        assertThatThrownBy(() -> engine.queue(topic.name())).hasMessageContaining("RT-2019");
    }

    @Test
    void aWorkMayBeStoredInPart() {
        Address replies = temporary(AddressKind.QUEUE);
        Address stored = engine.queue("stored");
        Outcome outcome = engine.submit(
                engine.message(stored, SteppedEngine.bytes("a")), engine.message(replies, SteppedEngine.bytes("b")));
        engine.run();
        assertThat(outcome.accepted).isTrue();
        Reader reader = engine.attach(engine.reader(replies), 10);
        Reader other = engine.attach(engine.reader(stored), 10);
        engine.run();
        assertThat(reader.texts()).containsExactly("b");
        assertThat(other.texts()).containsExactly("a");
    }
}
