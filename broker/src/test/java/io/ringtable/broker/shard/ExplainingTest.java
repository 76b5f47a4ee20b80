package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.dispatch.explain.Owing;
import io.ringtable.broker.dispatch.explain.Reason;
import io.ringtable.broker.dispatch.explain.Why;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.MessageRow;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.Mailbox;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * Tests that each reason why nothing is delivered is named, for a subscription and for a single message.
 * <p>Longer than others, because each reason has its test.
 */
class ExplainingTest extends SteppedQueueTest {
    private static final int BODY = 16 << 10;
    private static final long REST_MS = 60_000;
    private static final AddressPolicy PLAIN = AddressPolicy.of(3, "DLQ");

    @Override
    void configure(SteppedShard unopened) {
        unopened.dispatch = SteppedSettings.dispatch(1 << 20, 16, 16L * BODY, 16);
        unopened.policies = new AddressPolicies(
                List.of(
                        new AddressPolicies.Rule("exclusive", new AddressPolicy(3, "DLQ", "", 0, 1, 0, true)),
                        new AddressPolicies.Rule(
                                "resting", new AddressPolicy(3, "DLQ", "", REST_MS, 1, REST_MS, false)),
                        new AddressPolicies.Rule("kept", PLAIN.keeping(new Retention(REST_MS, 0)))),
                PLAIN);
    }

    private Why why() {
        return why(shard.reader(queue));
    }

    private Why why(Subscription subscription) {
        return shard.await(shard.dispatcher.explainer().why(subscription));
    }

    private Owing owing(long sequence) {
        return shard.await(asked(sequence));
    }

    private CompletionStage<Owing> asked(long sequence) {
        return shard.dispatcher.explainer().why(shard.reader(queue), row(sequence));
    }

    /** The message as the store has it. */
    private Ready row(long sequence) {
        MessageRow row = shard.store.readMessage(sequence);
        StoredMessage stored = row.message();
        Message message = new Message(
                queue,
                stored.publishedAt(),
                stored.priority(),
                stored.expiresAt(),
                stored.deliverAt(),
                stored.body(),
                stored.bodyId(),
                new Texts(() -> false).facts(stored.body()).group());
        return new Ready(message, sequence, stored.group(), stored.pending(), 0, false, null);
    }

    private void publish(String text, long expiresAt, long deliverAt) {
        shard.submit(new Message(queue, shard.now, 4, expiresAt, deliverAt, SteppedShard.bytes(text), 0, null));
        shard.run();
    }

    private void publish(String... texts) {
        for (String text : texts) {
            shard.publish(queue, text);
        }
        shard.run();
    }

    // ---- nobody, or nothing

