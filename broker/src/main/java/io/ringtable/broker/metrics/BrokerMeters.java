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
import io.ringtable.broker.store.StoreCounters;
import io.ringtable.broker.trace.MessageTraces;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
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
    private final Supplier<StoreCounters> store; // kept here, since meters hold their sources weakly
    private final Supplier<String> inboxTrouble;
    private final MessageTraces traces;
    private final MultiGauge owed;
    private final int subscriptionsMax;

    /**
     * Registers the meters.
     *
     * @param inboxTrouble gives why the broker collects nothing from the inbox; null while it collects
     * @param subscriptionsMax subscriptions with time series of their own; "(others)" sums up the rest
     */
    public BrokerMeters(
            MeterRegistry registry,
            StatusSampler sampler,
            AmqpCounters amqp,
            Supplier<StoreCounters> store,
            Supplier<String> inboxTrouble,
            MessageTraces traces,
            int subscriptionsMax) {
        this.registry = registry;
        this.sampler = sampler;
        this.store = store;
        this.inboxTrouble = inboxTrouble;
        this.traces = traces;
        this.subscriptionsMax = subscriptionsMax;
        owed = MultiGauge.builder(BrokerMetric.OWED.id())
                .description(BrokerMetric.OWED.meaning())
                .register(registry);
        bindAmqp(amqp);
        bindStore();
        bindState();
        bindShard();
        FunctionCounter.builder(BrokerMetric.TRACES_DROPPED.id(), this, it -> it.traces.dropped())
                .description(BrokerMetric.TRACES_DROPPED.meaning())
                .register(registry);
        FunctionCounter.builder(BrokerMetric.TRACES_PASSED_OVER.id(), this, it -> it.traces.passedOver())
                .description(BrokerMetric.TRACES_PASSED_OVER.meaning())
                .register(registry);
    }

    private void bindStore() {
        FunctionTimer.builder(
                        BrokerMetric.COMMIT_TIME.id(),
                        this,
                        it -> (long) it.ofStore(counters -> counters.commits.sum()),
                        it -> it.ofStore(counters -> counters.commitNanos.sum()),
                        TimeUnit.NANOSECONDS)
                .description(BrokerMetric.COMMIT_TIME.meaning())
                .register(registry);
        FunctionCounter.builder(
                        BrokerMetric.LOG_WRITTEN.id(), this, it -> it.ofStore(counters -> counters.logBytes.sum()))
                .description(BrokerMetric.LOG_WRITTEN.meaning())
                .baseUnit(BrokerMetric.LOG_WRITTEN.unit())
                .register(registry);
    }

    /** Returns a value of the store; 0 before the store is open. */
    private double ofStore(ToDoubleFunction<StoreCounters> value) {
        StoreCounters counters = store.get();
        return counters == null ? 0 : value.applyAsDouble(counters);
    }

    private void bindAmqp(AmqpCounters amqp) {
        gauge(BrokerMetric.CONNECTIONS, amqp.connections);
        gauge(BrokerMetric.CONNECTIONS_HELD, amqp.heldBytes);
        gauge(BrokerMetric.HANDSHAKES, amqp.handshakes);
        LongestTurns.register(registry, "event-loop", amqp.longestTurn);
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
        counter(BrokerMetric.RESTARTS, status -> status.state().failures().total());
        Gauge.builder(BrokerMetric.INBOX_FAILING.id(), this, it -> it.inboxTrouble.get() == null ? 0 : 1)
                .description(BrokerMetric.INBOX_FAILING.meaning())
                .register(registry);
        gauge(BrokerMetric.STORE_DELAYED_DURABILITY, status -> status.delayedDurability() ? 1 : 0);
        gauge(BrokerMetric.PUBLISHERS_HELD, status -> status.shortage() == null ? 0 : 1);
        gauge(BrokerMetric.ADDRESSES, ofShard(shard -> shard.addresses().size()));
        gauge(BrokerMetric.TEMPORARY_ADDRESSES, ofShard(BrokerStatus.Shard::temporaryAddresses));
        gauge(
                BrokerMetric.STUCK_ADDRESSES,
                ofShard(shard -> shard.stuckAddresses().size()));
        gauge(BrokerMetric.PRODUCERS, ofShard(BrokerStatus.Shard::producers));
        gauge(BrokerMetric.SUBSCRIPTIONS, ofShard(BrokerMeters::subscriptions));
        gauge(BrokerMetric.PARKED_SUBSCRIPTIONS, ofShard(shard -> shard.parked().size()));
        gauge(BrokerMetric.QUOTA_USED, ofShard(BrokerMeters::fullest));
    }

    private void bindShard() {
        gauge(BrokerMetric.EPOCH, ofShard(BrokerStatus.Shard::epoch));
        counter(BrokerMetric.LEASE_RENEWALS_LATE, ofShard(BrokerStatus.Shard::lateRenewals));
        gauge(BrokerMetric.RING_GATE, ofShard(BrokerStatus.Shard::gate));
        gauge(BrokerMetric.RING_NEXT, ofShard(BrokerStatus.Shard::next));
        gauge(BrokerMetric.RING_CAPACITY, ofShard(BrokerStatus.Shard::capacity));
        gauge(BrokerMetric.RING_ROOM, ofShard(BrokerStatus.Shard::room));
        gauge(BrokerMetric.BACKLOG_MESSAGES, ofShard(BrokerStatus.Shard::backlogMessages));
        gauge(BrokerMetric.CONSUMERS, ofShard(BrokerStatus.Shard::consumers));
        gauge(BrokerMetric.MEMORY, ofShard(BrokerStatus.Shard::memoryBytes));
        gauge(BrokerMetric.UNSETTLED, ofShard(BrokerStatus.Shard::unsettledBytes));
        counter(BrokerMetric.REDELIVERIES, ofShard(BrokerStatus.Shard::redelivered));
        counter(BrokerMetric.DEAD_LETTERS, ofShard(BrokerStatus.Shard::deadLetters));
        counter(BrokerMetric.EXPIRED, ofShard(BrokerStatus.Shard::expired));
        counter(BrokerMetric.READ_BACK, ofShard(BrokerStatus.Shard::readBack));
    }

    /** Reads a value of the shard; 0 while this node does not own the shard. */
    private static ToDoubleFunction<BrokerStatus> ofShard(ToDoubleFunction<BrokerStatus.Shard> value) {
        return status -> status.shard() == null ? 0 : value.applyAsDouble(status.shard());
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

    private void counter(BrokerMetric metric, ToDoubleFunction<BrokerStatus> value) {
        FunctionCounter.builder(metric.id(), sampler, it -> value.applyAsDouble(it.latest()))
                .description(metric.meaning())
                .register(registry);
    }

    private record Owed(String address, BrokerStatus.Subscription subscription) {
        long messages() {
            return subscription.owedInRing() + subscription.owedInBacklog();
        }
    }

    /** Gives each of the subscriptions that owe most a time series. */
    public void refreshOwed(BrokerStatus status) {
        List<Owed> all = new ArrayList<>();
        List<BrokerStatus.Address> addresses =
                status.shard() == null ? List.of() : status.shard().addresses();
        for (BrokerStatus.Address address : addresses) {
            address.subscriptions().forEach(subscription -> all.add(new Owed(address.name(), subscription)));
        }
        all.sort(Comparator.comparingLong((Owed owing) -> -owing.messages()));
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        long othersInRing = 0;
        long othersInBacklog = 0;
        for (int i = 0; i < all.size(); i++) {
            BrokerStatus.Subscription subscription = all.get(i).subscription();
            if (i < subscriptionsMax) {
                String client = subscription.clientId();
                String name = client.isEmpty() ? subscription.name() : client + ":" + subscription.name();
                rows.add(row(all.get(i).address(), name, "ring", subscription.owedInRing()));
                rows.add(row(all.get(i).address(), name, "backlog", subscription.owedInBacklog()));
            } else {
                othersInRing += subscription.owedInRing();
                othersInBacklog += subscription.owedInBacklog();
            }
        }
        rows.add(row(OTHERS, OTHERS, "ring", othersInRing));
        rows.add(row(OTHERS, OTHERS, "backlog", othersInBacklog));
        owed.register(rows, true);
    }

    private static MultiGauge.Row<?> row(String address, String subscription, String place, long messages) {
        return MultiGauge.Row.of(Tags.of("address", address, "subscription", subscription, "place", place), messages);
    }
}
