package io.ringtable.spring.boot.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.Subscription;
import io.ringtable.spring.boot.OneBroker;
import io.ringtable.spring.boot.StarterScenario;
import io.ringtable.spring.boot.app.Bookings;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Rows of JPA and messages in one transaction: on PostgreSQL, with {@code @Transactional} alone. */
class TransactionScenarioTest extends StarterScenario {
    @Autowired
    Bookings bookings;

    @Autowired
    RingtableClient client;

    @Test
    void aRowAndItsMessageComeTogetherOrNotAtAll() {
        assertThatThrownBy(() -> bookings.book("undone", "queue://tx-booked", true))
                .hasMessage("as the test asks");
        bookings.book("done", "queue://tx-booked", false);
        try (Receiver receiver = client.receiver("queue://tx-booked")) {
            assertThat(receiver.receive(OneBroker.SOON).orElseThrow().text())
                    .as("the first that comes, written by the application's Jackson")
                    .isEqualTo("{\"booking_name\":\"done\"}");
        }
        assertThat(bookings.count("undone")).isZero();
        assertThat(bookings.count("done")).isEqualTo(1);
    }

    @Test
    void aMessageComesAgainAfterARollBackAndHasItsEffectOnce() {
        Subscription subscription = client.subscribe("queue://tx-taken", message -> bookings.take(message, 2));
        try (Publisher publisher = client.publisher("queue://tx-taken")) {
            publisher.publishAndWait(Message.text("a seat"));
            await().untilAsserted(() -> assertThat(bookings.count("a seat")).isEqualTo(1));
            publisher.publishAndWait(Message.text("another seat"));
            await().untilAsserted(
                            () -> assertThat(bookings.count("another seat")).isEqualTo(1));
            await().untilAsserted(() -> assertThat(bookings.owed("tx-taken")).isZero());
            assertThat(bookings.count("a seat")).as("still").isEqualTo(1);
        } finally {
            subscription.close();
        }
    }
}
