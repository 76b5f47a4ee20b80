package io.ringtable.broker.shard;

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

/** Tests a shard after the end of its broker, however that came, and however its tables were damaged meanwhile. */
class RecoveryTest extends SteppedTest {
    @Test
    void afterACrashWhatMayHaveBeenDeliveredIsFlaggedAndWhatIsSettledStaysAway() {
        Address queue = shard.queue("q");
        Reader reader = shard.attach(shard.reader(queue), 10);
        shard.publish(queue, 0, 20);
        IntStream.range(0, 4).forEach(i -> reader.accept(reader.deliveries.get(i)));
        shard.run();

        shard.crashAndRestart();

        Reader again = shard.attach(shard.reader(shard.address("q")), 100);
        shard.run();
        assertThat(again.texts())
                .isEqualTo(IntStream.range(4, 20).mapToObj(Integer::toString).toList());
        assertThat(again.deliveries.subList(0, 6)).allMatch(Delivery::redelivered);
        assertThat(again.deliveries).allMatch(delivery -> delivery.failures() == 0);
    }

    @Test
    void whatNobodyReadIsNotFlaggedAfterACrash() {
        shard.publish(shard.queue("q"), 0, 1); // the shard's very first message may be flagged: no bound is below 0
        Address topic = shard.topic("t");
        shard.subscribe(topic, "unread");
        shard.attach(shard.subscribe(topic, "read"), 100);
        shard.publish(topic, 0, 20);

        shard.crashAndRestart();
        shard.crashAndRestart();

        Reader unread = shard.attach(shard.subscription("unread"), 100);
        Reader read = shard.attach(shard.subscription("read"), 100);
        shard.run();
        assertThat(unread.deliveries).hasSize(20).noneMatch(Delivery::redelivered);
        assertThat(read.deliveries).hasSize(20).allMatch(Delivery::redelivered);
    }

    @Test
    void afterAGracefulStopOnlyWhatWasDeliveredAndNotSettledIsFlagged() {
        Address queue = shard.queue("q");
        Reader reader = shard.attach(shard.reader(queue), 8);
        shard.publish(queue, 0, 20);
        IntStream.range(0, 5).forEach(i -> reader.accept(reader.deliveries.get(i)));
        shard.run();
        reader.detach(true);

        shard.stopAndRestart();

        Reader again = shard.attach(shard.reader(shard.address("q")), 100);
        shard.run();
        assertThat(again.texts())
                .isEqualTo(IntStream.range(5, 20).mapToObj(Integer::toString).toList());
        assertThat(again.deliveries.subList(0, 3)).allMatch(Delivery::redelivered);
        assertThat(again.deliveries.subList(3, 15)).noneMatch(Delivery::redelivered);
    }

    @Test
    void aBoundThatIsRaisedWhileItsConsumerLeavesFallsAgain() {
        Address queue = shard.queue("q");
        shard.publish(queue, 0, 20);
        Reader reader = shard.attach(shard.reader(queue), 8);
        // The read-back brings messages, their bound is asked for, and the consumer leaves before it is durable.
        shard.dispatchTurn();
        shard.readTurn();
        shard.dispatchTurn();
        reader.detach(false);
        shard.stopAndRestart();

        Reader again = shard.attach(shard.reader(shard.address("q")), 100);
        shard.run();
        assertThat(again.deliveries).hasSize(20);
        assertThat(again.deliveries.subList(1, 20)).noneMatch(Delivery::redelivered);
    }

    @Test
    void aFailureInABacklogThatNobodyHasSettledInIsCounted() {
        Address queue = shard.queue("behind");
        shard.publish(queue, "a");
        shard.run();
        shard.passALap();
        shard.crashAndRestart();
        Reader reader = shard.attach(shard.reader(shard.address("behind")), 10);
        shard.run();
        reader.modify(reader.deliveries.get(0), true, false);
        shard.run();
        assertThat(reader.deliveries).hasSize(2).last().matches(delivery -> delivery.failures() == 1);
    }

