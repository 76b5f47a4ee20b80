package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.InboxMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Publishes by several callers at once, each over two connections in turn, in transactions of one to three messages. A
 * text names its caller and counts the caller's committed messages, so a roll-back leaves no gap.
 */
final class InboxCallers implements AutoCloseable {
    private static final int CALLERS = 4;
    private static final int TRANSACTIONS = 60;
    private static final int ROLLED_BACK = 7; // one transaction in so many

    private final InboxFixture inbox;
    private final ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    private final Map<String, Future<Integer>> counts = new TreeMap<>(); // by caller

    private InboxCallers(InboxFixture inbox) {
        this.inbox = inbox;
    }

    static InboxCallers begin(InboxFixture inbox) {
        InboxCallers callers = new InboxCallers(inbox);
        for (int c = 0; c < CALLERS; c++) {
            int seed = c;
            callers.counts.put("caller " + c, callers.threads.submit(() -> callers.publish("caller " + seed, seed)));
        }
        return callers;
    }

    /** Returns how many messages it has committed. */
    private int publish(String name, int seed) throws SQLException {
        int number = 0;
        try (Connection one = inbox.database.connect();
                Connection two = inbox.database.connect()) {
            for (int t = 0; t < TRANSACTIONS; t++) {
                Connection connection = t % 2 == 0 ? one : two;
                connection.setAutoCommit(false);
                int messages = 1 + (seed + t) % 3;
                for (int m = 0; m < messages; m++) {
                    inbox.publish(connection, "orders", name + ": " + (number + m));
                }
                if ((seed + t) % ROLLED_BACK == 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                    number += messages;
                }
            }
        }
        return number;
    }

    /** Answers whether everything that they will ever commit is in the database. */
    boolean haveEnded() {
        return counts.values().stream().allMatch(Future::isDone);
    }

    /** Returns how many messages each has committed, once all have ended. */
    Map<String, Integer> committed() throws Exception {
        Map<String, Integer> committed = new TreeMap<>();
        for (Map.Entry<String, Future<Integer>> caller : counts.entrySet()) {
            committed.put(caller.getKey(), caller.getValue().get(1, TimeUnit.MINUTES));
        }
        return committed;
    }

    /**
     * Takes their messages up, and demands that each look takes up each caller where the last one ended.
     *
     * @param ended whether nothing more will come into this inbox
     * @return how many messages have come from each caller
     */
    static Map<String, Integer> takeUp(OneTopic into, BooleanSupplier ended) {
        Map<String, Integer> seen = new HashMap<>();
        boolean last = false;
        while (!last) {
            last = ended.getAsBoolean(); // before the look, which finds all of it then
            for (List<InboxMessage> rows = InboxFixture.read(into); !rows.isEmpty(); rows = InboxFixture.read(into)) {
                rows.forEach(row -> follows(InboxFixture.text(row), seen));
                InboxFixture.collect(into, rows);
            }
        }
        return seen;
    }

    private static void follows(String text, Map<String, Integer> seen) {
        String[] parts = text.split(": ");
        int number = Integer.parseInt(parts[1]);
        assertThat(seen.getOrDefault(parts[0], 0)).as(text).isEqualTo(number);
        seen.put(parts[0], number + 1);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
