package io.ringtable.test;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.client.Address;
import io.ringtable.client.RingtableClient;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * Is a real broker in this process that a test can watch and break. Its store is a file that lies in memory where the
 * system has room for it, and goes with the broker.
 * <p>
 * The {@code await} methods look every 5 ms, for 10 s unless {@link #within} says otherwise. In vain, they throw an
 * {@link AssertionError} that shows what was published and what is owed. The methods see what was published since the
 * test began: whatever the publisher has an outcome for is there, also if it was consumed since.
 * <p>
 * Addresses are written {@code queue://orders}, {@code topic://prices}, or as the plain name of a queue. Thread: any.
 */
public final class TestBroker implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final InProcessBroker broker;
    private final Waiting waiting;
    private final Duration timeout;
    private final List<Fault> faults;

    private TestBroker(InProcessBroker broker, Duration timeout, List<Fault> faults) {
        this.broker = broker;
        this.waiting = new Waiting(broker);
        this.timeout = timeout;
        this.faults = faults;
    }

    /**
     * Starts a broker for a test without {@link RingtableTest}; the caller closes it.
     *
     * @param properties of the broker, such as {@code ringtable.dispatch.deliveries-max}; by default it listens on a
     *     free port of loopback
     * @throws io.ringtable.broker.config.ConfigurationRefused if a property does not exist, or its value cannot be
     */
    public static TestBroker start(Map<String, String> properties) {
        return new TestBroker(new InProcessBroker(Map.copyOf(properties)), TIMEOUT, new CopyOnWriteArrayList<>());
    }

    /** Starts a broker with default properties; the caller closes it. */
    public static TestBroker start() {
        return start(Map.of());
    }

    /** Returns where clients connect, such as {@code amqp://127.0.0.1:41234}: the same after a restart. */
    public URI url() {
        return URI.create("amqp://" + broker.host() + ":" + broker.port());
    }

    /** Connects a client that the caller closes. */
    public RingtableClient connect() {
        return RingtableClient.connect(url().toString());
    }

    /** Returns this broker with another time-out for what it awaits. */
    public TestBroker within(Duration other) {
        return new TestBroker(broker, Objects.requireNonNull(other, "other"), faults);
    }

    // ---- what was published

    /** Returns what was published to the address since the test began, consumed or not, in the order of the commits. */
    public List<PublishedMessage> published(String address) {
        return broker.journal().to(Address.of(address));
    }

    /** Waits for a message to the address, and returns the first one. */
    public PublishedMessage awaitPublished(String address) {
        return awaitPublished(address, 1).get(0);
    }

    /** Waits for that many messages to the address, and returns all that there are. */
    public List<PublishedMessage> awaitPublished(String address, int count) {
        Address wanted = Address.of(address);
        return waiting.until(
                timeout,
                "RT-7101",
                () -> "expected " + count + (count == 1 ? " message" : " messages") + " to " + wanted + ", found "
                        + broker.journal().to(wanted).size(),
                () -> Optional.of(broker.journal().to(wanted)).filter(found -> found.size() >= count));
    }

    /** Waits for a message to the address that fits, and returns the first such one. */
    public PublishedMessage awaitPublished(String address, Predicate<PublishedMessage> fits) {
        Address wanted = Address.of(address);
        return waiting.until(
                timeout,
                "RT-7102",
                () -> "no message to " + wanted + " fits, of "
                        + broker.journal().to(wanted).size(),
                () -> broker.journal().to(wanted).stream().filter(fits).findFirst());
    }

    // ---- what became of it

    /** Waits until there is such an address and no consumer is owed a message of it. */
    public void awaitEmpty(String address) {
        awaitConsumed(address, 0);
    }

    /**
     * Waits until that many messages were published to the address since the test began, and none of its consumers is
     * owed one any more. Every subscription has then settled durably what it was to get.
     */
    public void awaitConsumed(String address, int count) {
        Address wanted = Address.of(address);
        waiting.until(
                timeout,
                "RT-7103",
                () -> notConsumed(wanted, count),
                () -> broker.journal().to(wanted).size() < count
                        ? Optional.empty()
                        : status(wanted).filter(found -> owed(found) == 0));
    }

    private String notConsumed(Address wanted, int count) {
        int published = broker.journal().to(wanted).size();
        if (published < count) {
            return "expected " + count + " messages to " + wanted + ", found " + published;
        }
        return status(wanted)
                .map(found -> wanted + " still owes " + owed(found) + " of its messages")
                .orElseGet(() -> wanted + " was not created: check its name");
    }

    private Optional<BrokerStatus.Address> status(Address wanted) {
        return waiting.addresses().stream()
                .filter(each -> Waiting.uri(each).equals(wanted.toString()))
                .findFirst();
    }

    private static long owed(BrokerStatus.Address address) {
        return address.subscriptions().stream().mapToLong(Waiting::owed).sum();
    }

    /** Waits for a dead letter from the address, and returns the first one. */
    public DeadLetter awaitDeadLetter(String address) {
        Address wanted = Address.of(address);
        return waiting.until(
                timeout,
                "RT-7104",
                () -> "no message of " + wanted + " has become a dead letter",
                () -> deadLetters().stream()
                        .filter(letter -> letter.from().equals(wanted.name()))
                        .findFirst());
    }

    /** Returns the messages that have become dead letters since the test began, in that order. */
    public List<DeadLetter> deadLetters() {
        List<DeadLetter> found = new ArrayList<>();
        broker.journal()
                .all()
                .values()
                .forEach(messages -> messages.stream()
                        .map(DeadLetter::of)
                        .filter(Objects::nonNull)
                        .forEach(found::add));
        return found;
    }

    /**
     * Waits until that many links publish to the address or receive from it. So a test can publish to a topic once its
     * listener is there.
     */
    public void awaitLinks(String address, int count) {
        Address wanted = Address.of(address);
        waiting.until(
                timeout,
                "RT-7105",
                () -> "expected " + count + " links to " + wanted + ", found " + links(wanted),
                () -> links(wanted) < count ? Optional.empty() : Optional.of(count));
    }

    private int links(Address wanted) {
        io.ringtable.broker.message.Address found = broker.shard().lookup().find(wanted.name());
        return found == null ? 0 : broker.running().links(found);
    }

    // ---- faults

    /** Cuts all connections without a word, as a failing network does. Clients may come back at once. */
    public void cutConnections() {
        broker.running().cutConnections();
    }

    /** Stops the broker in order and starts it again, on the same file and port. */
    public void restart() {
        broker.stop();
        broker.start();
    }

    /** Stops the broker in order until the fault is closed: connections end, and new ones are refused. */
    public Fault down() {
        broker.stop();
        return fault(broker::start);
    }

    /**
     * Makes the address full until the fault is closed, or the broker stops: its publishers get no credit, and
     * anonymous ones are rejected after {@code ringtable.amqp.parked-timeout}. Credit that a publisher has already
     * still counts.
     */
    public Fault full(String address) {
        Address wanted = Address.of(address);
        AddressQuota quota = broker.shard()
                .catalog()
                .ensure(wanted.name(), wanted.kind() == Address.Kind.QUEUE ? AddressKind.QUEUE : AddressKind.TOPIC)
                .toCompletableFuture()
                .join()
                .quota();
        quota.hold();
        return fault(quota::resume);
    }

    /**
     * Lets the store take no writes until the fault is closed, as on a full disk. The broker rejects publishers.
     * Consumers go on, and their settlements wait.
     */
    public Fault storeFull() {
        broker.fullStore().full(true);
        return fault(() -> broker.fullStore().full(false));
    }

    private Fault fault(Runnable cure) {
        AtomicBoolean mended = new AtomicBoolean();
        Fault fault = () -> {
            if (mended.compareAndSet(false, true)) {
                cure.run();
            }
        };
        faults.add(fault);
        return fault;
    }

    /** Mends whatever the test has broken. */
    void mend() {
        faults.forEach(Fault::close);
        faults.clear();
        broker.start();
    }

    // ---- for the extension and for those who need more

    /** Returns the running broker itself. @throws IllegalStateException while it is stopped */
    public RingtableBroker broker() {
        return broker.running();
    }

    InProcessBroker process() {
        return broker;
    }

    /** Stops the broker and deletes its file. */
    @Override
    public void close() {
        broker.fullStore().full(false); // the last flush is not to wait for it
        broker.close();
    }

    @Override
    public String toString() {
        return "broker at " + url();
    }
}