    @Test
    void failuresSurviveAndACrashAddsNone() {
        Address queue = shard.queue("q");
        Reader reader = shard.attach(shard.reader(queue), 1);
        shard.publish(queue, 0, 1);
        reader.modify(reader.deliveries.get(0), true, false);
        shard.run();

        shard.crashAndRestart();
        shard.crashAndRestart();

        Reader again = shard.attach(shard.reader(shard.address("q")), 1);
        shard.run();
        assertThat(again.deliveries).singleElement().satisfies(delivery -> {
            assertThat(delivery.failures()).isEqualTo(1);
            assertThat(delivery.redelivered()).isTrue();
        });
    }

    @Test
    void aMessageWithoutItsWholeBodyParksItsSubscriptionAndNobodyElse() {
        Address queue = shard.queue("q");
        Address other = shard.queue("other");
        shard.publish(queue, 0, 3);
        shard.submit(shard.message(queue, new byte[3 << 20]));
        shard.publish(queue, 4, 6);
        shard.publish(other, 0, 3);
        shard.crash();
        shard.store.close();
        sql("DELETE FROM overflow WHERE chunk = 1");
        shard.open();

        ParkedSubscription known =
                shard.dispatcher.parked().stream().findFirst().orElseThrow();
        assertThat(known.sequence()).isEqualTo(3);
        assertThat(known.reason()).contains("incomplete");

        Reader reader = shard.attach(shard.reader(shard.address("q")), 100);
        Reader free = shard.attach(shard.reader(shard.address("other")), 100);
        shard.run();
        assertThat(reader.texts()).containsExactly("0", "1", "2");
        assertThat(free.deliveries).hasSize(3);
        assertThat(shard.dispatcher.parked()).singleElement().satisfies(parked -> {
            assertThat(parked.subscription().address().name()).isEqualTo("q");
            assertThat(parked.sequence()).isEqualTo(3);
        });
        reader.credit(5).drain();
        shard.run();
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
                "INSERT INTO replay (subscription_id, position, finished) VALUES (1, 11, 0);stands at 11;next 10",
            })
    void whatContradictsItselfRefusesTheStartByName(String damage, String where, String why) {
        Address queue = shard.queue("q");
        Reader reader = shard.attach(shard.reader(queue), 10);
        shard.publish(queue, 0, 10);
        reader.accept(reader.deliveries.get(5));
        shard.run();
        shard.crash();
        shard.store.close();
        sql(damage);

        assertThatThrownBy(() -> shard.open())
                .isInstanceOf(ShardStopped.class)
                .hasMessageStartingWith("RT-2300")
                .hasMessageContaining(where)
                .hasMessageContaining(why);
    }

    @Test
    void whatTheBacklogOwesIsCountedWithoutReadingItAtTheStart() {
        Address topic = shard.topic("t");
        shard.subscribe(topic, "dead");
        Subscription slow = shard.subscribe(topic, "slow");
        shard.publish(topic, 0, 12_000);
        Reader reader = shard.attach(slow, 3_000);
        shard.run();
        reader.acceptAll();
        shard.run();
        long dead = shard.entry(shard.subscription("dead")).owedInBacklog();
        long left = shard.entry(slow).owedInBacklog();
        long bytes = shard.address("t").quota().bytes();
        assertThat(dead).isGreaterThan(3_000);
        assertThat(left).isEqualTo(dead - 3_000);

        shard.crashAndRestart();
        assertThat(shard.entry(shard.subscription("dead")).owedInBacklog())
                .as("nothing was read yet")
                .isZero();
        shard.run();

        assertThat(shard.entry(shard.subscription("dead")).owedInBacklog()).isEqualTo(dead);
        assertThat(shard.entry(shard.subscription("slow")).owedInBacklog()).isEqualTo(left);
        assertThat(shard.address("t").quota().messages()).isEqualTo(12_000);
        assertThat(shard.address("t").quota().bytes()).isEqualTo(bytes);
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
