package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Checks which message is delivered when, by Jakarta Messaging 3.1: expiry (section 3.4.9), delivery delay (7.9). Also
 * rests after a failure, and one consumer at a time on an exclusive address.
 */
class DeliveryTest extends OnEachEngine {
    private static final long REST_MS = 400;

    DeliveryTest(Engine engine) {
        super(engine);
    }

    @Override
    BrokerSettings settings(BrokerSettings settings) {
        return settings.with("ringtable.dispatch.expiry-queue", "expired")
                .with("ringtable.dispatch.addresses[0].match", "rests.#")
                .with("ringtable.dispatch.addresses[0].redelivery-delay", REST_MS + "ms")
                .with("ringtable.dispatch.addresses[0].redelivery-delay-multiplier", 2)
                .with("ringtable.dispatch.addresses[0].deliveries-max", 3)
                .with("ringtable.dispatch.addresses[1].match", "exclusive")
                .with("ringtable.dispatch.addresses[1].exclusive", true);
    }

    // ---- expiry

    @Test
    void whatIsLateMovesToTheExpiryQueueWithWhenceItCame() throws Exception {
        Connection connection = connect();
        Session session = connection.createSession();
        Queue queue = session.createQueue("expiring");
        try (JMSContext context = context()) {
            context.createProducer().setTimeToLive(1).send(queue, "late");
            context.createProducer().setTimeToLive(600_000).send(queue, "in time");
        }
        MessageConsumer consumer = session.createConsumer(queue);
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("in time");
        Message expired = session.createConsumer(session.createQueue("expired")).receive(COMES_MS);
        assertThat(text(expired)).isEqualTo("late");
        assertThat(expired.getJMSExpiration()).as("it stays there").isZero();
    }

    // ---- delivery delay

    @Test
    void aSubscriptionOfATopicWaitsForTheTimeToo() {
        try (JMSContext client = client("delays")) {
            JMSConsumer durable = client.createDurableConsumer(client.createTopic("later"), "s");
            JMSConsumer plain = client.createConsumer(client.createTopic("later"));
            long before = System.currentTimeMillis();
            client.createProducer().setDeliveryDelay(500).send(client.createTopic("later"), "later");
            client.createProducer().send(client.createTopic("later"), "now");
            for (JMSConsumer consumer : List.of(durable, plain)) {
                assertThat(take(consumer, 2)).containsExactlyInAnyOrder("now", "later");
            }
            assertThat(System.currentTimeMillis() - before).isGreaterThanOrEqualTo(500);
        }
    }

    // ---- rests

    @Test
    void aRolledBackMessageRestsLongerEachTimeAndThenIsADeadLetter() throws JMSException {
        Connection connection = connect();
        Session session = connection.createSession(Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("rests.orders");
        send(session, queue, "poison");
        session.commit();
        MessageConsumer consumer = session.createConsumer(queue);
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("poison");
        for (long rest : new long[] {REST_MS, 2 * REST_MS}) {
            long before = System.currentTimeMillis();
            session.rollback();
            Message again = consumer.receive(COMES_MS);
            assertThat(text(again)).isEqualTo("poison");
            assertThat(again.getJMSRedelivered()).isTrue();
            assertThat(System.currentTimeMillis() - before).isGreaterThanOrEqualTo(rest);
        }
        session.rollback();
        MessageConsumer dead = session.createConsumer(session.createQueue("DLQ"));
        assertThat(text(dead.receive(COMES_MS))).isEqualTo("poison");
        session.commit();
    }

    // ---- exclusive consumers

    @Test
    void anExclusiveQueueIsOneConsumersUntilItGoes() {
        try (JMSContext other = context()) {
            JMSContext first = context();
            Queue queue = first.createQueue("exclusive");
            JMSConsumer one = first.createConsumer(queue);
            JMSConsumer two = other.createConsumer(queue);
            for (int i = 0; i < 10; i++) {
                other.createProducer().send(queue, Integer.toString(i));
            }
            assertThat(take(one, 10)).containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
            assertThat(rest(two)).isEmpty();
            first.close();
            other.createProducer().send(queue, "next");
            assertThat(take(two, 1)).containsExactly("next");
        }
    }
}
