package io.ringtable.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.client.Reconnect;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Records what a durable subscription received from all brokers in turn. Thread: the subscription's handler writes. */
final class Receipts implements AutoCloseable {
    private final String name;
    private final RingtableClient client;
    private final Set<String> first = new LinkedHashSet<>(); // guarded by this
    private final List<String> repeatedUnflagged = new ArrayList<>(); // guarded by this
    private int repeated; // guarded by this

    Receipts(int number, String url, String topic) {
        name = "subscription " + number;
        client = RingtableClient.builder()
                .uri(url)
                .clientId("reader-" + number)
                .waitForBroker(Duration.ofMinutes(1))
                .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(50)).longestDelay(Duration.ofMillis(500)))
                .connect();
        client.subscribe(
                SubscriptionOptions.topic(topic).durable("bookings"),
                message -> arrived(message.text(), message.isRedelivered()));
    }

    private synchronized void arrived(String text, boolean redelivered) {
        if (!first.add(text)) {
            repeated++;
            if (!redelivered) {
                repeatedUnflagged.add(text);
            }
        }
    }

    synchronized int count() {
        return first.size();
    }

    /** @param unanswered bookings that their caller did not wait for: they may come after later ones */
    synchronized void judge(Set<String> committed, Set<String> unanswered) {
        assertThat(without(committed, first)).as(name + ": never came").isEmpty();
        assertThat(without(first, committed)).as(name + ": was not committed").isEmpty();
        assertThat(repeatedUnflagged).as(name + ": came again without the flag").isEmpty();
        Map<String, Integer> last = new HashMap<>();
        for (String booking : first) {
            if (unanswered.contains(booking)) {
                continue;
            }
            String[] parts = booking.split("-");
            int number = Integer.parseInt(parts[1]);
            Integer before = last.put(parts[0], number);
            assertThat(before == null || before < number)
                    .as("%s: %s came after booking %s of the same caller", name, booking, before)
                    .isTrue();
        }
    }

    private static Set<String> without(Set<String> these, Set<String> those) {
        Set<String> rest = new HashSet<>(these);
        rest.removeAll(those);
        return rest;
    }

    @Override
    public synchronized String toString() {
        return name + ": " + first.size() + " bookings, " + repeated + " of them flagged again";
    }

    @Override
    public void close() {
        client.close();
    }
}
