package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the deliveries of topics to their subscriptions, and the effect of subscriptions in memory on publishers. */
class TopicDeliveryTest extends SteppedQueueTest {
    @Override
    void configure(SteppedShard unopened) {
        unopened.dispatch = SMALL;
    }

    @Test
    void aVolatileSubscriptionHoldsItsPublishersAndLetsThemGoOn() {
        Address topic = shard.topic("t");
        Subscription reader = shard.doors.lookup().volatileReader(topic, "client", "v", null, false);
        Reader slow = shard.attach(reader, 0);
        shard.run();
        List<Outcome> outcomes = new ArrayList<>();
        while (topic.quota().hasRoom() && outcomes.size() < 100) {
            outcomes.add(shard.publish(topic, Integer.toString(outcomes.size())));
            shard.run();
        }
        assertThat(outcomes).as("17 is one more than 16").hasSize(17).allMatch(outcome -> outcome.accepted);
        slow.credit(100);
        shard.run();
        assertThat(slow.deliveries).hasSize(17);
        assertThat(topic.quota().hasRoom()).isTrue();
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void consumersOfASharedVolatileSubscriptionTakeTurnsAndInheritFromEachOther() {
        Address topic = shard.topic("t");
        Subscription shared = shard.await(shard.doors.catalog().subscribeVolatile(topic, "", "v", null));
        Reader first = shard.attach(shared, 100);
        Reader second = shard.attach(shared, 100);
        shard.run();
        shard.publish(topic, 0, 6);
        assertThat(first.texts()).containsExactly("0", "2", "4");
        assertThat(second.texts()).containsExactly("1", "3", "5");
        second.acceptAll();
        first.detach(true);
        shard.run();
        assertThat(second.texts()).containsExactly("1", "3", "5", "0", "2", "4");
        assertThat(second.deliveries.get(3).redelivered()).isTrue();
        second.detach(false);
        shard.run();
        assertThat(shard.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void volatileSubscriptionsAreBoundedInBytesToo() {
        Address topic = shard.topic("t");
        Subscription reader = shard.doors.lookup().volatileReader(topic, "client", "v", null, false);
        Reader slow = shard.attach(reader, 0);
        shard.run();
        int sent = 0;
        for (; topic.quota().hasRoom() && sent < 16; sent++) {
            shard.submit(shard.message(topic, new byte[200_000]));
            shard.run();
        }
        assertThat(sent).as("1 MiB in messages of 200,000 bytes").isEqualTo(6);
        assertThat(topic.quota().hasRoom()).isFalse();
        slow.detach(true);
        shard.run();
        assertThat(topic.quota().hasRoom()).as("whoever went holds nobody").isTrue();
        assertThat(shard.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void aVolatileConsumerMayGoWithoutHavingSettled() {
        Address topic = shard.topic("t"); // with nobody else who reads it
        Subscription reader = shard.doors.lookup().volatileReader(topic, "client", "v", null, false);
        Reader gone = shard.attach(reader, 10);
        shard.publish(topic, 0, 5);
        assertThat(gone.unsettled).hasSize(5);
        gone.detach(false);
        shard.run();
        assertThat(shard.dispatcher.memoryBytes()).isZero();
        shard.publish(topic, 5, 6);
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void whatASelectorDoesNotWantIsOwedByNobodyAndStaysSoAfterACrash() {
        Address topic = shard.topic("t");
        shard.await(shard.doors.catalog().subscribe(topic, "client", "s", SteppedShard.selector("a"), false, false));
        Subscription inMemory = shard.doors.lookup().volatileReader(topic, "", "v", SteppedShard.selector("b"), false);
        Reader some = shard.attach(inMemory, 10);
        shard.run();
        for (String text : List.of("a1", "b1", "c1", "a2")) {
            shard.publish(topic, text);
        }
        shard.run();
        assertThat(some.texts()).containsExactly("b1");
        assertThat(topic.quota().messages()).isEqualTo(2);
        shard.crashAndRestart();
        shard.publish(shard.address("t"), "b2");
        shard.publish(shard.address("t"), "a3");
        Reader stored = shard.attach(shard.subscription("s"), 10);
        shard.run();
        assertThat(stored.texts()).containsExactly("a1", "a2", "a3");
    }

    @Test
    void whatItsOwnClientPublishedIsNotForANoLocalSubscriptionAndStaysSoAfterACrash() {
        Address topic = shard.topic("t");
        shard.await(shard.doors.catalog().subscribe(topic, "client", "s", null, true, false));
        Reader some = shard.attach(
                shard.doors.lookup().volatileReader(topic, "other", "v", SteppedShard.selector("w"), true), 10);
        shard.run();
        publishAs("client", topic, "w1");
        publishAs("other", topic, "w2");
        publishAs(null, topic, "w3");
        publishAs(null, topic, "unselected");
        shard.run();
        assertThat(some.texts()).containsExactly("w1", "w3");
        assertThat(topic.quota().messages()).as("nobody owes w1").isEqualTo(3);
        shard.crashAndRestart();
        publishAs("client", shard.address("t"), "w4");
        publishAs("other", shard.address("t"), "w5");
        Reader stored = shard.attach(shard.subscription("s"), 10);
        shard.run();
        assertThat(stored.texts()).containsExactly("w2", "w3", "unselected", "w5");
    }

    private void publishAs(String client, Address topic, String text) {
        shard.submit(new Message(
                topic,
                shard.now,
                Message.PRIORITY_NORMAL,
                0,
                0,
                SteppedShard.bytes(text),
                0,
                null,
                client,
                PublisherLogin.NOBODY,
                0));
    }
}
