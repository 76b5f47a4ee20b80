package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Sends;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jakarta Messaging 3.1 section 4.3: who browses a queue sees what is ready in it and changes nothing. */
class BrowserTest extends OnEachEngine {

    BrowserTest(Engine engine) {
        super(engine);
    }

    @Override
    BrokerSettings settings(BrokerSettings settings) {
        return settings.usualWithSmallWindow();
    }

    static List<String> browse(JMSContext context, Queue queue, String selector) throws JMSException {
        List<String> seen = new ArrayList<>();
        try (QueueBrowser browser =
                selector == null ? context.createBrowser(queue) : context.createBrowser(queue, selector)) {
            for (Enumeration<?> each = browser.getEnumeration(); each.hasMoreElements(); ) {
                seen.add(text((Message) each.nextElement()));
            }
        }
        return seen;
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }

    @Test
    void everythingThatIsReadyIsSeenInOrderAndStays() throws JMSException {
        try (JMSContext context = context()) {
            Queue queue = context.createQueue("browsed");
            assertThat(browse(context, queue, null)).isEmpty();
            Sends sends = new Sends();
            JMSProducer producer = context.createProducer().setAsync(sends);
            numbers(0, 2_000).forEach(text -> producer.send(queue, text));
            sends.await(2_000);
            context.createProducer().setPriority(9).send(queue, "urgent");
            context.createProducer().setDeliveryDelay(600_000).send(queue, "later");

            List<String> expected = new ArrayList<>(List.of("urgent"));
            expected.addAll(numbers(0, 2_000));
            assertThat(browse(context, queue, null)).isEqualTo(expected);
            assertThat(browse(context, queue, null)).as("nothing has changed").isEqualTo(expected);
            assertThat(browse(context, queue, "JMSPriority = 9")).containsExactly("urgent");

            JMSConsumer consumer = context.createConsumer(queue);
            Message first = consumer.receive(COMES_MS);
            assertThat(text(first)).isEqualTo("urgent");
            assertThat(first.getJMSRedelivered()).isFalse();
        }
    }

    @Test
    void whatAnotherHasIsNotReady() throws JMSException {
        Connection connection = connect();
        Session session = connection.createSession(Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("held");
        send(session, queue, "a", "b");
        session.commit();
        try (JMSContext context = context()) {
            assertThat(browse(context, queue, null)).containsExactly("a", "b");
            MessageConsumer other = session.createConsumer(queue);
            for (String each : List.of("a", "b")) {
                assertThat(text(other.receive(COMES_MS))).isEqualTo(each);
            }
            assertThat(browse(context, queue, null))
                    .as("both are with the other client")
                    .isEmpty();
            connection.close();
            assertThat(browse(context, queue, null)).containsExactly("a", "b");
        }
    }

    @Test
    void aTemporaryQueueIsBrowsedByItsConnection() throws JMSException {
        try (JMSContext context = context()) {
            Queue queue = context.createTemporaryQueue();
            context.createProducer().send(queue, "a");
            context.createProducer().send(queue, "b");
            assertThat(browse(context, queue, null)).containsExactly("a", "b");
            assertThat(take(context.createConsumer(queue), 2)).containsExactly("a", "b");
        }
    }
}
