package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What subscriptions of topics get, and what those that live in memory only do to their publishers. */
class TopicDeliveryTest extends SteppedQueueTest {
    @Override
    void configure(SteppedEngine unopened) {
        unopened.dispatch = SMALL;
    }

    @Test
    void aVolatileSubscriptionHoldsItsPublishersAndLetsThemGoOn() {
        Address topic = engine.topic("t");
        Subscription reader = engine.doors.lookup().volatileReader(topic, "client", "v", null, false);
        Reader slow = engine.attach(reader, 0);
        engine.run();
        List<Outcome> outcomes = new ArrayList<>();
        while (topic.quota().hasRoom() && outcomes.size() < 100) {
            outcomes.add(engine.publish(topic, Integer.toString(outcomes.size())));
            engine.run();
        }
        assertThat(outcomes).as("17 is one more than 16").hasSize(17).allMatch(outcome -> outcome.accepted);
        slow.credit(100);
        engine.run();
        assertThat(slow.deliveries).hasSize(17);
        assertThat(topic.quota().hasRoom()).isTrue();
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void consumersOfASharedVolatileSubscriptionTakeTurnsAndInheritFromEachOther() {
        Address topic = engine.topic("t");
        Subscription shared = engine.await(engine.doors.catalog().subscribeVolatile(topic, "", "v", null));
        Reader first = engine.attach(shared, 100);
        Reader second = engine.attach(shared, 100);
        engine.run();
        engine.publish(topic, 0, 6);
        assertThat(first.texts()).containsExactly("0", "2", "4");
        assertThat(second.texts()).containsExactly("1", "3", "5");
        second.acceptAll();
        first.detach(true);
        engine.run();
        assertThat(second.texts()).containsExactly("1", "3", "5", "0", "2", "4");
        assertThat(second.deliveries.get(3).redelivered()).isTrue();
        second.detach(false);
        engine.run();
        assertThat(engine.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void volatileSubscriptionsAreBoundedInBytesToo() {
        Address topic = engine.topic("t");
        Subscription reader = engine.doors.lookup().volatileReader(topic, "client", "v", null, false);
        Reader slow = engine.attach(reader, 0);
        engine.run();
        int sent = 0;
        for (; topic.quota().hasRoom() && sent < 16; sent++) {
            engine.submit(engine.message(topic, new byte[200_000]));
            engine.run();
        }
        assertThat(sent).as("1 MiB in messages of 200,000 bytes").isEqualTo(6);
        assertThat(topic.quota().hasRoom()).isFalse();
        slow.detach(true);
        engine.run();
        assertThat(topic.quota().hasRoom()).as("whoever went holds nobody").isTrue();
        assertThat(engine.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void aVolatileConsumerMayGoWithoutHavingSettled() {
        Address topic = engine.topic("t"); // with nobody else who reads it
        Subscription reader = engine.doors.lookup().volatileReader(topic, "client", "v", null, false);
        Reader gone = engine.attach(reader, 10);
        engine.publish(topic, 0, 5);
        assertThat(gone.unsettled).hasSize(5);
        gone.detach(false);
        engine.run();
        assertThat(engine.dispatcher.memoryBytes()).isZero();
        engine.publish(topic, 5, 6);
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void whatASelectorDoesNotWantIsOwedByNobodyAndStaysSoAfterACrash() {
        Address topic = engine.topic("t");
        engine.await(engine.doors.catalog().subscribe(topic, "client", "s", SteppedEngine.selector("a"), false, false));
        Subscription inMemory =
                engine.doors.lookup().volatileReader(topic, "", "v", SteppedEngine.selector("b"), false);
        Reader some = engine.attach(inMemory, 10);
        engine.run();
        for (String text : List.of("a1", "b1", "c1", "a2")) {
            engine.publish(topic, text);
        }
        engine.run();
        assertThat(some.texts()).containsExactly("b1");
        assertThat(topic.quota().messages()).isEqualTo(2);
        engine.crashAndRestart();
        engine.publish(engine.address("t"), "b2");
        engine.publish(engine.address("t"), "a3");
        Reader stored = engine.attach(engine.subscription("s"), 10);
        engine.run();
        assertThat(stored.texts()).containsExactly("a1", "a2", "a3");
    }

    @Test
    void whatItsOwnClientPublishedIsNotForANoLocalSubscriptionAndStaysSoAfterACrash() {
        Address topic = engine.topic("t");
        engine.await(engine.doors.catalog().subscribe(topic, "client", "s", null, true, false));
        Reader some = engine.attach(
                engine.doors.lookup().volatileReader(topic, "other", "v", SteppedEngine.selector("w"), true), 10);
        engine.run();
        publishAs("client", topic, "w1");
        publishAs("other", topic, "w2");
        publishAs(null, topic, "w3");
        publishAs(null, topic, "unselected");
        engine.run();
        assertThat(some.texts()).containsExactly("w1", "w3");
        assertThat(topic.quota().messages()).as("nobody owes w1").isEqualTo(3);
        engine.crashAndRestart();
        publishAs("client", engine.address("t"), "w4");
        publishAs("other", engine.address("t"), "w5");
        Reader stored = engine.attach(engine.subscription("s"), 10);
        engine.run();
        assertThat(stored.texts()).containsExactly("w2", "w3", "unselected", "w5");
    }

    private void publishAs(String client, Address topic, String text) {
        engine.submit(new Message(
                topic, engine.now, Message.PRIORITY_NORMAL, 0, 0, SteppedEngine.bytes(text), 0, null, client));
    }
}
