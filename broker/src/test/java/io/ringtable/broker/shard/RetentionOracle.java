package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ReplayRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.Committed;
import io.ringtable.broker.work.Settle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Models what every subscription of the retention simulation must get. That is every message that it wants, from where
 * it begins, once and in the order of the commits. Thread: the test's.
 */
final class RetentionOracle implements CommitListener {
    /** A message as it was published. */
    private record Original(long sequence, String text, long publishedAt) {}

    /** Holds what a subscription must get: from a sequence on, every message that it wants. */
    static final class Reading {
        private final String name;
        private final String topic;
        private final String prefix;
        private final long from;
        private final Set<String> seen = new HashSet<>();
        final Set<String> flagged = new HashSet<>(); // must be, when they come again
        final Set<String> settled = new HashSet<>(); // durably
        private int cursor; // among the originals of its topic: what lies before has been delivered or is not for it

        Reading(String name, String topic, String prefix, long from) {
            this.name = name;
            this.topic = topic;
            this.prefix = prefix;
            this.from = from;
        }

        boolean wants(Original original) {
            return original.sequence() >= from
                    && (prefix == null || original.text().startsWith(prefix));
        }

        @Override
        public String toString() {
            return "replay " + name + " subscription of " + topic + " from " + from
                    + (prefix == null ? "" : " of '" + prefix + "'");
        }
    }

    private final SteppedShard shard;
    private final Map<String, List<Original>> originals = new HashMap<>(); // by topic, committed
    private final Map<Long, Reading> readings = new HashMap<>();
    private final Map<String, Long> since = new HashMap<>(); // asked for, by name of the subscription
    private int replays;

    RetentionOracle(SteppedShard shard, List<String> topics) {
        this.shard = shard;
        topics.forEach(topic -> originals.put(topic, new ArrayList<>()));
    }

    /** That subscription asks for what was published at that time or later. */
    void asked(String name, long at) {
        since.put(name, at);
    }

    /** Null if it is of a queue, or gone. */
    Reading reading(Subscription subscription) {
        return readings.get(subscription.id());
    }

    /** How many subscriptions began in the past. */
    int replays() {
        return replays;
    }

    /** Everything that they want has been delivered to all of them. */
    void requireNothingMissing() {
        for (Reading reading : readings.values()) {
            assertThat(next(reading)).as("never delivered to %s", reading).isNull();
        }
    }

    // ---- what the committer says

    @Override
    public void committed(List<Committed> messages, List<Flush.DispatchBound> bounds, long epoch) {
        for (Committed message : messages) {
            List<Original> topic = originals.get(message.message().address().name());
            if (topic != null && message.first() && message.sequence() >= 0) {
                topic.add(new Original(
                        message.sequence(),
                        new String(message.message().encoded(), StandardCharsets.UTF_8),
                        message.message().publishedAt()));
            }
        }
    }

    @Override
    public void subscribed(Subscription subscription) {
        if (!subscription.address().isQueue()) {
            Long at = since.get(subscription.name());
            assertThat(readings.put(
                            subscription.id(),
                            reading(subscription, at == null ? subscription.fromSequence() : first(subscription, at))))
                    .isNull();
        }
    }

    /** Of what is kept at this moment, the first that was published at that time or later. */
    private long first(Subscription subscription, long at) {
        replays++;
        long kept = keeper(subscription.address().name()).fromSequence();
        return originals.get(subscription.address().name()).stream()
                .filter(original -> original.sequence() >= kept && original.publishedAt() >= at)
                .mapToLong(Original::sequence)
                .findFirst()
                .orElse(subscription.fromSequence());
    }

    @Override
    public void unsubscribed(Subscription subscription) {
        readings.remove(subscription.id());
    }

    @Override
    public void settledElsewhere(List<Settle> settlements) {}

    @Override
    public void gateRaised(long gate) {}

    @Override
    public void created(Address address) {}

    @Override
    public void deleted(Address address) {}

    @Override
    public void fencePassed(Subscription subscription) {}

    private static Reading reading(Subscription subscription, long from) {
        Selector selector = subscription.selector();
        return new Reading(
                subscription.name(), subscription.address().name(), selector == null ? null : selector.text(), from);
    }

    private Subscription keeper(String topic) {
        return shard.committer.entries().byName(topic).subscriptions().stream()
                .map(SubscriptionEntry::subscription)
                .filter(Subscription::isRetention)
                .findFirst()
                .orElseThrow();
    }

    // ---- what a subscription is to get

    /** The text of the next first delivery; null if there is none to come. */
    private String next(Reading reading) {
        List<Original> all = originals.get(reading.topic);
        while (reading.cursor < all.size() && !reading.wants(all.get(reading.cursor))) {
            reading.cursor++;
        }
        return reading.cursor < all.size() ? all.get(reading.cursor++).text() : null;
    }

    void delivered(Reading reading, Delivery delivery) {
        String text = SteppedShard.text(delivery);
        assertThat(reading.settled.contains(text))
                .as("%s came back to %s", text, reading)
                .isFalse();
        if (reading.seen.add(text)) {
            assertThat(text).as("first delivery of %s", reading).isEqualTo(next(reading));
        } else if (reading.flagged.contains(text)) {
            assertThat(delivery.redelivered())
                    .as("%s of %s is flagged", text, reading)
                    .isTrue();
        }
    }

    /** Takes over from the tables what the crash left open. @param subscriptions that exist after the crash */
    void restarted(List<Subscription> subscriptions) {
        List<StoredMessage> rows = new ArrayList<>();
        ShardState tables = shard.store.recover(shard.state.epoch(), row -> rows.add(row.message()));
        for (String topic : originals.keySet()) {
            addNotHeard(topic, rows);
        }
        Map<Long, Reading> before = new HashMap<>(readings);
        readings.clear();
        for (Subscription subscription : subscriptions) {
            Reading known = before.get(subscription.id());
            readings.put(subscription.id(), known != null ? known : reading(subscription, begin(subscription, tables)));
        }
        readings.values().forEach(reading -> reading.flagged.addAll(reading.seen));
    }

    private void addNotHeard(String topic, List<StoredMessage> rows) {
        Subscription keeper = keeper(topic);
        List<Original> known = originals.get(topic);
        long last = known.isEmpty() ? -1 : known.get(known.size() - 1).sequence();
        long[] sequences = rows.stream()
                .filter(row -> row.addressId() == keeper.address().id()
                        && row.sequence() > last
                        && (row.pending() & keeper.mask()) != 0)
                .mapToLong(StoredMessage::sequence)
                .toArray();
        for (StoredMessage row : shard.store.readRing(sequences)) {
            byte[] body = row.body() != null ? row.body() : shard.store.readBody(row.bodyId());
            known.add(new Original(row.sequence(), new String(body, StandardCharsets.UTF_8), row.publishedAt()));
        }
    }

    /** Of one that was created by what was not heard of: nothing has been copied for it yet. */
    private long begin(Subscription subscription, ShardState tables) {
        Long at = since.get(subscription.name());
        if (at == null) {
            return subscription.fromSequence();
        }
        long position = tables.replays().stream()
                .filter(row -> row.subscriptionId() == subscription.id())
                .mapToLong(ReplayRow::position)
                .findFirst()
                .orElseThrow();
        originals.get(subscription.address().name()).stream()
                .filter(original -> original.sequence() >= position)
                .forEach(original -> assertThat(original.publishedAt()).isGreaterThanOrEqualTo(at));
        return position;
    }
}
