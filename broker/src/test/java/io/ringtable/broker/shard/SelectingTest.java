package io.ringtable.broker.shard;

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

/**
 * A topic whose durable subscriptions' selectors take more than one turn of the committer; on a real SQLite file,
 * stepped by hand.
 */
class SelectingTest extends SteppedQueueTest {
    private static final int SUBSCRIPTIONS = 150; // in three groups
    /** So many look through a message in three turns. */
    private static final int MESSAGE_BYTES = 300_000;

    private Address topic;
    private final List<Subscription> subscriptions = new ArrayList<>();

    @BeforeEach
    void prepare() {
        topic = shard.topic("t");
        for (int i = 0; i < SUBSCRIPTIONS; i++) {
            subscriptions.add(subscribe("s" + i, i % 2 == 0 ? "a" : "b"));
        }
        shard.run();
    }

    /** It wants what begins with the text. */
    private Subscription subscribe(String name, String text) {
        return shard.await(
                shard.doors.catalog().subscribe(topic, "client", name, SteppedShard.selector(text), false, true));
    }

    private Message large(Address address, String text) {
        return shard.message(address, SteppedShard.bytes(text + "-".repeat(MESSAGE_BYTES)));
    }

    private long owed(Subscription subscription) {
        return shard.entry(subscription).owedInRing();
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
        Outcome slow = shard.submit(large(topic, "a1"));
        Outcome quick = shard.publish(queue, "to somebody else");
        shard.commitTurn();
        assertThat(quick.accepted).isTrue();
        assertThat(slow.isKnown()).isFalse();
        shard.submit(large(topic, "b1"));
        shard.submit(large(topic, "a2"));
        shard.run();
        assertThat(slow.accepted).isTrue();
        assertThatOwe(2, 1);
        Subscription second = subscriptions.get(SUBSCRIPTIONS - 2);
        assertThat(shard.attach(second, 10).texts()).isEmpty();
        shard.crashAndRestart();
        Reader reader = shard.attach(shard.subscription(second.name()), 10);
        shard.run();
        assertThat(reader.texts()).extracting(text -> text.substring(0, 2)).containsExactly("a1", "a2");
    }

    @Test
    void whoComesMeanwhileIsAskedToo() {
        shard.submit(large(topic, "a1"));
        shard.commitTurn();
        Subscription wanting = subscribe("late a", "a");
        Subscription other = subscribe("late b", "b");
        shard.run();
        assertThatOwe(1, 0);
        assertThat(owed(wanting)).isEqualTo(1);
        assertThat(owed(other)).isZero();
    }

    @Test
    void whoGoesMeanwhileIsOwedNothingNorWhoGetsItsPlace() {
        shard.submit(large(topic, "a1"));
        shard.commitTurn();
        Subscription gone = subscriptions.remove(0);
        Subscription stays = subscriptions.remove(0);
        shard.doors.catalog().leave(gone);
        shard.await(shard.doors.catalog().unsubscribe(gone));
        Subscription next = subscribe("next", "b");
        assertThat(next.bit()).as("the freed bit").isEqualTo(gone.bit());
        assertThat(next.group()).isEqualTo(gone.group());
        shard.run();
        assertThat(owed(next)).isZero();
        assertThat(owed(stays)).isZero();
        assertThat(owed(subscriptions.get(0))).isEqualTo(1);
    }

    @Test
    void aTransactionKeepsItsPlaceAtEachAddress() {
        Outcome both = shard.submit(
                Deduplication.NONE,
                shard.message(queue, SteppedShard.bytes("first")),
                large(topic, "a1"),
                large(topic, "b1"));
        Outcome after = shard.publish(queue, "second");
        shard.commitTurn();
        assertThat(both.isKnown()).isFalse();
        assertThat(after.isKnown()).as("of the same connection").isFalse();
        Reader reader = shard.attach(shard.reader(queue), 10);
        shard.run();
        assertThat(reader.texts()).containsExactly("first", "second");
        assertThatOwe(1, 1);
    }

    @Test
    void aTopicThatIsDeletedMeanwhileRefusesTheMessage() {
        Outcome late = shard.submit(large(topic, "a1"));
        shard.commitTurn();
        shard.await(shard.doors.catalog().deleteStored(topic, true));
        shard.run();
        assertThat(late.refusal).extracting(Refusal::code).isEqualTo("RT-2010");
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void publishersAreHeldWhileMuchWaits() {
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            outcomes.add(shard.submit(large(topic, "a" + i)));
        }
        shard.commitTurn();
        assertThat(topic.quota().isHeld()).isTrue();
        assertThat(queue.quota().isHeld()).isFalse();
        shard.run();
        assertThat(topic.quota().isHeld()).isFalse();
        assertThat(outcomes).allMatch(outcome -> outcome.accepted);
        assertThatOwe(20, 0);
    }

    @Test
    void whatWaitsWhenTheBrokerStopsIsStillStored() {
        Outcome waiting = shard.submit(large(topic, "a1"));
        shard.commitTurn();
        shard.stop();
        assertThat(waiting.accepted).isTrue();
    }

    @Test
    void whatWaitsWhenTheCommitterEndsIsRefused() {
        Outcome waiting = shard.submit(large(topic, "a1"));
        shard.commitTurn();
        shard.crashAndRestart();
        assertThat(waiting.refusal).isNotNull();
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().isHeld()).isFalse();
    }
}
