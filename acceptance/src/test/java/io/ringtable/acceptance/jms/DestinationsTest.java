package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.RawAmqp;
import io.ringtable.client.Address;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.RingtableException;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.Topic;
import java.time.Duration;
import java.util.List;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.junit.jupiter.api.Test;

/**
 * Names destinations that do not exist (Jakarta Messaging 3.1 sections 6.2.3 and 10.3). The broker creates on use only
 * what patterns allow and the configuration names.
 */
class DestinationsTest extends OnEachEngine {

    DestinationsTest(Engine engine) {
        super(engine);
    }

    @Override
    BrokerSettings settings(BrokerSettings defaults) {
        return defaults.with("ringtable.dispatch.auto-create", "none")
                .with("ringtable.queues", "declared.queue,declared.queue.too")
                .with("ringtable.topics[0]", "declared.topic")
                .with("ringtable.dispatch.addresses[0].match", "orders.#")
                .with("ringtable.dispatch.addresses[0].auto-create", "queue")
                .with("ringtable.dispatch.addresses[0].deliveries-max", 1)
                .with("ringtable.dispatch.addresses[1].match", "events.#")
                .with("ringtable.dispatch.addresses[1].auto-create", "any")
                .with("ringtable.dispatch.addresses[1].default-kind", "topic");
    }

    @Test
    void oneThatIsNotThereIsInvalidForProducersAndConsumers() throws JMSException {
        Session session = connect().createSession();
        isInvalid(session, session.createQueue("gone"), "auto-create=none of ringtable.dispatch ");
        isInvalid(session, session.createTopic("gone"), "declare it in ringtable.topics");
    }

    @Test
    void aPatternSaysWhatIsMadeOnUse() throws JMSException {
        Session session = connect().createSession();
        isInvalid(
                session,
                session.createTopic("orders.eu"),
                "auto-create=queue of ringtable.dispatch.addresses 'orders.#'",
                "name a queue");
        Queue queue = session.createQueue("orders.eu");
        send(session, queue, "made");
        assertThat(drain(queue)).containsExactly("made");
        MessageConsumer events = session.createConsumer(session.createTopic("events.eu"));
        session.createProducer(null).send(session.createTopic("events.eu"), session.createTextMessage("made too"));
        assertThat(text(events.receive(COMES_MS))).isEqualTo("made too");
        send(session, session.createQueue("events.queue"), "and as a queue");
    }

    @Test
    void whatTheConfigurationNamesIsThereAsWhatItIs() throws JMSException {
        Session session = connect().createSession();
        for (String name : List.of("declared.queue", "declared.queue.too")) {
            send(session, session.createQueue(name), name);
            assertThat(drain(session.createQueue(name))).containsExactly(name);
        }
        Topic topic = session.createTopic("declared.topic");
        MessageConsumer consumer = session.createConsumer(topic);
        session.createProducer(topic).send(session.createTextMessage("news"));
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("news");
        assertThatThrownBy(() -> session.createProducer(session.createQueue("declared.topic")))
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("RT-2011");
    }

    @Test
    void theDeadLetterQueueIsMadeWhenItIsNeeded() throws JMSException {
        Session session = connect().createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("orders.poison");
        send(session, queue, "poison");
        session.commit();
        assertThat(text(session.createConsumer(queue).receive(COMES_MS))).isEqualTo("poison");
        session.rollback();
        MessageConsumer dead = session.createConsumer(session.createQueue("DLQ"));
        assertThat(text(dead.receive(COMES_MS))).isEqualTo("poison");
        session.commit();
    }

    @Test
    void whereAClientDoesNotSayWhatItMeansTheDefaultKindIsMade() throws JMSException {
        try (RawAmqp client = RawAmqp.socket(broker().amqpPort()).open("says-nothing")) {
            client.attachSender(0, new Target().setAddress("events.unsaid"));
            client.attachSender(1, new Target().setAddress("orders.unsaid"));
        }
        Session session = connect().createSession();
        session.createProducer(session.createTopic("events.unsaid"));
        session.createProducer(session.createQueue("orders.unsaid"));
        assertThatThrownBy(() -> session.createProducer(session.createQueue("events.unsaid")))
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("RT-2011");
    }

    @Test
    void oneThatWasDeletedIsInvalidForAProducerThatIsThereAndMadeAnewForAnother() throws JMSException {
        Session session = connect("deleting").createSession();
        Queue queue = session.createQueue("orders.deleted");
        Topic topic = session.createTopic("events.deleted");
        MessageProducer toQueue = session.createProducer(queue);
        MessageProducer toTopic = session.createProducer(topic);
        MessageConsumer durable = session.createDurableConsumer(topic, "durable");
        toQueue.send(session.createTextMessage("owed"));
        toTopic.send(session.createTextMessage("owed"));
        durable.close();
        try (RingtableClient operator = RingtableClient.connect(broker().amqpUrl())) {
            assertThatThrownBy(() -> operator.delete(Address.queue("orders.deleted")))
                    .hasMessageContaining("RT-4069")
                    .hasMessageContaining("links: 1");
            operator.deleteEvenIfUsed(Address.queue("orders.deleted"));
            operator.deleteEvenIfUsed(Address.topic("events.deleted"));
        }
        for (MessageProducer producer : List.of(toQueue, toTopic)) {
            assertThatThrownBy(() -> producer.send(session.createTextMessage("too late")))
                    .isInstanceOf(InvalidDestinationException.class)
                    .hasMessageContaining("RT-2010");
        }
        assertThatThrownBy(() -> session.unsubscribe("durable")).isInstanceOf(InvalidDestinationException.class);
        send(session, queue, "anew");
        assertThat(drain(queue)).containsExactly("anew");
        toQueue.close();
        try (RingtableClient operator = RingtableClient.connect(broker().amqpUrl())) {
            await("the last acknowledgment is durable")
                    .atMost(Duration.ofMillis(COMES_MS))
                    .ignoreExceptionsInstanceOf(RingtableException.class)
                    .until(() -> {
                        operator.delete(Address.queue("orders.deleted"));
                        return true;
                    });
        }
    }

    @Test
    void temporaryOnesAreMadeAllTheSame() throws JMSException {
        Session session = connect().createSession();
        TemporaryQueue queue = session.createTemporaryQueue();
        MessageConsumer consumer = session.createConsumer(queue);
        send(session, queue, "here");
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("here");
    }

    /** For a producer, a consumer and a producer without a destination. */
    private static void isInvalid(Session session, Destination destination, String... why) throws JMSException {
        MessageProducer anonymous = session.createProducer(null);
        Message message = session.createMessage();
        assertThatThrownBy(() -> session.createProducer(destination))
                .isInstanceOf(InvalidDestinationException.class)
                .hasMessageContaining("RT-2012")
                .hasMessageContainingAll(why);
        assertThatThrownBy(() -> session.createConsumer(destination))
                .isInstanceOf(InvalidDestinationException.class)
                .hasMessageContaining("RT-2012")
                .hasMessageContainingAll(why);
        assertThatThrownBy(() -> anonymous.send(destination, message))
                .isInstanceOf(InvalidDestinationException.class)
                .hasMessageContaining("RT-2012")
                .hasMessageContainingAll(why);
    }
}
