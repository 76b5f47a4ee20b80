package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Sends;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.Queue;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Jakarta Messaging 3.1 section 3.8: selectors of consumers of queues; with a window of 16, so that most is read back.
 */
class QueueSelectorsTest extends OnEachEngine {

    QueueSelectorsTest(Engine engine) {
        super(engine);
    }

    @Override
    BrokerSettings settings(BrokerSettings settings) {
        return settings.usualWithSmallWindow();
    }

    private void sendNumbers(String queue, int from, int to) {
        try (JMSContext context = context()) {
            Sends sends = new Sends();
            JMSProducer producer = context.createProducer().setAsync(sends);
            for (int i = from; i < to; i++) {
                producer.setProperty("third", i % 3).send(context.createQueue(queue), Integer.toString(i));
            }
            sends.await(to - from);
        }
    }

    private static List<String> third(int which, int to) {
        return IntStream.range(0, to)
                .filter(i -> i % 3 == which)
                .mapToObj(Integer::toString)
                .toList();
    }

    @Test
    void eachConsumerGetsWhatItSelectsAndTheRestStays() {
        sendNumbers("thirds", 0, 1_200);
        try (JMSContext context = context();
                JMSContext other = context()) {
            Queue queue = context.createQueue("thirds");
            JMSConsumer none = context.createConsumer(queue, "third = 0");
            JMSConsumer one = other.createConsumer(queue, "third = 1");
            assertThat(take(one, 400)).as("while the other does not receive").isEqualTo(third(1, 1_200));
            assertThat(take(none, 400)).isEqualTo(third(0, 1_200));
            assertThat(rest(one)).isEmpty();
            assertThat(rest(none)).isEmpty();
        }
        try (JMSContext context = context()) {
            JMSConsumer rest = context.createConsumer(context.createQueue("thirds"));
            List<String> left = take(rest, 400);
            assertThat(left).isEqualTo(third(2, 1_200));
        }
    }

    @Test
    void whatASelectorCannotReckonWithIsNotWantedAndHarmsNobody() {
        try (JMSContext context = context()) {
            Queue queue = context.createQueue("remainders");
            JMSConsumer consumer = context.createConsumer(queue, "size % 5 = 1");
            JMSProducer producer = context.createProducer();
            producer.setProperty("size", "hello").send(queue, "text");
            producer.clearProperties().send(queue, "none");
            producer.setProperty("size", 6).send(queue, "six");
            assertThat(take(consumer, 1)).containsExactly("six");
            assertThat(rest(consumer)).isEmpty();
        }
        try (JMSContext context = context()) {
            assertThat(drain(context.createQueue("remainders"))).containsExactly("text", "none");
        }
    }

    @Test
    void aReplyIsFoundByItsCorrelationId() {
        try (JMSContext context = context()) {
            Queue replies = context.createQueue("replies");
            for (int i = 0; i < 100; i++) {
                context.createProducer().setJMSCorrelationID("request-" + i).send(replies, "reply " + i);
            }
            for (int i : new int[] {99, 0, 50}) {
                try (JMSConsumer consumer = context.createConsumer(replies, "JMSCorrelationID = 'request-" + i + "'")) {
                    assertThat(consumer.receiveBody(String.class, COMES_MS)).isEqualTo("reply " + i);
                }
            }
            assertThat(drain(replies)).hasSize(97);
        }
    }

    @Test
    void aTemporaryQueueObeysThemToo() {
        try (JMSContext context = context()) {
            Queue queue = context.createTemporaryQueue();
            JMSConsumer urgent = context.createConsumer(queue, "JMSPriority > 5");
            JMSConsumer normal = context.createConsumer(queue, "JMSPriority <= 5");
            context.createProducer().setPriority(4).send(queue, "normal");
            context.createProducer().setPriority(9).send(queue, "urgent");
            assertThat(take(urgent, 1)).containsExactly("urgent");
            assertThat(take(normal, 1)).containsExactly("normal");
        }
    }
}
