package io.ringtable.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.ServerDatabase;
import io.ringtable.client.Address;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Publishes by SQL to queues of three shards, in one database or in two, in transactions that commit, roll back or die.
 * Meanwhile the broker is killed at random moments. Before each kill the applications begin to name queues that nobody
 * has named before. Each message of a committed transaction is in its queue exactly once, in the order of its caller.
 * No other message is anywhere (ADR 53, ADR 63).
 * <p>
 * {@code acceptance/inboxcrash.sh} kills more often; {@code -Dcrash.seed=…} repeats a run's moments.
 */
class PassingOnCrashTest {
    private static final int SHARDS = 3;
    private static final int LAST = SHARDS - 1; // lies in the second database, where there are two
    private static final int APPLICATIONS = 4; // half of them in each database
    private static final int NEW_QUEUES = 4;
    private static final int KILLS = Integer.getInteger("crash.kills", 2);
    private static final int KILLS_IN_A_ROUND = 12; // then every message is accounted for, and the rings are empty
    private static final long SEED = Long.getLong("crash.seed", System.nanoTime());
    private static final int WORK = 100; // messages that are taken up, from one start to the next kill
    private static final Duration MOST = Duration.ofMinutes(3);
    private static final Duration LOOK = Duration.ofMillis(100); // each is a connection of its own

    /** Where a kill hits, in turn, and how long after it: the moment is random. */
    private enum Moment {
        AT_WORK(500),
        /** The start takes 2 s or more, and the inbox fills meanwhile. */
        IN_THE_START(3_000),
        /** The first looks take up what has come without a broker. */
        JUST_STARTED(200);

        private final int laterMs;

        Moment(int laterMs) {
            this.laterMs = laterMs;
        }
    }

    @RegisterExtension
    final Bench bench = new Bench();

