package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import org.junit.jupiter.api.Test;

/**
 * Temporary addresses live in memory: nothing of them is stored, what waits on them is bounded, and what is gone stays
 * gone.
 */
class TemporaryAddressTest extends SteppedTest {
    @Override
    void configure(SteppedShard unopened) {
        unopened.dispatch = SMALL;
    }

    private CatalogMailbox catalog() {
        return shard.doors.catalog();
    }

    private Address temporary(AddressKind kind) {
        return shard.await(catalog().createTemporary(kind, null));
    }

    @Test
    void messagesWaitInMemoryForAConsumerThatComesLaterAndForTheNextOne() {
        shard.store.calls.clear();
        Address replies = temporary(AddressKind.QUEUE);
        shard.publish(replies, 0, 5);
        Reader first = shard.attach(shard.reader(replies), 3);
        shard.run();
        assertThat(first.texts()).containsExactly("0", "1", "2");
        first.accept(first.deliveries.get(0));
        first.detach(true);
        shard.run();
        Reader second = shard.attach(shard.reader(replies), 100);
        shard.run();
        assertThat(second.texts()).containsExactly("1", "2", "3", "4");
        assertThat(second.deliveries.get(0).redelivered()).isTrue();
        assertThat(second.deliveries.get(2).redelivered()).isFalse();
        second.acceptAll();
        shard.run();
        assertThat(shard.dispatcher.memoryBytes()).isZero();
        assertThat(replies.quota().messages()).isZero();
        assertThat(shard.store.calls).isEmpty();
        assertThat(shard.state.ring().next()).isZero();
    }

    @Test
    void oneOwnerHasHalfOfThemAndTheNextOneFindsRoom() {
        int half = shard.commit.temporaryAddressesMax() / 2;
        Address first = ownedBy("greedy");
        for (int i = 1; i < half; i++) {
            ownedBy("greedy");
        }
        assertThatThrownBy(() -> ownedBy("greedy"))
                .hasMessageContaining("RT-2320 greedy has " + half + " temporary addresses");
        assertThat(ownedBy("honest")).isNotNull();
        shard.await(catalog().delete(first));
        assertThat(ownedBy("greedy")).isNotNull();
    }

    private Address ownedBy(String owner) {
        return shard.await(catalog().createTemporary(AddressKind.QUEUE, owner));
    }

    @Test
    void whatIsDeletedTakesItsMessagesAndConsumersWithIt() {
        Address replies = temporary(AddressKind.QUEUE);
        Subscription reader = shard.reader(replies);
        Reader consumer = shard.attach(reader, 1);
        shard.publish(replies, 0, 3);
        shard.await(catalog().delete(replies));
        assertThat(consumer.ended.code()).isEqualTo("RT-2202");
        assertThat(shard.dispatcher.memoryBytes()).isZero();
        assertThat(shard.doors.lookup().find(replies.name())).isNull();
        Reader late = shard.attach(reader, 1);
        Outcome outcome = shard.publish(replies, "late");
        shard.run();
        assertThat(late.ended.code()).isEqualTo("RT-2202");
        assertThat(outcome.refusal.code()).isEqualTo("RT-2010");
        assertThat(replies.quota().messages()).isZero();
        shard.await(catalog().delete(replies)); // a second time is no harm
        assertThat(shard.committer.entries().temporaries()).isZero();
    }

    @Test
    void aTopicTakesItsConsumersWithIt() {
        Address topic = temporary(AddressKind.TOPIC);
        Subscription alone = shard.doors.lookup().volatileReader(topic, "client", "v", null, false);
        Subscription shared = shard.await(catalog().subscribeVolatile(topic, "client", "s", null));
        Reader first = shard.attach(alone, 10);
        Reader second = shard.attach(shared, 0);
        shard.publish(topic, 0, 2);
        assertThat(first.texts()).containsExactly("0", "1");
        shard.await(catalog().delete(topic));
        assertThat(first.ended.code()).isEqualTo("RT-2202");
        assertThat(second.ended.code()).isEqualTo("RT-2202");
        assertThat(shard.dispatcher.memoryBytes()).isZero();
        Reader late = shard.attach(alone, 10);
        shard.run();
        assertThat(late.ended.code()).isEqualTo("RT-2202");
    }

    @Test
    void publishersAreHeldWhileNobodyReadsAndLetGoWithTheQueue() {
        Address replies = temporary(AddressKind.QUEUE);
        int sent = 0;
        for (; replies.quota().hasRoom() && sent < 100; sent++) {
            shard.publish(replies, Integer.toString(sent));
            shard.run();
        }
        assertThat(sent).as("17 is one more than 16").isEqualTo(17);
        shard.await(catalog().delete(replies));
        assertThat(replies.quota().hasRoom())
                .as("or its publishers would never hear that it is gone")
                .isTrue();
    }

    @Test
    void thereAreSoManyAndTheyAreNotCountedWithTheStoredOnes() {
        int most = shard.commit.temporaryAddressesMax();
        Address last = null;
        for (int i = 0; i < most; i++) {
            last = temporary(AddressKind.QUEUE);
        }
        assertThat(shard.committer.entries().size()).isZero();
        assertThat(shard.committer.entries().entries()).isEmpty();
        assertThatThrownBy(() -> temporary(AddressKind.QUEUE)).hasMessageContaining("RT-2020");
        shard.await(catalog().delete(last));
        temporary(AddressKind.TOPIC);
    }

    @Test
    void aNameOfATemporaryAddressIsNeverStored() {
        Address topic = temporary(AddressKind.TOPIC);
        assertThat(shard.topic(topic.name())).isEqualTo(topic);
        assertThatThrownBy(() -> shard.await(catalog().subscribe(topic, "client", "d", null, false, true)))
                .hasMessageContaining("RT-2021");
        shard.await(catalog().delete(topic));
        assertThatThrownBy(() -> shard.topic(topic.name())).hasMessageContaining("RT-2019");
        shard.crashAndRestart();
        assertThatThrownBy(() -> shard.queue(topic.name())).hasMessageContaining("RT-2019");
    }

    @Test
    void aWorkMayBeStoredInPart() {
        Address replies = temporary(AddressKind.QUEUE);
        Address stored = shard.queue("stored");
        Outcome outcome = shard.submit(
                shard.message(stored, SteppedShard.bytes("a")), shard.message(replies, SteppedShard.bytes("b")));
        shard.run();
        assertThat(outcome.accepted).isTrue();
        Reader reader = shard.attach(shard.reader(replies), 10);
        Reader other = shard.attach(shard.reader(stored), 10);
        shard.run();
        assertThat(reader.texts()).containsExactly("b");
        assertThat(other.texts()).containsExactly("a");
    }
}
