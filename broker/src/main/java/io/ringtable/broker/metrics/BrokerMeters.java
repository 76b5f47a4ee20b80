package io.ringtable.broker.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.StoreCounters;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.trace.MessageTraces;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Registers the broker's counters and its status as meters.
 * <p>
 * Thread: registers on the caller's; {@link #refreshOwed} on the sampler's; any scrapes.
 */
public final class BrokerMeters {
    private static final String OTHERS = "(others)";

    private final MeterRegistry registry;
    private final StatusSampler sampler;
    private final IntFunction<String> storeOf;
    private final IntFunction<StoreCounters> store; // kept here, since meters hold their sources weakly
    private final IntFunction<StoreLimits> limits;
    private final Supplier<String> inboxTrouble;
    private final MessageTraces traces;
    private final MultiGauge owed;
    private final int subscriptionsMax;
    private final int shards;

    /**
     * Registers the meters. With several shards those of a shard have a tag {@code shard}.
     *
     * @param storeOf tells the name of the store in which a shard lies
     * @param store gives what the store of a shard counts, by the number of the shard; null before it is open
     * @param limits gives what the store of a shard promises; null before it is open
     * @param inboxTrouble gives why the broker collects nothing from the inbox; null while it collects
     * @param subscriptionsMax subscriptions with time series of their own; "(others)" sums up the rest of each shard
     * @param lease length of the lease
     * @param shards how many the process has
     */
    public BrokerMeters(
            MeterRegistry registry,
            StatusSampler sampler,
            AmqpCounters amqp,
            IntFunction<String> storeOf,
            IntFunction<StoreCounters> store,
            IntFunction<StoreLimits> limits,
            Supplier<String> inboxTrouble,
            MessageTraces traces,
            int subscriptionsMax,
            Duration lease,
            int shards) {
        this.registry = registry;
        this.sampler = sampler;
        this.storeOf = storeOf;
        this.store = store;
        this.limits = limits;
        this.inboxTrouble = inboxTrouble;
        this.traces = traces;
        this.subscriptionsMax = subscriptionsMax;
        this.shards = shards;
        owed = MultiGauge.builder(BrokerMetric.OWED.id())
                .description(BrokerMetric.OWED.meaning())
                .register(registry);
        bindAmqp(amqp);
        bindState();
        for (int shard = 0; shard < shards; shard++) {
            bindStore(shard);
            bindShard(shard);
        }
        gauge(BrokerMetric.LEASE, status -> lease.toNanos() / 1e9);
        FunctionCounter.builder(BrokerMetric.TRACES_DROPPED.id(), this, it -> it.traces.dropped())
                .description(BrokerMetric.TRACES_DROPPED.meaning())
                .register(registry);
        FunctionCounter.builder(BrokerMetric.TRACES_PASSED_OVER.id(), this, it -> it.traces.passedOver())
                .description(BrokerMetric.TRACES_PASSED_OVER.meaning())
                .register(registry);
    }

    private void bindStore(int shard) {
        FunctionTimer.builder(
                        BrokerMetric.COMMIT_TIME.id(),
                        this,
                        it -> (long) it.ofStore(shard, counters -> counters.commits.sum()),
                        it -> it.ofStore(shard, counters -> counters.commitNanos.sum()),
                        TimeUnit.NANOSECONDS)
                .description(BrokerMetric.COMMIT_TIME.meaning())
                .tags(ShardTags.of(shard, shards))
                .register(registry);
        FunctionCounter.builder(
                        BrokerMetric.LOG_WRITTEN.id(),
                        this,
                        it -> it.ofStore(shard, counters -> counters.logBytes.sum()))
                .description(BrokerMetric.LOG_WRITTEN.meaning())
                .baseUnit(BrokerMetric.LOG_WRITTEN.unit())
                .tags(ShardTags.of(shard, shards))
                .register(registry);
    }