    private final Random random = new Random(SEED);
    private volatile int queues; // how many have been named; written by the test, read by the applications
    private int callers; // so far: a booking's name says whose it is
    private int messages;
    private int killsOnTheWay; // kills with rows in the inbox of another shard than 0

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, 1", "POSTGRESQL, 2", "SQLSERVER, 1", "SQLSERVER, 2"})
    void everyCommittedMessageReachesItsShardOnce(Engine engine, int count) throws Exception {
        List<ServerDatabase> databases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            databases.add(engine.database(bench));
        }
        BrokerProcess broker =
                bench.broker(settings -> placed(settings, databases)).start();
        for (ServerDatabase database : databases) {
            database.execute(Application.TABLE);
        }
        for (int done = 0; done < KILLS; done += KILLS_IN_A_ROUND) {
            publishUnderKills(broker, databases, Math.min(KILLS - done, KILLS_IN_A_ROUND));
            account(broker, databases);
        }
        System.out.printf(
                "%s, %d databases: crash.seed %d, %d kills, of which %d while messages were on their way to another"
                        + " shard; %d messages of %d callers to %d queues%n",
                engine, count, SEED, KILLS, killsOnTheWay, messages, callers, queues);
        List<String> homes = new ArrayList<>();
        for (ServerDatabase database : databases) {
            homes.addAll(database.ask("SELECT DISTINCT shard_id FROM ringtable.address WHERE name LIKE 'work.%'"));
        }
        assertThat(homes).as("shards with queues that were published to").hasSize(SHARDS);
    }

    private static BrokerSettings placed(BrokerSettings settings, List<ServerDatabase> databases) {
        BrokerSettings placed = settings.store(databases.get(0)).with("ringtable.shards", SHARDS);
        if (databases.size() == 1) {
            return placed;
        }
        ServerDatabase second = databases.get(1);
        return placed.with("ringtable.stores[0].name", "second")
                .with("ringtable.stores[0].url", second.url())
                .with("ringtable.stores[0].username", second.username())
                .with("ringtable.stores[0].password", second.password())
                .with("ringtable.stores[0].shards", LAST);
    }

    private void publishUnderKills(BrokerProcess broker, List<ServerDatabase> databases, int kills) throws Exception {
        queues += NEW_QUEUES;
        List<Application> applications = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < APPLICATIONS; i++) {
            ServerDatabase database = databases.get(i % databases.size());
            Application application = new Application(
                    callers++, database::connect, chance -> Address.queue("work." + chance.nextInt(queues)));
            applications.add(application);
            threads.add(new Thread(application, "application-" + i));
        }
        threads.forEach(Thread::start);
        try {
            for (int kill = 0; kill < kills; kill++) {
                awaitMoment(Moment.values()[kill % Moment.values().length], broker, databases);
                broker.kill();
                if (isOnTheWay(databases)) {
                    killsOnTheWay++;
                }
                broker.launch();
            }
            broker.awaitReady();
            awaitWork(databases);
        } finally {
            applications.forEach(Application::stop);
            for (Thread thread : threads) {
                thread.join(MOST.toMillis());
            }
        }
    }

    /** Answers whether a row waits for another shard than the one that applications of its database publish to. */
    private static boolean isOnTheWay(List<ServerDatabase> databases) throws SQLException {
        int door = 0;
        for (ServerDatabase database : databases) {
            if (database.count("ringtable.inbox WHERE shard_id <> " + door) > 0) {
                return true;
            }
            door = LAST;
        }
        return false;
    }

    private void awaitMoment(Moment moment, BrokerProcess broker, List<ServerDatabase> databases) throws SQLException {
        if (moment != Moment.IN_THE_START) {
            broker.awaitReady();
        }
        if (moment == Moment.AT_WORK) {
            awaitWork(databases);
        }
        queues += NEW_QUEUES;
        Pace.pass(Duration.ofMillis(random.nextInt(moment.laterMs)));
    }

    /** A slow machine takes longer; a kill is always in the middle of work. */
    private static void awaitWork(List<ServerDatabase> databases) throws SQLException {
        int before = takenUp(databases);
        await("messages that shards take up")
                .atMost(MOST)
                .pollInterval(LOOK)
                .until(() -> takenUp(databases) >= before + WORK);
    }

    /** Returns how many committed messages have left the inbox, which they do with the flush that claims them. */
    private static int takenUp(List<ServerDatabase> databases) throws SQLException {
        int takenUp = 0;
        for (ServerDatabase database : databases) {
            takenUp += database.count("booking") - database.count("ringtable.inbox");
        }
        return takenUp;
    }

    private static boolean areInboxesEmpty(List<ServerDatabase> databases) throws SQLException {
        for (ServerDatabase database : databases) {
            if (database.count("ringtable.inbox") > 0) {
                return false;
            }
        }
        return true;
    }

    /** Consumes every queue, and compares it with what its callers have committed. */
    private void account(BrokerProcess broker, List<ServerDatabase> databases) throws Exception {
        await("empty inboxes").atMost(MOST).pollInterval(LOOK).until(() -> areInboxesEmpty(databases));
        Map<String, List<String>> committed = committed(databases);
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            connection.start();
            Session session = connection.createSession();
            for (Map.Entry<String, List<String>> queue : committed.entrySet()) {
                List<String> stored =
                        consume(session, queue.getKey(), queue.getValue().size());
                assertThat(stored)
                        .as("crash.seed=%d: %s", SEED, queue.getKey())
                        .containsExactlyInAnyOrderElementsOf(queue.getValue());
                assertThatEachCallerIsInOrder(queue.getKey(), stored);
                messages += stored.size();
            }
        }
        // Neither a dead letter, nor a message of a transaction that did not commit, in a queue that has no other.
        await("that nothing is owed").atMost(MOST).pollInterval(LOOK).until(broker::owesNothing);
        for (ServerDatabase database : databases) {
            database.execute("DELETE FROM booking");
        }
    }

    /** Returns the names of bookings by the queue of their messages. */
    private static Map<String, List<String>> committed(List<ServerDatabase> databases) throws SQLException {
        Map<String, List<String>> committed = new TreeMap<>();
        for (ServerDatabase database : databases) {
            for (String booking : database.ask("SELECT CONCAT(address, ' ', name) FROM booking")) {
                String[] parts = booking.split(" ");
                committed.computeIfAbsent(parts[0], none -> new ArrayList<>()).add(parts[1]);
            }
        }
        return committed;
    }

    private static List<String> consume(Session session, String queue, int count) throws JMSException {
        List<String> texts = new ArrayList<>();
        try (MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
            for (int i = 0; i < count; i++) {
                Message message = consumer.receive(MOST.toMillis());
                if (message == null) {
                    break;
                }
                texts.add(message.getBody(String.class));
            }
            for (Message more; (more = consumer.receiveNoWait()) != null; ) {
                texts.add(more.getBody(String.class));
            }
        }
        return texts;
    }

    private static void assertThatEachCallerIsInOrder(String queue, List<String> stored) {
        Map<String, Integer> last = new HashMap<>();
        for (String booking : stored) {
            String[] parts = booking.split("-");
            int number = Integer.parseInt(parts[1]);
            Integer before = last.put(parts[0], number);
            assertThat(before == null || before < number)
                    .as(
                            "crash.seed=%d: %s came to %s after booking %s of the same caller",
                            SEED, booking, queue, before)
                    .isTrue();
        }
    }
}
