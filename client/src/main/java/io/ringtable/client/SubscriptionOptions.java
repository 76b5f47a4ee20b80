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
    private final Identity identity;
    private final String selector; // null = every message
    private final int prefetch;
    private final long prefetchBytes;
    private final int concurrency;
    private final AcknowledgeMode acknowledge;
    private final Instant since;

    /** @param name null for a consumer of a queue, and for a subscription that ends with its connection */
    private record Identity(String name, boolean durable, boolean shared) {
        static final Identity NONE = new Identity(null, false, false);
    }

    private SubscriptionOptions(
            Address address,
            Identity identity,
            String selector,
            int prefetch,
            long prefetchBytes,
            int concurrency,
            AcknowledgeMode acknowledge,
            Instant since) {
        this.address = address;
        this.identity = identity;
        this.selector = selector;
        this.prefetch = prefetch;
        this.prefetchBytes = prefetchBytes;
        this.concurrency = concurrency;
        this.acknowledge = acknowledge;
        this.since = since;
    }

    public static SubscriptionOptions to(Address address) {
        Objects.requireNonNull(address, "address");
        return new SubscriptionOptions(
                address, Identity.NONE, null, PREFETCH_DEFAULT, PREFETCH_BYTES_DEFAULT, 1, AcknowledgeMode.AUTO, null);
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
        return named(new Identity(name, true, false));
    }

    /**
     * Shares one subscription of the topic among all receivers that name it, of any client: each message goes to one of
     * them. The subscription ends with its last receiver; the broker stores nothing for it. No client id is needed.
     *
     * @throws RingtableException RT-5001 as {@link #durable}
     */
    public SubscriptionOptions shared(String name) {
        return named(new Identity(name, false, true));
    }

    /**
     * Shares a subscription as {@link #shared} does, and has the broker store its messages as {@link #durable} does.
     * Only {@link RingtableClient#unsubscribeShared} ends it. No client id is needed.
     *
     * @throws RingtableException RT-5001 as {@link #durable}
     */
    public SubscriptionOptions sharedDurable(String name) {
        return named(new Identity(name, true, true));
    }

    private SubscriptionOptions named(Identity identity) {
        String name = Objects.requireNonNull(identity.name(), "name");
        String kind = identity.durable() ? "durable" : "shared";
        if (address.kind() != Address.Kind.TOPIC) {
            throw RingtableException.configuration(
                    kind + " subscription '" + name + "' to " + address,
                    "subscribe to a topic, or leave " + kind
                            + " out: a queue always stores, and its consumers compete");
        }
        if (name.isBlank() || name.indexOf('|') >= 0) {
            throw RingtableException.configuration(
                    kind + " subscription '" + name + "'", "use a name that is not blank and has no '|'");
        }
        return new SubscriptionOptions(
                address, identity, selector, prefetch, prefetchBytes, concurrency, acknowledge, since);
    }

    /**
     * Takes only the messages that the selector matches, as in JMS: {@code "country = 'PT' AND price > 10"}. On a queue
     * the other messages stay for other consumers. A durable subscription of another selector by the same name is
     * replaced, and loses what it has collected.
     *
     * @throws RingtableException RT-5001 if the selector is blank. The broker refuses one that is not well formed
     *     (RT-4064)
     */
    public SubscriptionOptions selector(String expression) {
        if (expression.isBlank()) {
            throw RingtableException.configuration(
                    "selector '" + expression + "'", "write a condition, or leave the selector out");
        }
        return new SubscriptionOptions(
                address, identity, expression, prefetch, prefetchBytes, concurrency, acknowledge, since);
    }

    /**
     * Lets the durable subscription begin in the past when it is created. The subscription first gets the topic's
     * messages since that time, in order, as far as retention ({@code ringtable.dispatch.addresses[].retention-age},
     * {@code retention-bytes}) has kept them. Messages published later follow. An existing subscription is not changed.
     *
     * @throws RingtableException RT-5001 if the subscription is not {@link #durable}. The broker refuses it (RT-2027)
     *     where the topic has no retention
     */
    public SubscriptionOptions since(Instant time) {
        Objects.requireNonNull(time, "time");
        if (!identity.durable()) {
            throw RingtableException.configuration(
                    "since=" + time + " for " + address,
                    "call durable first: only a durable subscription begins in the past");
        }
        return new SubscriptionOptions(
                address, identity, selector, prefetch, prefetchBytes, concurrency, acknowledge, time);
    }

    /**
     * Sets how many messages may be at the client and not yet settled; default 1000. This is the back-pressure: a
     * higher prefetch costs memory and keeps messages from other consumers; 1 shares long work evenly.
     */
    public SubscriptionOptions prefetch(int messages) {
        if (messages < 1) {
            throw RingtableException.configuration("prefetch=" + messages + " < 1", "use 1 or more");
        }
        return new SubscriptionOptions(
                address, identity, selector, messages, prefetchBytes, concurrency, acknowledge, since);
    }

    /**
     * Sets about how many bytes may be at the client and not yet settled; default 16 MiB. The bound lowers the prefetch
     * while messages are large. One message of any size is always let through.
     */
    public SubscriptionOptions prefetchBytes(long bytes) {
        if (bytes < 1) {
            throw RingtableException.configuration("prefetchBytes=" + bytes + " < 1", "use 1 or more");
        }
        return new SubscriptionOptions(address, identity, selector, prefetch, bytes, concurrency, acknowledge, since);
    }

    /**
     * Sets how many threads call the handler at the same time; default 1. Only with 1 are messages handled in their
     * order. A {@link Receiver} has no threads of its own and ignores this.
     */
    public SubscriptionOptions concurrency(int threads) {
        if (threads < 1) {
            throw RingtableException.configuration("concurrency=" + threads + " < 1", "use 1 or more");
        }
        return new SubscriptionOptions(
                address, identity, selector, prefetch, prefetchBytes, threads, acknowledge, since);
    }

    /**
     * Sets who acknowledges; default {@link AcknowledgeMode#AUTO}. A {@link Receiver} is always {@link
     * AcknowledgeMode#MANUAL}.
     */
    public SubscriptionOptions acknowledge(AcknowledgeMode mode) {
        Objects.requireNonNull(mode, "mode");
        return new SubscriptionOptions(address, identity, selector, prefetch, prefetchBytes, concurrency, mode, since);
    }

    public Address address() {
        return address;
    }

    public Optional<String> durableName() {
        return identity.durable() ? Optional.of(identity.name()) : Optional.empty();
    }

    /** Returns the name of a durable or shared subscription. */
    public Optional<String> subscriptionName() {
        return Optional.ofNullable(identity.name());
    }

    public boolean isShared() {
        return identity.shared();
    }

    public Optional<String> selector() {
        return Optional.ofNullable(selector);
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
