package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Engine;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jakarta Messaging 3.1 section 6.2.7: local transactions. */
class TransactionsTest extends OnEachEngine {

    TransactionsTest(Engine engine) {
        super(engine);
    }

    @Test
    void whatIsSentIsSeenAfterTheCommitAndNotBefore() throws Exception {
        Session session = connect().createSession(true, Session.SESSION_TRANSACTED);
        Queue first = session.createQueue("together.tx-first");
        Queue second = session.createQueue("together.tx-second");
        send(session, first, "a", "b");
        send(session, second, "c");
        assertThat(drain(first)).isEmpty();
        assertThat(drain(second)).isEmpty();
        session.commit();
        assertThat(drain(first)).containsExactly("a", "b");
        assertThat(drain(second)).containsExactly("c");
    }

    @Test
    void whatIsSentIsGoneAfterARollBack() throws Exception {
        Session session = connect().createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("tx-gone");
        send(session, queue, "never");
        session.rollback();
        send(session, queue, "kept");
        session.commit();
        assertThat(drain(queue)).containsExactly("kept");
    }

    @Test
    void whatWasReceivedComesAgainAfterARollBackInItsOrderAndCounted() throws Exception {
        Connection connection = connect();
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("tx-again");
        send(session, queue, "1", "2", "3", "4");
        session.commit();
        MessageConsumer consumer = session.createConsumer(queue);
        for (int attempt = 1; attempt <= 3; attempt++) {
            for (String expected : List.of("1", "2", "3")) {
                Message message = consumer.receive(COMES_MS);
                assertThat(text(message)).isEqualTo(expected);
                assertThat(message.getIntProperty("JMSXDeliveryCount")).isEqualTo(attempt);
                assertThat(message.getJMSRedelivered()).isEqualTo(attempt > 1);
            }
            session.rollback();
        }
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("1");
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("2");
        session.commit();
        consumer.close();
        assertThat(drain(queue)).containsExactly("3", "4");
    }

    @Test
    void aMessageInATransactionIsNobodyElses() throws Exception {
        Session session = connect().createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("tx-held");
        send(session, queue, "held", "free");
        session.commit();
        MessageConsumer consumer = session.createConsumer(queue);
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("held");
        consumer.close(); // what it prefetched goes back, what the transaction holds does not
        assertThat(drain(queue)).containsExactly("free");
        session.rollback();
        assertThat(drain(queue)).containsExactly("held");
    }

    @Test
    void aTransactionThatIsNotCommittedEndsWithItsConnection() throws Exception {
        Connection connection = connect();
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        Queue from = session.createQueue("together.tx-from");
        Queue to = session.createQueue("together.tx-to");
        send(session, from, "order");
        session.commit();
        assertThat(text(session.createConsumer(from).receive(COMES_MS))).isEqualTo("order");
        send(session, to, "invoice");
        connection.close();
        assertThat(drain(to)).isEmpty();
        Message again = connect().createSession().createConsumer(from).receive(COMES_MS);
        assertThat(text(again)).isEqualTo("order");
        assertThat(again.getJMSRedelivered()).isTrue();
    }

    @Test
    void queuesAndTopicsTakePartTogether() throws Exception {
        String topicName = "together.tx-topic";
        Connection subscriber = connect("client");
        Session reading = subscriber.createSession(true, Session.SESSION_TRANSACTED);
        Topic topic = reading.createTopic(topicName);
        MessageConsumer durable = reading.createDurableConsumer(topic, "sub");
        Session session = connect().createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("together.tx-queue");
        session.createProducer(topic).send(session.createTextMessage("to all"));
        send(session, queue, "to one");
        session.rollback();
        assertThat(durable.receiveNoWait()).isNull();
        session.createProducer(topic).send(session.createTextMessage("to all, committed"));
        send(session, queue, "to one, committed");
        session.commit();
        assertThat(text(durable.receive(COMES_MS))).isEqualTo("to all, committed");
        send(reading, queue, "seen");
        reading.commit();
        assertThat(drain(queue)).containsExactly("to one, committed", "seen");
        assertThat(durable.receiveNoWait()).isNull();
    }

    @Test
    void anAnonymousProducerTakesPart() throws Exception {
        try (JMSContext context = opened(JMSContext.SESSION_TRANSACTED)) {
            Queue first = context.createQueue("together.tx-any-1");
            Queue second = context.createQueue("together.tx-any-2");
            context.createProducer().send(first, "rolled back").send(second, "rolled back");
            context.rollback();
            context.createProducer().send(first, "1").send(second, "2");
            context.commit();
            assertThat(drain(first)).containsExactly("1");
            assertThat(drain(second)).containsExactly("2");
        }
    }

    @Test
    void twoThousandMessagesAreOneTransaction() throws Exception {
        Session session = connect().createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("tx-many");
        List<String> sent = new ArrayList<>();
        try (MessageProducer producer = session.createProducer(queue)) {
            for (int i = 0; i < 2_000; i++) {
                sent.add("message " + i);
                producer.send(session.createTextMessage("message " + i));
            }
        }
        assertThat(drain(queue)).isEmpty();
        session.commit();
        assertThat(drain(queue)).isEqualTo(sent);
    }

    @Test
    void largeMessagesTakePart() throws Exception {
        Session session = connect().createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("tx-large");
        String large = "x".repeat(3_000_000);
        send(session, queue, large, "small");
        session.rollback();
        send(session, queue, large, "small");
        session.commit();
        assertThat(drain(queue)).containsExactly(large, "small");
    }

    @Test
    void aMessageThatIsRolledBackTooOftenIsADeadLetter() throws Exception {
        Session session = connect().createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("tx-poison");
        send(session, queue, "poison", "good");
        session.commit();
        MessageConsumer consumer = session.createConsumer(queue);
        for (int attempt = 1; attempt <= 10; attempt++) {
            assertThat(text(consumer.receive(COMES_MS))).isEqualTo("poison");
            session.rollback();
        }
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("good");
        session.commit();
        assertThat(drain(session.createQueue("DLQ"))).contains("poison");
    }

    @Test
    void acknowledgedOutsideAndInsideTransactionsSideBySide() throws Exception {
        Connection connection = connect();
        Session plain = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = plain.createQueue("tx-beside");
        send(plain, queue, "1", "2");
        MessageConsumer inside = transacted.createConsumer(queue);
        assertThat(text(inside.receive(COMES_MS))).isEqualTo("1");
        transacted.rollback();
        inside.close();
        transacted.close();
        Message first = plain.createConsumer(queue).receive(COMES_MS);
        assertThat(text(first)).isEqualTo("1");
        first.acknowledge();
        plain.close();
        assertThat(drain(queue)).containsExactly("2");
    }
}