    /** Returns a value of a shard's store; 0 before the store is open. */
    private double ofStore(int shard, ToDoubleFunction<StoreCounters> value) {
        StoreCounters counters = store.apply(shard);
        return counters == null ? 0 : value.applyAsDouble(counters);
    }

    private void bindAmqp(AmqpCounters amqp) {
        gauge(BrokerMetric.CONNECTIONS, amqp.connections);
        gauge(BrokerMetric.RELAYS, amqp.relays);
        gauge(BrokerMetric.RELAYED_LINKS, amqp.relayedLinks);
        gauge(BrokerMetric.CONNECTIONS_HELD, amqp.heldBytes);
        gauge(BrokerMetric.HANDSHAKES, amqp.handshakes);
        LongestTurns.register(registry, "event-loop", ShardTags.ofNone(shards), amqp.longestTurn);
        gauge(BrokerMetric.LINKS, amqp.links);
        gauge(BrokerMetric.PARKED, amqp.parked);
        counter(BrokerMetric.CONNECTIONS_OPENED, amqp.connectionsOpened);
        counter(BrokerMetric.CONNECTIONS_STALLED, amqp.stalledConnections);
        counter(BrokerMetric.CONNECTIONS_REFUSED, amqp.connectionsRefused);
        counter(BrokerMetric.HANDSHAKES_CLOSED, amqp.handshakesClosed);
        counter(BrokerMetric.LOGINS_FAILED, amqp.loginsFailed);
        counter(BrokerMetric.LOGINS_HASHED, amqp.loginsHashed);
        counter(BrokerMetric.LOGINS_PUT_OFF, amqp.loginsPutOff);
        counter(BrokerMetric.PERMISSIONS_REFUSED, amqp.permissionsRefused);
        counter(BrokerMetric.PROTOCOL_ERRORS, amqp.protocolErrors);
        counter(BrokerMetric.MESSAGES_IN, amqp.messagesIn);
        counter(BrokerMetric.BYTES_IN, amqp.bytesIn);
        counter(BrokerMetric.MESSAGES_OUT, amqp.messagesOut);
        counter(BrokerMetric.BYTES_OUT, amqp.bytesOut);
        counter(BrokerMetric.MESSAGES_REJECTED, amqp.rejected);
        counter(BrokerMetric.TRANSACTIONS_COMMITTED, amqp.transactionsCommitted);
        counter(BrokerMetric.TRANSACTIONS_ROLLED_BACK, amqp.transactionsRolledBack);
        counter(BrokerMetric.CREDIT_STALLS, amqp.creditStalls);
        counter(BrokerMetric.RATE_STALLS, amqp.rateStalls);
    }

