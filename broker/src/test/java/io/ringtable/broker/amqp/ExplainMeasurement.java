package io.ringtable.broker.amqp;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import io.ringtable.wire.Encoded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Measures by hand how long explaining takes beside many stored messages, on SQLite:
 * {@code -Dtest=ExplainMeasurement -Dringtable.measure.messages=10000000}.
 */
@EnabledIfSystemProperty(named = "ringtable.measure.messages", matches = "[0-9]+")
class ExplainMeasurement {
    private static final int BATCH = 1_000;
    private static final int UNDER_WAY = 16; // batches
    private static final int ASKED = 200;

    @TempDir(factory = OnDisk.class)
    Path directory;

    /** Keeps the store out of memory, where other tests have theirs. */
    static final class OnDisk implements TempDirFactory {
        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
            return Files.createTempDirectory(Files.createDirectories(Path.of("target")), "measure");
        }
    }

    @Test
    void explainingTakesThisLong() throws Exception {
        long messages = Long.getLong("ringtable.measure.messages");
        try (TestBroker broker = TestBroker.start(
                directory,
                TestSettings.of(
                        "ringtable.commit.quota-messages", 2 * messages, "ringtable.commit.quota-bytes", 1L << 40))) {
            Address queue = broker.shard()
                    .catalog()
                    .ensure("q", AddressKind.QUEUE)
                    .toCompletableFuture()
                    .get();
            long begun = System.nanoTime();
            publish(broker, queue, messages);
            print("published", messages, begun);
            List<Long> times = new ArrayList<>();
            for (int i = 0; i < ASKED; i++) {
                long sequence = i * (messages / ASKED);
                long asked = System.nanoTime();
                broker.inspector()
                        .explain(sequence, address -> {})
                        .toCompletableFuture()
                        .get();
                times.add(System.nanoTime() - asked);
            }
            times.sort(null);
            for (int percent : new int[] {0, 50, 99}) {
                print("explain, percentile " + percent + ",", 1, System.nanoTime() - times.get(ASKED * percent / 100));
            }
            print("explain, slowest", 1, System.nanoTime() - times.get(ASKED - 1));
            long why = System.nanoTime();
            broker.inspector()
                    .why(broker.shard().lookup().readerOf(queue))
                    .toCompletableFuture()
                    .get();
            print("why", 1, why);
        }
    }

    private static void publish(TestBroker broker, Address queue, long messages) throws Exception {
        byte[] encoded = Encoded.message(
                new Header().setDurable(true), new Properties().setSubject("s"), new AmqpValue<>("x".repeat(100)));
        Semaphore room = new Semaphore(UNDER_WAY);
        for (long at = 0; at < messages; at += BATCH) {
            room.acquire();
            if (!queue.quota().tryReserve(BATCH, (long) BATCH * encoded.length)) {
                throw new AssertionError("the queue is full");
            }
            List<Message> batch = new ArrayList<>(BATCH);
            for (int i = 0; i < BATCH; i++) {
                batch.add(new Message(queue, System.currentTimeMillis(), 4, 0, 0, encoded, 0));
            }
            submit(broker.shard().homeOf(queue).committer(), Work.publish(batch, released(room)));
        }
        room.acquire(UNDER_WAY);
    }

    private static void submit(CommitterMailbox committer, Work work) {
        if (!committer.trySubmit(work)) {
            committer.onRoom(() -> submit(committer, work));
        }
    }

    private static Completion released(Semaphore room) {
        return new Completion() {
            @Override
            public void accepted() {
                room.release();
            }

            @Override
            public void refused(Refusal refusal) {
                throw new AssertionError(refusal);
            }

            @Override
            public Mailbox mailbox() {
                return Mailbox.NONE;
            }
        };
    }

    private static void print(String what, long count, long since) {
        System.out.printf(
                "%s %,d in %,d \u00b5s%n", what, count, TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - since));
    }
}
