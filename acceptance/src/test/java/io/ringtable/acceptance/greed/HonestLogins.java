package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Pace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.types.transport.Open;

/**
 * Logs in again and again, in turn by a user whom the broker remembers and by one who has not logged in before.
 * <p>
 * Thread: {@code honest-logins}; what it found is read when it has ended.
 */
final class HonestLogins implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(400);

    private final Victim broker;
    private final List<Long> remembered = new ArrayList<>(); // ns
    private final List<Long> first = new ArrayList<>(); // ns
    private final Thread thread = new Thread(this::run, "honest-logins");
    private final List<String> failures = new ArrayList<>();
    private volatile boolean ended;

    HonestLogins(int port) {
        broker = new Victim(port, new Deeds());
        thread.start();
    }

    private void run() {
        for (int late = 0; !ended && late < GreedUsers.LATE; late++) {
            login(GreedUsers.HONEST, remembered);
            Pace.pass(INTERVAL);
            login(GreedUsers.late(late), first);
            Pace.pass(INTERVAL);
        }
    }

    private void login(String user, List<Long> times) {
        long began = System.nanoTime();
        try (GreedyConnection connection =
                GreedyConnection.login(broker, "127.0.0.1", user, GreedUsers.PASSWORD, "login of " + user)) {
            connection.awaitAnswers(Open.class, 1);
            times.add(System.nanoTime() - began);
        } catch (IOException e) {
            failures.add(user + ": " + e.getMessage());
        }
    }

    List<String> failures() {
        return failures;
    }

    /** Until it has ended. */
    @Override
    public void close() {
        ended = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Latencies latencies(List<Long> times) {
        return Latencies.of(times.stream().mapToLong(Long::longValue).toArray());
    }

    @Override
    public String toString() {
        return String.format(
                "honest logins p50/p99/max ms: %d remembered %s, %d first %s, failed %s",
                remembered.size(), latencies(remembered), first.size(), latencies(first), failures);
    }
}
