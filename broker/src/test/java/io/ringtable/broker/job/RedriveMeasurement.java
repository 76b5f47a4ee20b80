package io.ringtable.broker.job;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.amqp.encoding.AmqpMessageFormat;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.job.JobRequest.Action;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.watermark.Watermarks;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import io.ringtable.wire.Encoded;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.awaitility.Awaitility;

/**
 * Measures a redrive, by hand and beside no other load: {@code RedriveMeasurement sqlite|postgresql [LETTERS]}. The
 * letters have bodies of 500 bytes. Prints how long the redrive took, and the most heap that was in use.
 */
final class RedriveMeasurement {
    private static final int BODY_BYTES = 500;
    private static final int ON_THEIR_WAY = 4_096;

    private RedriveMeasurement() {}

    public static void main(String[] arguments) throws Exception {
        int letters = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
        Path directory = Files.createTempDirectory("redrive");
        if (arguments[0].equals("postgresql")) {
            TestDatabase database = new PostgresqlTestDatabase();
            try {
                measure(new StoreSettings(database.settings().properties(), directory), letters);
            } finally {
                database.close();
            }
        } else {
            measure(StoreSettings.embedded(directory), letters);
        }
    }

    private static void measure(StoreSettings store, int letters) throws Exception {
        TestSettings settings = TestSettings.of("ringtable.commit.quota-messages", 2_000_000);
        try (RingtableBroker broker = new RingtableBroker(
                store, settings.shard(), settings.amqp(), settings.logins(), CommitMonitor.NONE, Watermarks.none())) {
            broker.start();
            long begun = System.nanoTime();
            fill(broker.shard(), letters);
            print("filled with %,d letters in %.1f s%n", letters, seconds(begun));
            System.gc();
            ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
            Address dead = broker.shard().lookup().find("DLQ");
            Address work = broker.shard().lookup().find("work");
            begun = System.nanoTime();
            Job job = broker.jobs()
                    .begin(new JobRequest(
                            Action.REDRIVE, "DLQ", 0, null, null, null, null, null, null, 0, 0, false, ""))
                    .toCompletableFuture()
                    .join();
            long id = job.id();
            Awaitility.await()
                    .atMost(1, TimeUnit.HOURS)
                    .until(() -> !broker.jobs().find(id).isRunning());
            double seconds = seconds(begun);
            print(
                    "redrive: %.1f s, %,.0f letters/s, most heap in use %d MB of %d%n%s%n"
                            + "owed: %d in DLQ, %d in work%n",
                    seconds,
                    letters / seconds,
                    peakHeap() >> 20,
                    Runtime.getRuntime().maxMemory() >> 20,
                    broker.jobs().find(job.id()),
                    dead.quota().messages(),
                    work.quota().messages());
            printThreads();
        }
    }

    /** The sum of what each pool had at most: never less than all had together. */
    private static long peakHeap() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
    }

    /** Prints the processor time of the broker's threads, filling included. */
    private static void printThreads() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        for (ThreadInfo each : threads.getThreadInfo(threads.getAllThreadIds())) {
            long ms = TimeUnit.NANOSECONDS.toMillis(threads.getThreadCpuTime(each.getThreadId()));
            if (ms > 100) {
                print("%s: %d ms%n", each.getThreadName(), ms);
            }
        }
    }

    private static void fill(Shard shard, int letters) throws Exception {
        shard.catalog().ensure("work", AddressKind.QUEUE).toCompletableFuture().get();
        Address dead = shard.catalog()
                .ensure("DLQ", AddressKind.QUEUE)
                .toCompletableFuture()
                .get();
        MessageFormat format = new AmqpMessageFormat(MessageTraces.OFF);
        Semaphore places = new Semaphore(ON_THEIR_WAY);
        for (int i = 0; i < letters; i++) {
            byte[] came = Encoded.message(
                    new Header().setDurable(true),
                    new Properties().setMessageId("ID:measured-" + i).setTo("work"),
                    new Data(new byte[BODY_BYTES]));
            byte[] letter = format.deadLetter(came, "work", "", "", "10 deliveries failed", 10, i);
            dead.quota().occupied(1, letter.length);
            places.acquire();
            Work work = Work.publish(new Message(dead, i, 4, 0, 0, letter, 0), new Completion() {
                @Override
                public void accepted() {
                    places.release();
                }

                @Override
                public void refused(Refusal refusal) {
                    throw new AssertionError(refusal);
                }

                @Override
                public Mailbox mailbox() {
                    return Mailbox.NONE;
                }
            });
            while (!shard.homeOf(dead).committer().trySubmit(work)) {
                CountDownLatch room = new CountDownLatch(1);
                shard.homeOf(dead).committer().onRoom(room::countDown);
                room.await();
            }
        }
        places.acquire(ON_THEIR_WAY);
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    private static void print(String format, Object... values) {
        System.out.printf(Locale.ROOT, format, values);
    }
}
