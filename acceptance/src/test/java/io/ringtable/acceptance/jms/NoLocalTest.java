package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Engine;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.List;
import org.junit.jupiter.api.Test;

/** No-local on topics: Jakarta Messaging 3.1 sections 8.3.1 and 8.3.3. */
class NoLocalTest extends OnEachEngine {

    NoLocalTest(Engine engine) {
        super(engine);
    }

    private static void publish(JMSContext context, String topic, String text) {
        context.createProducer().send(context.createTopic(topic), text);
    }

    @Test
    void aConsumerGetsWhatOtherConnectionsPublish() {
        try (JMSContext own = context();
                JMSContext sameConnection = own.createContext(JMSContext.AUTO_ACKNOWLEDGE);
                JMSContext other = context()) {
            Topic topic = own.createTopic("alone");
            JMSConsumer foreign = own.createConsumer(topic, null, true);
            JMSConsumer everything = own.createConsumer(topic);
            JMSConsumer others = other.createConsumer(topic, null, true);
            publish(own, "alone", "own");
            publish(sameConnection, "alone", "own of another session");
            publish(other, "alone", "another's");
            assertThat(take(everything, 3)).containsExactly("own", "own of another session", "another's");
            assertThat(take(foreign, 1)).containsExactly("another's");
            assertThat(take(others, 2)).containsExactly("own", "own of another session");
            assertThat(rest(foreign)).isEmpty();
            assertThat(rest(others)).isEmpty();
        }
    }

    @Test
    void anotherNoLocalReplacesADurableSubscription() {
        try (JMSContext client = client("replaced-local")) {
            Topic topic = client.createTopic("replaced-local");
            client.createDurableConsumer(topic, "s").close();
            publish("replaced-local", List.of("owed to the one before"));
            JMSConsumer foreign = client.createDurableConsumer(topic, "s", null, true);
            publish(client, "replaced-local", "own");
            publish("replaced-local", List.of("another's"));
            assertThat(take(foreign, 1)).containsExactly("another's");
            assertThat(rest(foreign)).isEmpty();
            foreign.close();
            JMSConsumer everything = client.createDurableConsumer(topic, "s", null, false);
            publish(client, "replaced-local", "own again");
            assertThat(take(everything, 1)).containsExactly("own again");
        }
    }

    @Test
    void aSelectorIsObeyedBesideIt() throws JMSException {
        Session session = connect("selected").createSession();
        Topic topic = session.createTopic("selected");
        MessageConsumer consumer = session.createDurableSubscriber(topic, "s", "number > 1", true);
        send(session, topic, 1, 2);
        try (JMSContext other = context()) {
            for (int number = 1; number <= 3; number++) {
                other.createProducer().setProperty("number", number).send(topic, "another's " + number);
            }
        }
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("another's 2");
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("another's 3");
        assertThat(consumer.receiveNoWait()).isNull();
    }

    @Test
    void whatATransactionPublishesIsItsConnections() throws JMSException {
        Connection connection = connect();
        Session transacted = connection.createSession(Session.SESSION_TRANSACTED);
        Topic topic = transacted.createTopic("transacted");
        Session reading = connection.createSession();
        MessageConsumer consumer = reading.createConsumer(topic, null, true);
        send(transacted, topic, 1, 2);
        transacted.commit();
        Session others = connect().createSession(Session.SESSION_TRANSACTED);
        send(others, topic, 3);
        others.commit();
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("number 3");
        assertThat(consumer.receiveNoWait()).isNull();
    }

    private static void send(Session session, Topic topic, int... numbers) throws JMSException {
        try (MessageProducer producer = session.createProducer(topic)) {
            for (int number : numbers) {
                var message = session.createTextMessage("number " + number);
                message.setIntProperty("number", number);
                producer.send(message);
            }
        }
    }

    @Test
    void temporaryTopicsHaveItToo() throws JMSException {
        try (JMSContext own = context();
                JMSContext other = context()) {
            Topic topic = own.createTemporaryTopic();
            JMSConsumer foreign = own.createConsumer(topic, null, true);
            own.createProducer().send(topic, "own");
            publish(other, topic.getTopicName(), "another's");
            assertThat(take(foreign, 1)).containsExactly("another's");
            assertThat(rest(foreign)).isEmpty();
        }
    }

    @Test
    void aQueueGivesItsConsumerWhateverIsOnIt() {
        try (JMSContext own = context()) {
            JMSConsumer consumer = own.createConsumer(own.createQueue("local-queue"), null, true);
            own.createProducer().send(own.createQueue("local-queue"), "own");
            assertThat(take(consumer, 1)).containsExactly("own");
        }
    }
}
