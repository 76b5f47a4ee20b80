package io.ringtable.client;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Says what to receive, and how. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * SubscriptionOptions audit = SubscriptionOptions.topic("prices")
 *         .durable("audit")
 *         .prefetch(500)
 *         .acknowledge(AcknowledgeMode.MANUAL);
 * }</pre>
 */
public final class SubscriptionOptions {

    /** Equals the prefetch of JMS clients. */
    public static final int PREFETCH_DEFAULT = 1_000;

    public static final long PREFETCH_BYTES_DEFAULT = 16L * 1024 * 1024;

    private final Address address;
    private final String durableName;
    private final int prefetch;
    private final long prefetchBytes;
    private final int concurrency;
    private final AcknowledgeMode acknowledge;
    private final Instant since;

    private SubscriptionOptions(
            Address address,
            String durableName,
            int prefetch,
            long prefetchBytes,
            int concurrency,
            AcknowledgeMode acknowledge,
            Instant since) {
        this.address = address;
        this.durableName = durableName;
        this.prefetch = prefetch;
        this.prefetchBytes = prefetchBytes;
        this.concurrency = concurrency;
        this.acknowledge = acknowledge;
        this.since = since;
    }

    public static SubscriptionOptions to(Address address) {
        Objects.requireNonNull(address, "address");
        return new SubscriptionOptions(
                address, null, PREFETCH_DEFAULT, PREFETCH_BYTES_DEFAULT, 1, AcknowledgeMode.AUTO, null);
    }

    /** Competes with the other consumers of the queue for its messages. */
    public static SubscriptionOptions queue(String name) {
        return to(Address.queue(name));
    }

    /**
     * Receives the messages that are published while the subscription is connected. The broker stores nothing for it
     * unless it is {@link #durable}.
     */
    public static SubscriptionOptions topic(String name) {
        return to(Address.topic(name));
    }

    /**
     * Has the broker store every message of the topic for this subscription until it is acknowledged, connected or not.
     * Only {@link RingtableClient#unsubscribe} ends that. The broker knows the subscription by the client id together
     * with this name.
     *
     * @throws RingtableException RT-5001 if the address is a queue, which always stores, or if the name is blank or has
     *     a {@code |}
     */
    public SubscriptionOptions durable(String name) {
        Objects.requireNonNull(name, "name");
        if (address.kind() != Address.Kind.TOPIC) {
            throw RingtableException.configuration(
                    "durable subscription '" + name + "' to " + address,
                    "subscribe to a topic, or leave durable out: a queue always stores");
        }
        if (name.isBlank() || name.indexOf('|') >= 0) {
            throw RingtableException.configuration(
                    "durable subscription '" + name + "'", "use a name that is not blank and has no '|'");
        }
        return new SubscriptionOptions(address, name, prefetch, prefetchBytes, concurrency, acknowledge, since);
    }

    /**
     * Lets the durable subscription begin in the past when it is created. It first gets the topic's messages since that
     * time, in order, as far as retention ({@code ringtable.dispatch.addresses[].retention-age},
     * {@code retention-bytes}) has kept them. Messages published later follow. An existing subscription is not changed.
     *
     * @throws RingtableException RT-5001 if the subscription is not {@link #durable}. The broker refuses it (RT-2027)
     *     where the topic has no retention
     */
    public SubscriptionOptions since(Instant time) {
        Objects.requireNonNull(time, "time");
        if (durableName == null) {
            throw RingtableException.configuration(
                    "since=" + time + " for " + address,
                    "call durable first: only a durable subscription begins in the past");
        }
        return new SubscriptionOptions(address, durableName, prefetch, prefetchBytes, concurrency, acknowledge, time);
    }

    /**
     * Sets how many messages may be at the client and not yet settled; default 1000. This is the back-pressure: a
     * higher prefetch costs memory and keeps messages from other consumers; 1 shares long work evenly.
     */
    public SubscriptionOptions prefetch(int messages) {
        if (messages < 1) {
            throw RingtableException.configuration("prefetch=" + messages + " < 1", "use 1 or more");
        }
        return new SubscriptionOptions(address, durableName, messages, prefetchBytes, concurrency, acknowledge, since);
    }

    /**
     * Sets about how many bytes may be at the client and not yet settled; default 16 MiB. The bound lowers the prefetch
     * while messages are large. One message of any size is always let through.
     */
    public SubscriptionOptions prefetchBytes(long bytes) {
        if (bytes < 1) {
            throw RingtableException.configuration("prefetchBytes=" + bytes + " < 1", "use 1 or more");
        }
        return new SubscriptionOptions(address, durableName, prefetch, bytes, concurrency, acknowledge, since);
    }

    /**
     * Sets how many threads call the handler at the same time; default 1. Only with 1 are messages handled in their
     * order. A {@link Receiver} has no threads of its own and ignores this.
     */
    public SubscriptionOptions concurrency(int threads) {
        if (threads < 1) {
            throw RingtableException.configuration("concurrency=" + threads + " < 1", "use 1 or more");
        }
        return new SubscriptionOptions(address, durableName, prefetch, prefetchBytes, threads, acknowledge, since);
    }

    /**
     * Sets who acknowledges; default {@link AcknowledgeMode#AUTO}. A {@link Receiver} is always {@link
     * AcknowledgeMode#MANUAL}.
     */
    public SubscriptionOptions acknowledge(AcknowledgeMode mode) {
        Objects.requireNonNull(mode, "mode");
        return new SubscriptionOptions(address, durableName, prefetch, prefetchBytes, concurrency, mode, since);
    }

    public Address address() {
        return address;
    }

    public Optional<String> durableName() {
        return Optional.ofNullable(durableName);
    }

    public Optional<Instant> since() {
        return Optional.ofNullable(since);
    }

    public int prefetch() {
        return prefetch;
    }

    public long prefetchBytes() {
        return prefetchBytes;
    }

    public int concurrency() {
        return concurrency;
    }

    public AcknowledgeMode acknowledge() {
        return acknowledge;
    }
}
