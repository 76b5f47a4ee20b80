package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Deduplication;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A topic whose durable subscriptions' selectors take more than one turn of the committer; on a real SQLite file, stepped by hand. */
class SelectingTest extends SteppedQueueTest {
    private static final int SUBSCRIPTIONS = 150; // in three groups
    /** So many look through a message in three turns. */
    private static final int MESSAGE_BYTES = 300_000;

    private Address topic;
    private final List<Subscription> subscriptions = new ArrayList<>();

    @BeforeEach
    void prepare() {
        topic = engine.topic("t");
        for (int i = 0; i < SUBSCRIPTIONS; i++) {
            subscriptions.add(subscribe("s" + i, i % 2 == 0 ? "a" : "b"));
        }
        engine.run();
    }

    /** It wants what begins with the text. */
    private Subscription subscribe(String name, String text) {
        return engine.await(
                engine.doors.catalog().subscribe(topic, "client", name, SteppedEngine.selector(text), false, true));
    }

    private Message large(Address address, String text) {
        return engine.message(address, SteppedEngine.bytes(text + "-".repeat(MESSAGE_BYTES)));
    }

    private long owed(Subscription subscription) {
        return engine.entry(subscription).owedInRing();
    }

    private void assertThatOwe(long a, long b) {
        for (int i = 0; i < SUBSCRIPTIONS; i++) {
            assertThat(owed(subscriptions.get(i)))
                    .as(subscriptions.get(i).name())
                    .isEqualTo(i % 2 == 0 ? a : b);
        }
    }

    @Test
    void othersAreFlushedMeanwhile() {
        Outcome slow = engine.submit(large(topic, "a1"));
        Outcome quick = engine.publish(queue, "to somebody else");
        engine.commitTurn();
        assertThat(quick.accepted).isTrue();
        assertThat(slow.isKnown()).isFalse();
        engine.submit(large(topic, "b1"));
        engine.submit(large(topic, "a2"));
        engine.run();
        assertThat(slow.accepted).isTrue();
        assertThatOwe(2, 1);
        Subscription second = subscriptions.get(SUBSCRIPTIONS - 2);
        assertThat(engine.attach(second, 10).texts()).isEmpty();
        engine.crashAndRestart();
        Reader reader = engine.attach(engine.subscription(second.name()), 10);
        engine.run();
        assertThat(reader.texts()).extracting(text -> text.substring(0, 2)).containsExactly("a1", "a2");
    }

    @Test
    void whoComesMeanwhileIsAskedToo() {
        engine.submit(large(topic, "a1"));
        engine.commitTurn();
        Subscription wanting = subscribe("late a", "a");
        Subscription other = subscribe("late b", "b");
        engine.run();
        assertThatOwe(1, 0);
        assertThat(owed(wanting)).isEqualTo(1);
        assertThat(owed(other)).isZero();
    }

    @Test
    void whoGoesMeanwhileIsOwedNothingNorWhoGetsItsPlace() {
        engine.submit(large(topic, "a1"));
        engine.commitTurn();
        Subscription gone = subscriptions.remove(0);
        Subscription stays = subscriptions.remove(0);
        engine.doors.catalog().leave(gone);
        engine.await(engine.doors.catalog().unsubscribe(gone));
        Subscription next = subscribe("next", "b");
        assertThat(next.bit()).as("the freed bit").isEqualTo(gone.bit());
        assertThat(next.group()).isEqualTo(gone.group());
        engine.run();
        assertThat(owed(next)).isZero();
        assertThat(owed(stays)).isZero();
        assertThat(owed(subscriptions.get(0))).isEqualTo(1);
    }

    @Test
    void aTransactionKeepsItsPlaceAtEachAddress() {
        Outcome both = engine.submit(
                Deduplication.NONE,
                engine.message(queue, SteppedEngine.bytes("first")),
                large(topic, "a1"),
                large(topic, "b1"));
        Outcome after = engine.publish(queue, "second");
        engine.commitTurn();
        assertThat(both.isKnown()).isFalse();
        assertThat(after.isKnown()).as("of the same connection").isFalse();
        Reader reader = engine.attach(engine.reader(queue), 10);
        engine.run();
        assertThat(reader.texts()).containsExactly("first", "second");
        assertThatOwe(1, 1);
    }

    @Test
    void aTopicThatIsDeletedMeanwhileRefusesTheMessage() {
        Outcome late = engine.submit(large(topic, "a1"));
        engine.commitTurn();
        engine.await(engine.doors.catalog().deleteStored(topic, true));
        engine.run();
        assertThat(late.refusal).extracting(Refusal::code).isEqualTo("RT-2010");
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void publishersAreHeldWhileMuchWaits() {
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            outcomes.add(engine.submit(large(topic, "a" + i)));
        }
        engine.commitTurn();
        assertThat(topic.quota().isHeld()).isTrue();
        assertThat(queue.quota().isHeld()).isFalse();
        engine.run();
        assertThat(topic.quota().isHeld()).isFalse();
        assertThat(outcomes).allMatch(outcome -> outcome.accepted);
        assertThatOwe(20, 0);
    }

    @Test
    void whatWaitsWhenTheBrokerStopsIsStillStored() {
        Outcome waiting = engine.submit(large(topic, "a1"));
        engine.commitTurn();
        engine.stop();
        assertThat(waiting.accepted).isTrue();
    }

    @Test
    void whatWaitsWhenTheCommitterEndsIsRefused() {
        Outcome waiting = engine.submit(large(topic, "a1"));
        engine.commitTurn();
        engine.crashAndRestart();
        assertThat(waiting.refusal).isNotNull();
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().isHeld()).isFalse();
    }
}
