package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** The audit log takes its time, and the shard does not wait for it. */
@Timeout(120)
class SlowAuditScenarioTest {
    private static final long WAIT_MS = 60_000;

    @TempDir
    private Path directory;

    /** A log whose device stands still. */
    private static final class StillLog extends UnsynchronizedAppenderBase<ILoggingEvent> {
        private final List<String> threads = new CopyOnWriteArrayList<>();
        private final CountDownLatch writing = new CountDownLatch(1);
        private final CountDownLatch moves = new CountDownLatch(1);

        @Override
        protected void append(ILoggingEvent line) {
            threads.add(Thread.currentThread().getName());
            writing.countDown();
            try {
                moves.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static CompletableFuture<ManagementAnswer> ask(
            TestBroker broker, String method, String path, Map<String, ?> body) {
        JsonNode json = body == null ? null : ManagementJson.MAPPER.valueToTree(body);
        Caller caller = new Caller(Identity.ANONYMOUS, "http", "192.0.2.7");
        return broker.management()
                .handle(new ManagementRequest(method, path, Map.of(), json, caller))
                .toCompletableFuture();
    }

    private static int status(CompletableFuture<ManagementAnswer> answer) throws Exception {
        return answer.get(WAIT_MS, TimeUnit.MILLISECONDS).status();
    }

    private static String sequenceOfFirst(TestBroker broker, String queue) throws Exception {
        ManagementAnswer list =
                ask(broker, "GET", "/addresses/" + queue + "/messages", null).get(WAIT_MS, TimeUnit.MILLISECONDS);
        JsonNode items =
                ManagementJson.MAPPER.<JsonNode>valueToTree(list.body()).path("items");
        return items.path(0).path("sequence").asString("");
    }

    @Test
    void aChangeWaitsForItsLineAndNobodyElseDoes() throws Exception {
        Logger auditLog = (Logger) LoggerFactory.getLogger("ringtable.audit");
        StillLog log = new StillLog();
        log.start();
        auditLog.setLevel(Level.INFO);
        auditLog.addAppender(log);
        try (TestBroker broker = TestBroker.start(directory);
                JMSContext context = broker.jms().createContext()) {
            Queue queue = context.createQueue("orders");
            context.createProducer().send(queue, "removed");
            String sequence = sequenceOfFirst(broker, "orders");

            // The committer completes both.
            CompletableFuture<ManagementAnswer> made = ask(broker, "PUT", "/addresses/made", Map.of("kind", "QUEUE"));
            CompletableFuture<ManagementAnswer> removed = ask(broker, "DELETE", "/messages/" + sequence, null);
            assertThat(log.writing.await(WAIT_MS, TimeUnit.MILLISECONDS)).isTrue();
            await().until(() -> sequenceOfFirst(broker, "orders").isEmpty()); // it is removed, though nobody is told

            context.createProducer().send(queue, "committed");
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("committed");
            }
            assertThat(status(ask(broker, "GET", "/addresses/orders", null))).isEqualTo(200);
            assertThat(made).isNotDone();
            assertThat(removed).isNotDone();

            log.moves.countDown();
            assertThat(status(made)).isEqualTo(201);
            assertThat(status(removed)).isEqualTo(200);
            assertThat(log.threads).hasSize(2).containsOnly("audit");
        } finally {
            log.moves.countDown();
            auditLog.detachAppender(log);
            auditLog.setLevel(null);
        }
    }
}
