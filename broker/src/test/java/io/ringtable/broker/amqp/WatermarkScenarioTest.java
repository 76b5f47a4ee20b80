package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.watermark.Watermarks;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Publishers are held back before the broker runs out of something; consumers are not. */
@Timeout(120)
class WatermarkScenarioTest {
    private static final int CREDIT = 10;

    @TempDir
    private Path directory;

    private final AtomicReference<String> shortage = new AtomicReference<>();
    private final Watermarks watermarks = new Watermarks(List.of(wasShort -> shortage.get()));

    @Test
    void publishersWaitWhileSomethingIsShortAndConsumersGoOn() throws Exception {
        AtomicInteger accepted = new AtomicInteger();
        try (TestBroker broker =
                        TestBroker.start(directory, TestSettings.of("ringtable.amqp.link-credit", CREDIT), watermarks);
                Connection connection = broker.jms().createConnection();
                JMSContext reader = broker.jms().createContext()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("held");
            MessageProducer producer = session.createProducer(queue);
            producer.send(session.createTextMessage("before"));
            reader.createProducer().send(reader.createQueue("other"), "the anonymous link has credit now");
            shortage.set("the heap is full, says the test");
            watermarks.look();
            Thread publisher = new Thread(() -> publish(session, producer, 3 * CREDIT, accepted));
            publisher.start();

            assertThatThrownBy(() -> reader.createProducer().send(queue, "anonymous"))
                    .hasMessageContaining("RT-4342 publishers are held back: the heap is full");
            assertThat(reader.createConsumer(queue).receiveBody(String.class, 60_000))
                    .isEqualTo("before");
            assertThat(accepted.get()).as("accepted without new credit").isLessThanOrEqualTo(CREDIT);

            shortage.set(null);
            watermarks.look();
            Awaitility.await().until(() -> accepted.get() == 3 * CREDIT);
            reader.createProducer().send(queue, "goes");
        }
    }

    private static void publish(Session session, MessageProducer producer, int count, AtomicInteger accepted) {
        try {
            for (int i = 0; i < count; i++) {
                producer.send(session.createTextMessage("m" + i), new CompletionListener() {
                    @Override
                    public void onCompletion(Message message) {
                        accepted.incrementAndGet();
                    }

                    @Override
                    public void onException(Message message, Exception exception) {
                        throw new AssertionError(exception);
                    }
                });
            }
        } catch (jakarta.jms.JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aGroupIdThatIsTooLongIsRefusedByName() throws Exception {
        try (TestBroker broker = TestBroker.start(directory);
                Connection connection = broker.jms().createConnection()) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue("grouped"));
            Message message = session.createTextMessage("x");
            message.setStringProperty("JMSXGroupID", "g".repeat(1_025));
            assertThatThrownBy(() -> producer.send(message)).hasMessageContaining("RT-4341 its group-id");
            message.setStringProperty("JMSXGroupID", "g".repeat(1_024));
            producer.send(message);
        }
    }
}
