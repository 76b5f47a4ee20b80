package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.subscription.ParkedSubscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ownership.ShardStopped;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a shard is after its broker ended, however that ended, and however its tables were damaged meanwhile. */
class RecoveryTest extends SteppedTest {
    @Test
    void afterACrashWhatMayHaveBeenDeliveredIsFlaggedAndWhatIsSettledStaysAway() {
        Address queue = engine.queue("q");
        Reader reader = engine.attach(engine.reader(queue), 10);
        engine.publish(queue, 0, 20);
        IntStream.range(0, 4).forEach(i -> reader.accept(reader.deliveries.get(i)));
        engine.run();

        engine.crashAndRestart();

        Reader again = engine.attach(engine.reader(engine.address("q")), 100);
        engine.run();
        assertThat(again.texts())
                .isEqualTo(IntStream.range(4, 20).mapToObj(Integer::toString).toList());
        assertThat(again.deliveries.subList(0, 6)).allMatch(Delivery::redelivered);
        assertThat(again.deliveries).allMatch(delivery -> delivery.failures() == 0);
    }

    @Test
    void whatNobodyReadIsNotFlaggedAfterACrash() {
        engine.publish(engine.queue("q"), 0, 1); // the shard's very first message may be flagged: no bound is below 0
        Address topic = engine.topic("t");
        engine.subscribe(topic, "unread");
        engine.attach(engine.subscribe(topic, "read"), 100);
        engine.publish(topic, 0, 20);

        engine.crashAndRestart();
        engine.crashAndRestart();

        Reader unread = engine.attach(engine.subscription("unread"), 100);
        Reader read = engine.attach(engine.subscription("read"), 100);
        engine.run();
        assertThat(unread.deliveries).hasSize(20).noneMatch(Delivery::redelivered);
        assertThat(read.deliveries).hasSize(20).allMatch(Delivery::redelivered);
    }

    @Test
    void afterAGracefulStopOnlyWhatWasDeliveredAndNotSettledIsFlagged() {
        Address queue = engine.queue("q");
        Reader reader = engine.attach(engine.reader(queue), 8);
        engine.publish(queue, 0, 20);
        IntStream.range(0, 5).forEach(i -> reader.accept(reader.deliveries.get(i)));
        engine.run();
        reader.detach(true);

        engine.stopAndRestart();

        Reader again = engine.attach(engine.reader(engine.address("q")), 100);
        engine.run();
        assertThat(again.texts())
                .isEqualTo(IntStream.range(5, 20).mapToObj(Integer::toString).toList());
        assertThat(again.deliveries.subList(0, 3)).allMatch(Delivery::redelivered);
        assertThat(again.deliveries.subList(3, 15)).noneMatch(Delivery::redelivered);
    }

    @Test
    void aBoundThatIsRaisedWhileItsConsumerLeavesFallsAgain() {
        Address queue = engine.queue("q");
        engine.publish(queue, 0, 20);
        Reader reader = engine.attach(engine.reader(queue), 8);
        // The read-back brings messages, their bound is asked for, and the consumer leaves before it is durable.
        engine.dispatchTurn();
        engine.readTurn();
        engine.dispatchTurn();
        reader.detach(false);
        engine.stopAndRestart();

        Reader again = engine.attach(engine.reader(engine.address("q")), 100);
        engine.run();
        assertThat(again.deliveries).hasSize(20);
        assertThat(again.deliveries.subList(1, 20)).noneMatch(Delivery::redelivered);
    }

    @Test
    void aFailureInABacklogThatNobodyHasSettledInIsCounted() {
        Address queue = engine.queue("behind");
        engine.publish(queue, "a");
        engine.run();
        engine.passALap();
        engine.crashAndRestart();
        Reader reader = engine.attach(engine.reader(engine.address("behind")), 10);
        engine.run();
        reader.modify(reader.deliveries.get(0), true, false);
        engine.run();
        assertThat(reader.deliveries).hasSize(2).last().matches(delivery -> delivery.failures() == 1);
    }