    @Test
    void nothingIsOwed() {
        assertThat(why().reason()).isEqualTo(Reason.NOTHING_OWED);
        Reader reader = reader(10);
        assertThat(why().reason()).isEqualTo(Reason.NOTHING_OWED);
        publish("1");
        reader.acceptAll();
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.NOTHING_OWED);
            assertThat(why.text()).isEqualTo("queue 'q' owes nothing");
        });
    }

    @Test
    void nobodyIsAttached() {
        publish("1");
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.NO_CONSUMER);
            assertThat(why.text()).contains("queue 'q'").contains("no consumer");
            assertThat(why.cure()).contains("start a consumer");
        });
        assertThat(owing(0).why().reason()).isEqualTo(Reason.NO_CONSUMER);
        reader(10).detach(false);
        assertThat(why().reason()).as("the last consumer has gone").isEqualTo(Reason.NO_CONSUMER);
    }

    @Test
    void aSubscriptionThatIsGoneHasNoReason() {
        Address topic = shard.topic("t");
        Subscription gone = shard.subscribe(topic, "gone");
        shard.await(shard.doors.catalog().unsubscribe(gone));
        assertThat(why(gone)).isNull();
    }

    @Test
    void whatATopicRetainsWaitsForNobody() {
        Address topic = shard.topic("kept");
        shard.publish(topic, "1");
        shard.run();
        Subscription keeper = shard.committer.entries().entry(topic.id()).subscriptions().stream()
                .map(SubscriptionEntry::subscription)
                .filter(Subscription::isRetention)
                .findFirst()
                .orElseThrow();
        assertThat(why(keeper).reason()).isEqualTo(Reason.RETAINED);
        assertThat(shard.await(shard.dispatcher.explainer().why(keeper, row(0)))
                        .why()
                        .reason())
                .isEqualTo(Reason.RETAINED);
    }

    // ---- credit

    @Test
    void noConsumerHasCredit() {
        reader(0);
        publish("1");
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.NO_CREDIT);
            assertThat(why.text()).contains("no credit").contains("0 messages unsettled");
        });
        assertThat(owing(0).why().reason()).isEqualTo(Reason.NO_CREDIT);
    }

    @Test
    void aConsumerHoldsAsManyBytesAsItMay() {
        reader(1_000);
        publishLarge(20);
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.CONSUMER_FULL);
            assertThat(why.text()).contains("16 messages of " + 16 * BODY + " bytes");
        });
        assertThat(owing(19).why().reason()).isEqualTo(Reason.CONSUMER_FULL);
    }

    @Test
    void aConnectionHoldsItsShareOfAllBytes() {
        Mailbox connection = () -> {};
        for (int i = 0; i < 5; i++) {
            shard.attachOf(connection, shard.reader(queue), 1_000);
        }
        publishLarge(75);
        assertThat(why().reason()).isEqualTo(Reason.CONNECTION_FULL);
        assertThat(owing(74).why().reason()).isEqualTo(Reason.CONNECTION_FULL);
    }

    private void publishLarge(int messages) {
        for (int i = 0; i < messages; i++) {
            shard.submit(shard.message(queue, new byte[BODY]));
            shard.run();
        }
    }

    // ---- who may have it

    @Test
    void noSelectorWantsIt() {
        shard.attach(shard.reader(queue), "a", 10);
        publish("b");
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.SELECTOR);
            assertThat(why.text()).contains("selector").contains("message 0");
        });
        assertThat(owing(0).why().reason()).isEqualTo(Reason.SELECTOR);
    }

    @Test
    void noSelectorWantsAnyOfManyThatWereEvicted() {
        shard.attach(shard.reader(queue), "a", 10);
        shard.publish(queue, 0, 100);
        assertThat(why().reason()).isEqualTo(Reason.SELECTOR);
        assertThat(owing(99).why().reason()).isEqualTo(Reason.SELECTOR);
    }

    @Test
    void anotherConsumerHasItsGroup() {
        reader(1);
        publish("[g]1");
        reader(10);
        publish("[g]2");
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.GROUP);
            assertThat(why.text()).contains("group 'g'").contains("belongs to a consumer");
        });
        assertThat(owing(1).why().reason()).isEqualTo(Reason.GROUP);
    }

    @Test
    void anEarlierMessageOfItsGroupRests() {
        queue = shard.queue("resting");
        Reader reader = reader(1);
        publish("[g]1");
        reader.modify(reader.deliveries.get(0), true, false);
        shard.run();
        reader.credit(10);
        publish("[g]2");
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.GROUP);
            assertThat(why.text()).contains("earlier message 0");
        });
        assertThat(owing(1).why().reason()).isEqualTo(Reason.GROUP);
    }

    @Test
    void itsConsumerGaveItBackForOthers() {
        Reader reader = reader(10);
        publish("1");
        reader.modify(reader.deliveries.get(0), false, true);
        assertThat(why().reason()).isEqualTo(Reason.NOT_HERE);
        assertThat(owing(0).why().reason()).isEqualTo(Reason.NOT_HERE);
    }

    @Test
    void anotherConsumerIsServedAlone() {
        queue = shard.queue("exclusive");
        reader(1);
        reader(10);
        publish("1", "2");
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.EXCLUSIVE);
            assertThat(why.text()).contains("is exclusive").contains("1 more");
        });
        assertThat(owing(1).why().reason()).isEqualTo(Reason.EXCLUSIVE);
    }

    // ---- when

    @Test
    void itsTimeHasNotCome() {
        reader(10);
        long at = shard.now + 5_000;
        publish("later", 0, at);
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.DELAY);
            assertThat(why.until()).isEqualTo(at);
        });
        assertThat(owing(0).why().reason()).isEqualTo(Reason.DELAY);
        assertThat(owing(0).why().until()).isEqualTo(at);
    }

    @Test
    void itRestsAfterAFailure() {
        queue = shard.queue("resting");
        Reader reader = reader(10);
        publish("1");
        reader.modify(reader.deliveries.get(0), true, false);
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.REST);
            assertThat(why.until()).isEqualTo(shard.now + REST_MS);
            assertThat(why.text()).contains("1 failed delivery");
        });
        assertThat(owing(0)).satisfies(owing -> {
            assertThat(owing.why().reason()).isEqualTo(Reason.REST);
            assertThat(owing.failures()).isEqualTo(1);
        });
        assertThat(shard.await(shard.dispatcher.explainer().failures(shard.reader(queue), List.of(0L, 1L))))
                .containsEntry(0L, 1)
                .containsEntry(1L, 0);
    }

    @Test
    void itHasExpired() {
        publish("1", shard.now + 1_000, 0);
        shard.now += 2_000;
        assertThat(owing(0).why().reason()).isEqualTo(Reason.EXPIRED);
    }

    // ---- where it is

    @Test
    void aConsumerHasIt() {
        reader(10);
        publish("1", "2");
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.AT_CONSUMER);
            assertThat(why.text()).contains("2 messages unsettled");
        });
        assertThat(owing(1)).satisfies(owing -> {
            assertThat(owing.why().reason()).isEqualTo(Reason.AT_CONSUMER);
            assertThat(owing.heldBy()).isEqualTo("a consumer");
        });
    }

    @Test
    void aTransactionHoldsIt() {
        Reader reader = reader(10);
        publish("1");
        Enlisted enlisted = shard.dispatcher.mailbox().enlist(reader, reader.deliveries.get(0));
        assertThat(why().reason()).isEqualTo(Reason.IN_TRANSACTION);
        assertThat(owing(0)).satisfies(owing -> {
            assertThat(owing.why().reason()).isEqualTo(Reason.IN_TRANSACTION);
            assertThat(owing.heldBy()).isEqualTo("a consumer");
        });
        shard.dispatcher.mailbox().rolledBack(enlisted, false);
        shard.run();
        assertThat(owing(0).why().reason()).as("it has come again").isEqualTo(Reason.AT_CONSUMER);
    }

    @Test
    void itIsOnItsWayToTheDeadLetters() {
        Reader reader = reader(10);
        publish("1");
        Ready row = row(0);
        reader.reject(reader.deliveries.get(0), "no");
        CompletionStage<Why> ofQueue = shard.dispatcher.explainer().why(shard.reader(queue));
        CompletionStage<Owing> ofMessage = shard.dispatcher.explainer().why(shard.reader(queue), row);
        shard.dispatchTurn();
        assertThat(shard.await(ofQueue).reason()).isEqualTo(Reason.MOVING);
        assertThat(shard.await(ofMessage).why().reason()).isEqualTo(Reason.MOVING);
    }

    @Test
    void itCannotLeaveToTheDeadLetters() {
        shard.deadLettersFail = true;
        Reader reader = reader(10);
        publish("1");
        reader.reject(reader.deliveries.get(0), "no");
        shard.run();
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.MOVE_STUCK);
            assertThat(why.text()).contains("this message cannot be written");
            assertThat(why.until()).isGreaterThan(shard.now);
        });
        assertThat(owing(0).why().reason()).isEqualTo(Reason.MOVE_STUCK);
    }

    @Test
    void itWasSettledAMomentAgo() {
        Reader reader = reader(10);
        publish("1");
        Ready row = row(0);
        reader.accept(reader.deliveries.get(0));
        CompletionStage<Owing> asked = shard.dispatcher.explainer().why(shard.reader(queue), row);
        shard.dispatchTurn();
        assertThat(shard.await(asked).why().reason()).isEqualTo(Reason.SETTLED);
    }

    @Test
    void itIsReadBackOrComesBehindOthers() {
        shard.publish(queue, 0, 100);
        Reader reader = reader(1_000);
        shard.dispatchTurn(); // asks for the first messages; nobody reads yet
        CompletionStage<Why> ofQueue = shard.dispatcher.explainer().why(shard.reader(queue));
        CompletionStage<Owing> first = asked(0);
        CompletionStage<Owing> later = asked(50);
        shard.dispatchTurn();
        assertThat(shard.await(ofQueue)).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.READ_BACK);
            assertThat(why.text()).contains("being read back");
        });
        assertThat(shard.await(first).why().reason()).isEqualTo(Reason.READ_BACK);
        assertThat(shard.await(later).why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.BEHIND);
            assertThat(why.text()).contains("behind message 0");
        });
        shard.run();
        assertThat(reader.deliveries).as("asking has changed nothing").hasSize(100);
    }

    @Test
    void theSameInABacklogThatNobodyHasRead() {
        shard.publish(queue, 0, 100);
        shard.passALap();
        restart();
        assertThat(owing(50).why().reason()).isEqualTo(Reason.NO_CONSUMER);
        reader(1_000);
        shard.dispatchTurn();
        CompletionStage<Owing> later = asked(50);
        shard.dispatchTurn();
        assertThat(shard.await(later).why().reason()).isEqualTo(Reason.BEHIND);
    }

    @Test
    void nothingHoldsItUp() {
        reader(10);
        shard.run();
        shard.publish(queue, "1");
        while (shard.commitTurn() > 0) {
            // until it is committed, and the dispatcher has not heard of it
        }
        CompletionStage<Why> ofQueue = shard.dispatcher.explainer().why(shard.reader(queue));
        CompletionStage<Owing> ofMessage = asked(0);
        shard.dispatchTurn(); // answers before it serves
        assertThat(shard.await(ofQueue).reason()).isEqualTo(Reason.DELIVERING);
        assertThat(shard.await(ofMessage).why().reason()).isEqualTo(Reason.DELIVERING);
    }

    @Test
    void itIsParkedAtADamagedMessage() throws SQLException {
        publish("0");
        shard.submit(shard.message(queue, new byte[3 << 20]));
        publish("2");
        shard.crash();
        shard.store.close();
        try (Connection file = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ringtable.db"));
                Statement statement = file.createStatement()) {
            statement.execute("DELETE FROM overflow WHERE chunk = 1");
        }
        shard.open();
        queue = shard.address(QUEUE);
        assertThat(why().reason()).as("without a consumer").isEqualTo(Reason.PARKED);
        Reader reader = reader(10);
        shard.run();
        assertThat(reader.texts()).containsExactly("0");
        reader.acceptAll();
        assertThat(why()).satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Reason.PARKED);
            assertThat(why.text()).contains("at message 1").contains("chunk");
        });
        assertThat(owing(2).why().reason()).isEqualTo(Reason.PARKED);
    }
}