    private void bindState() {
        for (BrokerState.Phase phase : BrokerState.Phase.values()) {
            Gauge.builder(
                            BrokerMetric.STATE.id(),
                            sampler,
                            it -> it.latest().state().phase() == phase ? 1 : 0)
                    .description(BrokerMetric.STATE.meaning())
                    .tag("phase", phase.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        FunctionCounter.builder(
                        BrokerMetric.RESTARTS.id(),
                        sampler,
                        it -> it.latest().state().failures().total())
                .description(BrokerMetric.RESTARTS.meaning())
                .register(registry);
        Gauge.builder(BrokerMetric.INBOX_FAILING.id(), this, it -> it.inboxTrouble.get() == null ? 0 : 1)
                .description(BrokerMetric.INBOX_FAILING.meaning())
                .register(registry);
        gauge(BrokerMetric.STORE_DELAYED_DURABILITY, status -> status.delayedDurability() ? 1 : 0);
        gauge(BrokerMetric.NODES_ALIVE, status -> status.nodes().alive());
        gauge(BrokerMetric.NODES_LOST, status -> status.nodes().lost().size());
        gauge(BrokerMetric.SHARDS_OWNED, status -> status.nodes().owned());
        gauge(BrokerMetric.PUBLISHERS_HELD, status -> status.shortage() == null ? 0 : 1);
    }

    private void bindShard(int shard) {
        Gauge.builder(BrokerMetric.SHARD_STORE.id(), () -> 1)
                .description(BrokerMetric.SHARD_STORE.meaning())
                .tags(ShardTags.of(shard, shards).and("store", storeOf.apply(shard)))
                .register(registry);
        Gauge.builder(BrokerMetric.SHARD_UNREPLICATED.id(), this, it -> it.isUnreplicated(shard) ? 1 : 0)
                .description(BrokerMetric.SHARD_UNREPLICATED.meaning())
                .tags(ShardTags.of(shard, shards))
                .register(registry);
        Gauge.builder(BrokerMetric.SHARD_AWAY.id(), sampler, it -> it.awaySeconds(shard))
                .description(BrokerMetric.SHARD_AWAY.meaning())
                .baseUnit(BrokerMetric.SHARD_AWAY.unit())
                .tags(ShardTags.of(shard, shards))
                .register(registry);
        gauge(BrokerMetric.ADDRESSES, shard, figures -> figures.addresses().size());
        gauge(BrokerMetric.TEMPORARY_ADDRESSES, shard, BrokerStatus.Shard::temporaryAddresses);
        gauge(
                BrokerMetric.STUCK_ADDRESSES,
                shard,
                figures -> figures.stuckAddresses().size());
        gauge(BrokerMetric.PRODUCERS, shard, BrokerStatus.Shard::producers);
        gauge(BrokerMetric.SUBSCRIPTIONS, shard, BrokerMeters::subscriptions);
        gauge(
                BrokerMetric.PARKED_SUBSCRIPTIONS,
                shard,
                figures -> figures.parked().size());
        gauge(BrokerMetric.QUOTA_USED, shard, BrokerMeters::fullest);
        gauge(BrokerMetric.EPOCH, shard, BrokerStatus.Shard::epoch);
        counter(BrokerMetric.LEASE_RENEWALS_LATE, shard, BrokerStatus.Shard::lateRenewals);
        gauge(BrokerMetric.RING_GATE, shard, BrokerStatus.Shard::gate);
        gauge(BrokerMetric.RING_NEXT, shard, BrokerStatus.Shard::next);
        gauge(BrokerMetric.RING_CAPACITY, shard, BrokerStatus.Shard::capacity);
        gauge(BrokerMetric.RING_ROOM, shard, BrokerStatus.Shard::room);
        gauge(BrokerMetric.BACKLOG_MESSAGES, shard, BrokerStatus.Shard::backlogMessages);
        gauge(BrokerMetric.CONSUMERS, shard, BrokerStatus.Shard::consumers);
        gauge(BrokerMetric.MEMORY, shard, BrokerStatus.Shard::memoryBytes);
        gauge(BrokerMetric.UNSETTLED, shard, BrokerStatus.Shard::unsettledBytes);
        counter(BrokerMetric.REDELIVERIES, shard, BrokerStatus.Shard::redelivered);
        counter(BrokerMetric.DEAD_LETTERS, shard, BrokerStatus.Shard::deadLetters);
        counter(BrokerMetric.EXPIRED, shard, BrokerStatus.Shard::expired);
        counter(BrokerMetric.READ_BACK, shard, BrokerStatus.Shard::readBack);
    }

    /** Tells whether a fail-over can lose messages. Only the node that owns the shard asks its database again. */
    private boolean isUnreplicated(int shard) {
        StoreLimits promised = limits.apply(shard);
        return promised != null
                && promised.unreplicated() != null
                && sampler.latest().shards().get(shard).figures() != null;
    }

    /** Reads a value of a shard; 0 while the shard does not run here. */
    private static double of(BrokerStatus status, int shard, ToDoubleFunction<BrokerStatus.Shard> value) {
        BrokerStatus.Shard figures = status.shards().get(shard).figures();
        return figures == null ? 0 : value.applyAsDouble(figures);
    }

    private static double subscriptions(BrokerStatus.Shard shard) {
        return shard.addresses().stream()
                .mapToInt(address -> address.subscriptions().size())
                .sum();
    }

    private static double fullest(BrokerStatus.Shard shard) {
        double most = 0;
        for (BrokerStatus.Address address : shard.addresses()) {
            most = Math.max(most, (double) address.messages() / address.quotaMessages());
            most = Math.max(most, (double) address.bytes() / address.quotaBytes());
        }
        return most;
    }

    private void gauge(BrokerMetric metric, LongAdder adder) {
        Gauge.builder(metric.id(), adder, LongAdder::sum)
                .description(metric.meaning())
                .baseUnit(metric.unit())
                .register(registry);
    }

    private void gauge(BrokerMetric metric, ToDoubleFunction<BrokerStatus> value) {
        Gauge.builder(metric.id(), sampler, it -> value.applyAsDouble(it.latest()))
                .description(metric.meaning())
                .baseUnit(metric.unit())
                .register(registry);
    }

    private void counter(BrokerMetric metric, LongAdder adder) {
        FunctionCounter.builder(metric.id(), adder, LongAdder::sum)
                .description(metric.meaning())
                .baseUnit(metric.unit())
                .register(registry);
    }

    private void gauge(BrokerMetric metric, int shard, ToDoubleFunction<BrokerStatus.Shard> value) {
        Gauge.builder(metric.id(), sampler, it -> of(it.latest(), shard, value))
                .description(metric.meaning())
                .baseUnit(metric.unit())
                .tags(ShardTags.of(shard, shards))
                .register(registry);
    }

    private void counter(BrokerMetric metric, int shard, ToDoubleFunction<BrokerStatus.Shard> value) {
        FunctionCounter.builder(metric.id(), sampler, it -> of(it.latest(), shard, value))
                .description(metric.meaning())
                .tags(ShardTags.of(shard, shards))
                .register(registry);
    }

    private record Owed(int shard, String address, BrokerStatus.Subscription subscription) {
        long messages() {
            return subscription.owedInRing() + subscription.owedInBacklog();
        }
    }

    /** Gives each of the subscriptions that owe most a time series. */
    public void refreshOwed(BrokerStatus status) {
        List<Owed> all = new ArrayList<>();
        for (ShardStatus shard : status.shards()) {
            List<BrokerStatus.Address> addresses =
                    shard.figures() == null ? List.of() : shard.figures().addresses();
            for (BrokerStatus.Address address : addresses) {
                address.subscriptions()
                        .forEach(subscription -> all.add(new Owed(shard.number(), address.name(), subscription)));
            }
        }
        all.sort(Comparator.comparingLong((Owed owing) -> -owing.messages()));
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        long[] othersInRing = new long[shards];
        long[] othersInBacklog = new long[shards];
        for (int i = 0; i < all.size(); i++) {
            Owed owing = all.get(i);
            BrokerStatus.Subscription subscription = owing.subscription();
            if (i < subscriptionsMax) {
                String client = subscription.clientId();
                String name = client.isEmpty() ? subscription.name() : client + ":" + subscription.name();
                rows.add(row(owing.shard(), owing.address(), name, "ring", subscription.owedInRing()));
                rows.add(row(owing.shard(), owing.address(), name, "backlog", subscription.owedInBacklog()));
            } else {
                othersInRing[owing.shard()] += subscription.owedInRing();
                othersInBacklog[owing.shard()] += subscription.owedInBacklog();
            }
        }
        for (int shard = 0; shard < shards; shard++) {
            rows.add(row(shard, OTHERS, OTHERS, "ring", othersInRing[shard]));
            rows.add(row(shard, OTHERS, OTHERS, "backlog", othersInBacklog[shard]));
        }
        owed.register(rows, true);
    }

    private MultiGauge.Row<?> row(int shard, String address, String subscription, String place, long messages) {
        Tags tags = ShardTags.of(shard, shards).and("address", address, "subscription", subscription, "place", place);
        return MultiGauge.Row.of(tags, messages);
    }
}