    @Test
    void failuresSurviveAndACrashAddsNone() {
        Address queue = engine.queue("q");
        Reader reader = engine.attach(engine.reader(queue), 1);
        engine.publish(queue, 0, 1);
        reader.modify(reader.deliveries.get(0), true, false);
        engine.run();

        engine.crashAndRestart();
        engine.crashAndRestart();

        Reader again = engine.attach(engine.reader(engine.address("q")), 1);
        engine.run();
        assertThat(again.deliveries).singleElement().satisfies(delivery -> {
            assertThat(delivery.failures()).isEqualTo(1);
            assertThat(delivery.redelivered()).isTrue();
        });
    }

    @Test
    void aMessageWithoutItsWholeBodyParksItsSubscriptionAndNobodyElse() {
        Address queue = engine.queue("q");
        Address other = engine.queue("other");
        engine.publish(queue, 0, 3);
        engine.submit(engine.message(queue, new byte[3 << 20]));
        engine.publish(queue, 4, 6);
        engine.publish(other, 0, 3);
        engine.crash();
        engine.store.close();
        sql("DELETE FROM overflow WHERE chunk = 1");
        engine.open();

        ParkedSubscription known =
                engine.dispatcher.parked().stream().findFirst().orElseThrow();
        assertThat(known.sequence()).isEqualTo(3);
        assertThat(known.reason()).contains("incomplete");

        Reader reader = engine.attach(engine.reader(engine.address("q")), 100);
        Reader free = engine.attach(engine.reader(engine.address("other")), 100);
        engine.run();
        assertThat(reader.texts()).containsExactly("0", "1", "2");
        assertThat(free.deliveries).hasSize(3);
        assertThat(engine.dispatcher.parked()).singleElement().satisfies(parked -> {
            assertThat(parked.subscription().address().name()).isEqualTo("q");
            assertThat(parked.sequence()).isEqualTo(3);
        });
        reader.credit(5).drain();
        engine.run();
        assertThat(reader.drained).as("a parked subscription answers drains").hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = ';',
            value = {
                "UPDATE slot SET reference_count = 2 WHERE sequence = 5;slot 5 holds message 5;reference count",
                "UPDATE slot SET pending = 2 WHERE sequence = 5;slot 5 holds message 5;ledger has settled a bit",
                "UPDATE slot SET address_id = 4711 WHERE sequence = 6;slot 6 holds message 6;never given away",
                "UPDATE subscription SET from_sequence = 999;begins with 999;next 10",
                "UPDATE shard SET next_id = 1;next id 1;has id",
            })
    void whatContradictsItselfRefusesTheStartByName(String damage, String where, String why) {
        Address queue = engine.queue("q");
        Reader reader = engine.attach(engine.reader(queue), 10);
        engine.publish(queue, 0, 10);
        reader.accept(reader.deliveries.get(5));
        engine.run();
        engine.crash();
        engine.store.close();
        sql(damage);

        assertThatThrownBy(() -> engine.open())
                .isInstanceOf(ShardStopped.class)
                .hasMessageStartingWith("RT-2300")
                .hasMessageContaining(where)
                .hasMessageContaining(why);
    }

    @Test
    void whatTheBacklogOwesIsCountedWithoutReadingItAtTheStart() {
        Address topic = engine.topic("t");
        engine.subscribe(topic, "dead");
        Subscription slow = engine.subscribe(topic, "slow");
        engine.publish(topic, 0, 12_000);
        Reader reader = engine.attach(slow, 3_000);
        engine.run();
        reader.acceptAll();
        engine.run();
        long dead = engine.entry(engine.subscription("dead")).owedInBacklog();
        long left = engine.entry(slow).owedInBacklog();
        long bytes = engine.address("t").quota().bytes();
        assertThat(dead).isGreaterThan(3_000);
        assertThat(left).isEqualTo(dead - 3_000);

        engine.crashAndRestart();
        assertThat(engine.entry(engine.subscription("dead")).owedInBacklog())
                .as("nothing was read yet")
                .isZero();
        engine.run();

        assertThat(engine.entry(engine.subscription("dead")).owedInBacklog()).isEqualTo(dead);
        assertThat(engine.entry(engine.subscription("slow")).owedInBacklog()).isEqualTo(left);
        assertThat(engine.address("t").quota().messages()).isEqualTo(12_000);
        assertThat(engine.address("t").quota().bytes()).isEqualTo(bytes);
    }

    private void sql(String statement) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ringtable.db"));
                Statement update = connection.createStatement()) {
            update.executeUpdate(statement);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
