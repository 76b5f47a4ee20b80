package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.inspect.MessageDraft;
import io.ringtable.broker.inspect.MessagePage;
import io.ringtable.broker.inspect.MessageQuery;
import io.ringtable.broker.inspect.MessageSummary;
import io.ringtable.broker.message.Address;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.StringNode;

/** A real broker, and a client of Qpid JMS with a queue of the test's name. */
@Timeout(120)
abstract class InspectScenario {
    static final long WAIT_MS = 60_000;

    @TempDir
    static Path directory;

    static TestBroker broker;

    Connection connection;
    Session session;
    String name; // of this test's queue

    @BeforeAll
    static void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of("ringtable.ring.capacity", 8_192, "ringtable.commit.batch-messages-max", 1_000));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void connect(TestInfo test) throws JMSException {
        name = test.getTestMethod().orElseThrow().getName();
        connection = broker.jms("jms.clientID=" + name).createConnection();
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    }

    @AfterEach
    void disconnect() throws JMSException {
        connection.close();
    }

    static Inspector inspector() {
        return broker.inspector();
    }

    static <T> T answer(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    final Subscription reader() {
        return broker.shard().lookup().readerOf(broker.shard().lookup().find(name));
    }

    final MessageProducer producer() throws JMSException {
        return session.createProducer(session.createQueue(name));
    }

    final void publish(String... texts) throws JMSException {
        MessageProducer producer = producer();
        for (String text : texts) {
            producer.send(session.createTextMessage(text));
        }
        producer.close();
    }

    final MessageQuery all() {
        return new MessageQuery(reader(), null, null, 0, Long.MAX_VALUE, 1_000, -1);
    }

    final List<MessageSummary> list(MessageQuery query) throws Exception {
        List<MessageSummary> items = new ArrayList<>();
        Long after = query.after();
        while (after != null) {
            MessagePage page = answer(inspector()
                    .browse(new MessageQuery(
                            query.subscription(),
                            query.selector(),
                            query.messageId(),
                            query.since(),
                            query.until(),
                            query.limit(),
                            after)));
            items.addAll(page.items());
            after = page.next();
        }
        return items;
    }

    final List<String> previews(MessageQuery query) throws Exception {
        return list(query).stream().map(MessageSummary::preview).toList();
    }

    static void permit(Address address) {
        assertThat(address).isNotNull();
    }

    static MessageDraft draft(String text) {
        return new MessageDraft(null, null, null, new StringNode(text), null);
    }
}
