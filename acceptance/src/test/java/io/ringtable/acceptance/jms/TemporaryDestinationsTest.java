package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.TextMessage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Temporary queues and topics, request and reply: Jakarta Messaging 3.1 sections 6.2.2 and 6.8. */
class TemporaryDestinationsTest extends OnEachEngine {
    private static final List<String> TWENTY = Jms.bodies(20);

    TemporaryDestinationsTest(Engine engine) {
        super(engine);
    }

    @Test
    void aRequestIsRepliedToFromAnotherConnectionByAnAnonymousProducer() throws JMSException {
        try (JMSContext server = context();
                JMSContext replier = context();
                JMSContext requester = context()) {
            server.createConsumer(server.createQueue("requests-1")).setMessageListener(request -> {
                try {
                    TextMessage reply = replier.createTextMessage("re: " + request.getBody(String.class));
                    reply.setJMSCorrelationID(request.getJMSMessageID());
                    replier.createProducer().send(request.getJMSReplyTo(), reply);
                } catch (JMSException e) {
                    throw new IllegalStateException(e);
                }
            });
            TemporaryQueue replies = requester.createTemporaryQueue();
            JMSConsumer answers = requester.createConsumer(replies);
            for (String text : TWENTY) {
                Message request = requester.createTextMessage(text);
                request.setJMSReplyTo(replies);
                requester.createProducer().send(requester.createQueue("requests-1"), request);
                Message reply = answers.receive(COMES_MS);
                assertThat(reply.getBody(String.class)).isEqualTo("re: " + text);
                assertThat(reply.getJMSCorrelationID()).isEqualTo(request.getJMSMessageID());
                assertThat(reply.getJMSDestination()).isEqualTo(replies);
            }
        }
    }

    @Test
    void aRequestIsRepliedToByAProducerOfItsOwnAlsoBeforeAnybodyReceives() throws JMSException {
        try (Connection requester = Jms.factory(broker().amqpUrl()).createConnection()) {
            requester.start();
            Session making = requester.createSession();
            TemporaryQueue replies = making.createTemporaryQueue();
            making.close(); // it is the connection's, not the session's
            Session asking = requester.createSession();
            Message request = asking.createTextMessage("all twenty");
            request.setJMSReplyTo(replies);
            asking.createProducer(asking.createQueue("requests-2")).send(request);
            serve("requests-2");
            try (var consumer = asking.createConsumer(replies)) {
                for (String text : TWENTY) {
                    assertThat(consumer.receive(COMES_MS).getBody(String.class)).isEqualTo(text);
                }
                assertThat(consumer.receiveNoWait()).isNull();
            }
        }
    }

    private void serve(String requests) throws JMSException {
        try (Connection server = Jms.factory(broker().amqpUrl()).createConnection()) {
            server.start();
            Session serving = server.createSession();
            Destination whereTo = serving.createConsumer(serving.createQueue(requests))
                    .receive(COMES_MS)
                    .getJMSReplyTo();
            assertThat(whereTo).isInstanceOf(TemporaryQueue.class);
            MessageProducer producer = serving.createProducer(whereTo);
            for (String text : TWENTY) {
                producer.send(serving.createTextMessage(text));
            }
        }
    }

    @Test
    void aTemporaryTopicGivesEachOfItsConsumersEverything() throws JMSException {
        try (JMSContext owner = context();
                JMSContext other = context()) {
            TemporaryTopic topic = owner.createTemporaryTopic();
            JMSConsumer first = owner.createConsumer(topic);
            JMSConsumer second = owner.createConsumer(topic);
            JMSConsumer shared = owner.createSharedConsumer(topic, "s");
            Destination asOthersSeeIt = asOthersSeeIt(owner, other, topic, "topic-3");
            assertThat(asOthersSeeIt).isInstanceOf(TemporaryTopic.class);
            TWENTY.forEach(text -> other.createProducer().send(asOthersSeeIt, text));
            assertThat(take(first, 20)).isEqualTo(TWENTY);
            assertThat(take(second, 20)).isEqualTo(TWENTY);
            assertThat(take(shared, 20)).isEqualTo(TWENTY);
        }
    }

