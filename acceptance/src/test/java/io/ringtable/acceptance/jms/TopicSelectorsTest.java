package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.Sends;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Topic;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;

/** Jakarta Messaging 3.1 section 3.8: selectors of subscriptions of topics. */
class TopicSelectorsTest extends OnEachEngine {

    TopicSelectorsTest(Engine engine) {
        super(engine);
    }

    private void publishNumbers(String topic, int from, int to) {
        try (JMSContext context = context()) {
            Sends sends = new Sends();
            JMSProducer producer = context.createProducer().setAsync(sends);
            for (int i = from; i < to; i++) {
                producer.setProperty("number", i).setProperty("parity", i % 2 == 0 ? "even" : "odd");
                producer.send(context.createTopic(topic), Integer.toString(i));
            }
            sends.await(to - from);
        }
    }

    @Test
    void eachSubscriptionOfWhateverKindGetsWhatItWants() {
        try (JMSContext client = client("kinds");
                JMSContext other = context()) {
            Topic topic = client.createTopic("kinds");
            JMSConsumer durable = client.createDurableConsumer(topic, "durable", "parity = 'even'", false);
            JMSConsumer shared = client.createSharedDurableConsumer(topic, "shared", "number >= 8");
            JMSConsumer volatileOne = other.createConsumer(topic, "number = 1 OR number = 3");
            JMSConsumer volatileShared = other.createSharedConsumer(topic, "vs", "parity LIKE 'o%' AND number < 4");
            JMSConsumer everything = other.createConsumer(topic);
            publishNumbers("kinds", 0, 10);
            assertThat(take(everything, 10)).hasSize(10);
            assertThat(take(durable, 5)).containsExactly("0", "2", "4", "6", "8");
            assertThat(take(shared, 2)).containsExactly("8", "9");
            assertThat(take(volatileOne, 2)).containsExactly("1", "3");
            assertThat(take(volatileShared, 2)).containsExactly("1", "3");
            assertThat(rest(durable)).isEmpty();
            assertThat(rest(shared)).isEmpty();
            assertThat(rest(volatileOne)).isEmpty();
            assertThat(rest(volatileShared)).isEmpty();
        }
    }

    @Test
    void anotherSelectorReplacesTheSubscription() {
        try (JMSContext client = client("replaced")) {
            Topic topic = client.createTopic("replaced");
            client.createDurableConsumer(topic, "s", "parity = 'odd'", false).close();
            publishNumbers("replaced", 0, 4);
            JMSConsumer consumer = client.createDurableConsumer(topic, "s", "parity = 'even'", false);
            publishNumbers("replaced", 4, 8);
            assertThat(take(consumer, 2)).containsExactly("4", "6");
            assertThat(rest(consumer)).isEmpty();
        }
    }

    @Test
    void aMessageThatNobodyWantsTakesNoPlace() {
        try (JMSContext client = client("nobody")) {
            Topic topic = client.createTopic("nobody");
            JMSConsumer consumer = client.createDurableConsumer(topic, "s", "number = 1", false);
            publishNumbers("nobody", 2, 500);
            publishNumbers("nobody", 1, 2);
            assertThat(broker().http("/api/v1/subscriptions?address=nobody").body())
                    .contains("\"name\":\"s\"")
                    .containsPattern("\"owed\":[012],"); // the two are on their way
            assertThat(take(consumer, 1)).containsExactly("1");
            assertThat(rest(consumer)).isEmpty();
        }
    }

    @Test
    void whatASelectorCannotReckonWithIsNotWantedAndHarmsNobody() {
        try (JMSContext context = context()) {
            Topic topic = context.createTopic("remainders");
            JMSConsumer consumer = context.createConsumer(topic, "-size < 5");
            JMSConsumer everything = context.createConsumer(topic);
            context.createProducer().setProperty("size", "hello").send(topic, "text");
            context.createProducer().setProperty("size", 6).send(topic, "six");
            assertThat(take(everything, 2)).containsExactly("text", "six");
            assertThat(take(consumer, 1)).containsExactly("six");
        }
    }

    @Test
    void whatIsNoSelectorIsRefusedByTheBrokerIfTheClientLetsItPass() {
        JmsConnectionFactory unchecked = Jms.factory(broker().amqpUrl());
        unchecked.setValidateSelector(false);
        try (JMSContext context = unchecked.createContext()) {
            Topic topic = context.createTopic("invalid");
            assertThatThrownBy(() -> context.createConsumer(topic, "number = = 1"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("RT-4064")
                    .hasMessageContaining("column 10");
        }
    }
}
