package io.ringtable.test;

import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.client.Address;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Waits for what a test expects. A wait that ends in vain says what there was instead. Thread: the test's. */
final class Waiting {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int MESSAGES_SHOWN = 5;

    private final InProcessBroker broker;

    Waiting(InProcessBroker broker) {
        this.broker = broker;
    }

    /**
     * Looks until there is something.
     *
     * @param expectation completes "RT-nnnn ... within 10 s"
     * @throws AssertionError after the time-out, or if the thread is interrupted
     */
    <T> T until(Duration timeout, String code, Supplier<String> expectation, Supplier<Optional<T>> look) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            Optional<T> found = look.get();
            if (found.isPresent()) {
                return found.get();
            }
            boolean interrupted = Thread.currentThread().isInterrupted();
            if (interrupted || System.nanoTime() >= deadline) {
                String when = interrupted ? " before the test was interrupted." : " within " + shown(timeout) + ".";
                throw new AssertionError(code + " " + expectation.get() + when + System.lineSeparator() + picture());
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static String shown(Duration timeout) {
        return timeout.toMillis() % 1000 == 0 ? timeout.toSeconds() + " s" : timeout.toMillis() + " ms";
    }

    /** Tells what was published and what is owed, for a person who wonders why a test fails. */
    String picture() {
        StringBuilder picture = new StringBuilder("Published since the test began:");
        Map<Address, List<PublishedMessage>> published = broker.journal().all();
        if (published.isEmpty()) {
            picture.append(" nothing");
        }
        published.forEach((address, messages) -> picture.append(System.lineSeparator())
                .append("  ")
                .append(address)
                .append(": ")
                .append(count(messages.size()))
                .append(", ")
                .append(messages.stream()
                        .limit(MESSAGES_SHOWN)
                        .map(PublishedMessage::toString)
                        .collect(Collectors.joining(", ")))
                .append(messages.size() > MESSAGES_SHOWN ? ", ..." : ""));
        picture.append(System.lineSeparator()).append("Owed to consumers now:");
        List<String> owed = addresses().stream()
                .flatMap(address -> address.subscriptions().stream()
                        .filter(subscription -> owed(subscription) > 0)
                        .map(subscription -> "  " + uri(address)
                                + (subscription.name().isEmpty() ? "" : " to " + subscription.name()) + ": "
                                + count(owed(subscription))))
                .toList();
        if (owed.isEmpty()) {
            picture.append(" nothing");
        }
        owed.forEach(line -> picture.append(System.lineSeparator()).append(line));
        return picture.toString();
    }

    /** Returns the addresses that there are; none while the broker is stopped. */
    List<BrokerStatus.Address> addresses() {
        BrokerStatus.Shard shard = broker.running().status().shard();
        return shard == null ? List.of() : shard.addresses();
    }

    static long owed(BrokerStatus.Subscription subscription) {
        return subscription.owedInRing() + subscription.owedInBacklog();
    }

    static String uri(BrokerStatus.Address address) {
        return (address.kind().name().equals("QUEUE") ? "queue://" : "topic://") + address.name();
    }

    private static String count(long messages) {
        return messages == 1 ? "1 message" : messages + " messages";
    }
}