    @Test
    void aTemporaryQueueTakesPartInTransactions() throws JMSException {
        try (JMSContext owner = opened(JMSContext.SESSION_TRANSACTED);
                JMSContext other = opened(JMSContext.SESSION_TRANSACTED)) {
            TemporaryQueue queue = owner.createTemporaryQueue();
            JMSConsumer consumer = owner.createConsumer(queue);
            Message request = owner.createMessage();
            request.setJMSReplyTo(queue);
            owner.createProducer().send(owner.createQueue("requests-8"), request);
            owner.commit();
            Destination whereTo = other.createConsumer(other.createQueue("requests-8"))
                    .receive(COMES_MS)
                    .getJMSReplyTo();
            other.createProducer().send(whereTo, "reply");
            assertThat(consumer.receiveNoWait()).isNull();
            other.commit();
            assertThat(take(consumer, 1)).containsExactly("reply");
            owner.rollback();
            Message again = consumer.receive(COMES_MS);
            assertThat(again.getJMSRedelivered()).isTrue();
            owner.commit();
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }

    @Test
    void onlyItsOwnConnectionReceivesAndNothingDurable() throws JMSException {
        try (JMSContext owner = client("owner-4-" + System.nanoTime());
                JMSContext other = context()) {
            TemporaryQueue queue = owner.createTemporaryQueue();
            TemporaryTopic topic = owner.createTemporaryTopic();
            Queue byName = other.createQueue(queue.getQueueName());
            assertThatThrownBy(() -> other.createConsumer(byName))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("RT-4065");
            assertThatThrownBy(() -> other.createConsumer(asOthersSeeIt(owner, other, queue, "queue-4")))
                    .isInstanceOf(JMSRuntimeException.class);
            assertThatThrownBy(
                            () -> owner.createDurableConsumer(owner.createTopic(topic.getTopicName()), "not possible"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("RT-2021");
        }
    }

    @Test
    void aDeletedQueueIsGoneForEverybodyAndNoSenderBringsItBack() throws JMSException {
        try (JMSContext owner = context();
                Connection connection = Jms.factory(broker().amqpUrl()).createConnection();
                JMSContext other = context()) {
            TemporaryQueue queue = owner.createTemporaryQueue();
            Destination asOthersSeeIt = asOthersSeeIt(owner, other, queue, "queue-5");
            Session session = connection.createSession();
            MessageProducer attached = session.createProducer(asOthersSeeIt);
            attached.send(session.createTextMessage("in time"));
            JMSConsumer consumer = owner.createConsumer(queue);
            assertThat(take(consumer, 1)).containsExactly("in time");
            assertThatThrownBy(queue::delete).as("it has a consumer").isInstanceOf(JMSException.class);
            consumer.close();
            queue.delete();
            assertThatThrownBy(() -> attached.send(session.createTextMessage("too late")))
                    .isInstanceOf(InvalidDestinationException.class);
            isGone(other, session, asOthersSeeIt, queue.getQueueName());
        }
    }

    @Test
    void itEndsWithItsConnection() throws JMSException {
        try (Connection connection = Jms.factory(broker().amqpUrl()).createConnection();
                JMSContext other = context()) {
            JMSContext owner = context();
            TemporaryQueue queue = owner.createTemporaryQueue();
            Destination asOthersSeeIt = asOthersSeeIt(owner, other, queue, "queue-6");
            other.createProducer().send(asOthersSeeIt, "in time");
            owner.close();
            isGone(other, connection.createSession(), asOthersSeeIt, queue.getQueueName());
        }
    }

    /** A destination that came with a message from its owner's connection. */
    static Destination asOthersSeeIt(JMSContext owner, JMSContext other, Destination its, String queue)
            throws JMSException {
        Message request = owner.createMessage();
        request.setJMSReplyTo(its);
        owner.createProducer().send(owner.createQueue(queue), request);
        try (JMSConsumer consumer = other.createConsumer(other.createQueue(queue))) {
            return consumer.receive(COMES_MS).getJMSReplyTo();
        }
    }

    static void isGone(JMSContext anonymous, Session session, Destination gone, String name) throws JMSException {
        assertThatThrownBy(() -> anonymous.createProducer().send(gone, "too late"))
                .isInstanceOf(InvalidDestinationRuntimeException.class);
        assertThatThrownBy(() -> session.createProducer(gone)).isInstanceOf(InvalidDestinationException.class);
        Queue plain = session.createQueue(name);
        assertThatThrownBy(() -> session.createProducer(plain)).isInstanceOf(InvalidDestinationException.class);
        assertThatThrownBy(() -> anonymous.createProducer().send(plain, "too late"))
                .isInstanceOf(InvalidDestinationRuntimeException.class);
    }
}
