package io.ringtable.broker.store;

import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.setting.Setting;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Models a shard in plain maps: the oracle that a store is compared with. The model changes only after the store has
 * reported its change as durable.
 */
public final class StoreModel {
    final int capacity;
    long gate;
    long next;
    long dispatchBound = -1;
    long nextId;
    final NavigableMap<Long, AddressRow> addresses = new TreeMap<>();
    final NavigableMap<Long, SubscriptionRow> subscriptions = new TreeMap<>();
    final NavigableMap<Long, StoredMessage> ring = new TreeMap<>();
    final NavigableMap<Long, StoredMessage> backlog = new TreeMap<>();
    final Map<RingKey, byte[]> ledger = new TreeMap<>();
    final Map<BacklogKey, byte[]> backlogLedger = new TreeMap<>();
    final Map<RedeliveryKey, Flush.Redelivery> redeliveries = new TreeMap<>();
    final NavigableMap<Long, ProducerRow> producers = new TreeMap<>();
    final NavigableMap<Long, ReplayRow> replays = new TreeMap<>(); // by subscription
    final NavigableMap<String, CatalogChange.OwnClient> clientOwners = new TreeMap<>();
    final Map<String, Setting> settings = new TreeMap<>(); // by kind and name
    final NavigableMap<Integer, LoginRow> logins = new TreeMap<>();
    final Map<String, Flush.DuplicateId> duplicateIds = new TreeMap<>(); // by address and position

    record RingKey(long block, int bit) implements Comparable<RingKey> {
        @Override
        public int compareTo(RingKey other) {
            return block != other.block ? Long.compare(block, other.block) : Integer.compare(bit, other.bit);
        }
    }

    record BacklogKey(long addressId, long block, int bit) implements Comparable<BacklogKey> {
        @Override
        public int compareTo(BacklogKey other) {
            return addressId != other.addressId
                    ? Long.compare(addressId, other.addressId)
                    : new RingKey(block, bit).compareTo(new RingKey(other.block, other.bit));
        }
    }

    record RedeliveryKey(long sequence, long subscriptionId) implements Comparable<RedeliveryKey> {
        @Override
        public int compareTo(RedeliveryKey other) {
            return sequence != other.sequence
                    ? Long.compare(sequence, other.sequence)
                    : Long.compare(subscriptionId, other.subscriptionId);
        }
    }

    StoreModel(int capacity) {
        this.capacity = capacity;
    }

    /** Copies the model, for another store with the same rows. */
    StoreModel copy() {
        StoreModel copy = new StoreModel(capacity);
        copy.gate = gate;
        copy.next = next;
        copy.dispatchBound = dispatchBound;
        copy.nextId = nextId;
        copy.addresses.putAll(addresses);
        copy.subscriptions.putAll(subscriptions);
        copy.ring.putAll(ring);
        copy.backlog.putAll(backlog);
        copy.ledger.putAll(ledger);
        copy.backlogLedger.putAll(backlogLedger);
        copy.redeliveries.putAll(redeliveries);
        copy.producers.putAll(producers);
        copy.replays.putAll(replays);
        copy.clientOwners.putAll(clientOwners);
        copy.settings.putAll(settings);
        copy.logins.putAll(logins);
        copy.duplicateIds.putAll(duplicateIds);
        return copy;
    }

    /** A message with its body as something that {@code equals} understands. */
    record Row(
            long sequence,
            long addressId,
            long publishedAt,
            int priority,
            long expiresAt,
            long deliverAt,
            int group,
            long pending,
            ByteBuffer body,
            long bodyId,
            int bodyBytes,
            int loginId) {

        static Row of(StoredMessage m) {
            return new Row(
                    m.sequence(),
                    m.addressId(),
                    m.publishedAt(),
                    m.priority(),
                    m.expiresAt(),
                    m.deliverAt(),
                    m.group(),
                    m.pending(),
                    m.body() == null ? null : ByteBuffer.wrap(m.body()),
                    m.bodyId(),
                    m.bodyBytes(),
                    m.loginId());
        }

        static List<Row> of(List<StoredMessage> messages) {
            return messages.stream().map(Row::of).toList();
        }
    }

    static StoredMessage with(StoredMessage m, long pending, byte[] body) {
        return with(m, pending, body, m.loginId());
    }

    /** A row that is read without its body: nobody asks for the login then. */
    static StoredMessage facts(StoredMessage m) {
        return with(m, m.pending(), null, PublisherLogin.UNKNOWN_ID);
    }

    private static StoredMessage with(StoredMessage m, long pending, byte[] body, int loginId) {
        return new StoredMessage(
                m.sequence(),
                m.addressId(),
                m.publishedAt(),
                m.priority(),
                m.expiresAt(),
                m.deliverAt(),
                m.group(),
                pending,
                body,
                m.bodyId(),
                m.bodyBytes(),
                loginId);
    }

    static boolean isSet(byte[] bitmap, long sequence) {
        int i = RingGeometry.indexInBlock(sequence);
        return bitmap != null && (bitmap[i / 8] >> (i % 8) & 1) == 1;
    }

    /** The bits that the ledger leaves, whether their subscriptions live or not. */
    long unsettled(StoredMessage m) {
        boolean inRing = m.sequence() >= gate;
        long block = RingGeometry.blockOf(m.sequence());
        long left = m.pending();
        for (long bits = left; bits != 0; bits &= bits - 1) {
            int bit = Long.numberOfTrailingZeros(bits);
            byte[] settled = inRing
                    ? ledger.get(new RingKey(block, bit))
                    : backlogLedger.get(new BacklogKey(m.addressId(), block, bit));
            if (isSet(settled, m.sequence())) {
                left &= ~(1L << bit);
            }
        }
        return left;
    }

    /** The bits that live subscriptions still owe. */
    long owed(StoredMessage m) {
        long live = 0;
        for (SubscriptionRow s : subscriptions.values()) {
            if (s.addressId() == m.addressId() && s.group() == m.group() && s.fromSequence() <= m.sequence()) {
                live |= 1L << s.bit();
            }
        }
        return unsettled(m) & live;
    }

    /** Messages that a reclaim up to there has to move. */
    long owedBelow(long newGate) {
        return ring.headMap(newGate).values().stream().filter(m -> owed(m) != 0).count();
    }

    void apply(Flush flush) {
        for (StoredMessage m : flush.claims()) {
            ring.put(m.sequence(), m);
            next = m.sequence() + 1;
        }
        flush.settlements().forEach(s -> ledger.put(new RingKey(s.block(), s.bit()), s.settled()));
        flush.backlogSettlements()
                .forEach(s -> backlogLedger.put(new BacklogKey(s.addressId(), s.block(), s.bit()), s.settled()));
        for (Flush.Redelivery r : flush.redeliveries()) {
            RedeliveryKey key = new RedeliveryKey(r.sequence(), r.subscriptionId());
            if (r.count() == 0) {
                redeliveries.remove(key);
            } else {
                redeliveries.put(key, r);
            }
        }
        flush.dispatchBounds()
                .forEach(d -> subscriptions.computeIfPresent(
                        d.subscriptionId(), (id, s) -> with(s, s.fromSequence(), d.sequence())));
        if (flush.dispatchBound() != Flush.UNCHANGED) {
            dispatchBound = flush.dispatchBound();
        }
        for (Flush.Produced p : flush.producers()) {
            ProducerRow row = producers.get(p.producerId());
            producers.put(p.producerId(), with(row, row.incarnation(), p.lastNumber(), p.usedAt(), row.owner()));
        }
        flush.duplicateIds().forEach(d -> duplicateIds.put(d.addressId() + "/" + d.position(), d));
        flush.replays()
                .forEach(r -> replays.put(r.subscriptionId(), new ReplayRow(r.subscriptionId(), r.position(), false)));
    }

    private static ProducerRow with(ProducerRow p, long incarnation, long lastNumber, long usedAt, String owner) {
        return new ProducerRow(p.producerId(), p.addressId(), p.name(), incarnation, lastNumber, usedAt, owner);
    }

    /** Takes back the logins, as in a schema without them. */
    void forgetLogins() {
        logins.clear();
        ring.replaceAll((sequence, m) -> with(m, m.pending(), m.body(), PublisherLogin.UNKNOWN_ID));
        backlog.replaceAll((sequence, m) -> with(m, m.pending(), m.body(), PublisherLogin.UNKNOWN_ID));
    }

    /** Takes back the owners, as in a schema without them. */
    void disownProducers() {
        producers.replaceAll((id, p) -> with(p, p.incarnation(), p.lastNumber(), p.usedAt(), null));
    }

    void apply(CatalogChange change) {
        if (change instanceof CatalogChange.CreateAddress c) {
            addresses.put(
                    c.addressId(),
                    new AddressRow(c.addressId(), c.name(), c.kind(), c.quotaMessages(), c.quotaBytes()));
            nextId = Math.max(nextId, c.addressId() + 1);
        } else if (change instanceof CatalogChange.DeleteAddress d) {
            addresses.remove(d.addressId());
            subscriptions.values().stream()
                    .filter(s -> s.addressId() == d.addressId())
                    .map(SubscriptionRow::subscriptionId)
                    .toList()
                    .forEach(this::forget);
            producers.values().removeIf(p -> p.addressId() == d.addressId());
            duplicateIds.values().removeIf(id -> id.addressId() == d.addressId());
        } else if (change instanceof CatalogChange.Subscribe s) {
            subscriptions.put(s.subscription().subscriptionId(), s.subscription());
            nextId = Math.max(nextId, s.subscription().subscriptionId() + 1);
        } else if (change instanceof CatalogChange.Unsubscribe u) {
            forget(u.subscriptionId());
        } else if (change instanceof CatalogChange.Purge p) {
            subscriptions.computeIfPresent(p.subscriptionId(), (id, s) -> with(s, p.fromSequence(), s.dispatchBound()));
            redeliveries
                    .keySet()
                    .removeIf(key -> key.subscriptionId() == p.subscriptionId() && key.sequence() < p.fromSequence());
        } else if (change instanceof CatalogChange.OwnClient o) {
            clientOwners.remove(o.clientId());
            if (o.owner() != null) {
                clientOwners.put(o.clientId(), o);
            }
        } else if (change instanceof CatalogChange.PutSetting p) {
            settings.put(p.setting().kind() + "/" + p.setting().name(), p.setting());
        } else if (change instanceof CatalogChange.DeleteSetting d) {
            settings.remove(d.kind() + "/" + d.name());
        } else if (change instanceof CatalogChange.CreateLogin c) {
            logins.put(c.login().loginId(), c.login());
        } else if (change instanceof CatalogChange.CreateProducer c) {
            producers.put(c.producer().producerId(), c.producer());
            nextId = Math.max(nextId, c.producer().producerId() + 1);
        } else if (change instanceof CatalogChange.ReopenProducer r) {
            producers.computeIfPresent(
                    r.producerId(), (id, p) -> with(p, r.incarnation(), p.lastNumber(), r.openedAt(), r.owner()));
        } else if (change instanceof CatalogChange.ForgetProducer f) {
            producers.remove(f.producerId());
        } else if (change instanceof CatalogChange.KeepDuplicateIds k) {
            k.ids().forEach(d -> duplicateIds.put(d.addressId() + "/" + d.position(), d));
        } else if (change instanceof CatalogChange.BeginReplay b) {
            replays.put(b.subscriptionId(), new ReplayRow(b.subscriptionId(), b.position(), false));
        } else if (change instanceof CatalogChange.EndReplay e) {
            replays.computeIfPresent(e.subscriptionId(), (id, r) -> new ReplayRow(id, r.position(), true));
        }
    }

    private void forget(long subscriptionId) {
        subscriptions.remove(subscriptionId);
        replays.remove(subscriptionId);
        redeliveries.keySet().removeIf(key -> key.subscriptionId() == subscriptionId);
    }

    void reclaimed(long newGate) {
        Map<Long, StoredMessage> passed = new TreeMap<>(ring.headMap(newGate));
        passed.values().removeIf(m -> owed(m) == 0);
        passed.replaceAll((sequence, m) -> with(m, owed(m), m.body()));
        ring.headMap(newGate).clear();
        ledger.keySet().removeIf(key -> key.block() < RingGeometry.blockOf(newGate));
        gate = newGate;
        backlog.putAll(passed);
    }

    void discarded(long addressId, long fromSequence, long toSequence) {
        backlog.subMap(fromSequence, toSequence).values().removeIf(m -> m.addressId() == addressId && owed(m) == 0);
        backlogLedger.keySet().removeIf(key -> key.addressId() == addressId && backlogOf(addressId, key.block()) == 0);
    }

    private long backlogOf(long addressId, long block) {
        return backlog.subMap(RingGeometry.firstOfBlock(block), RingGeometry.firstOfBlock(block + 1)).values().stream()
                .filter(m -> m.addressId() == addressId)
                .count();
    }

    List<StoredMessage> backlogOf(long addressId) {
        return backlog.values().stream().filter(m -> m.addressId() == addressId).toList();
    }

    List<ShardState.OwedCount> owedInBacklog(long addressId, long fromSequence, long toSequence) {
        List<ShardState.OwedCount> counts = new ArrayList<>();
        for (SubscriptionRow s : subscriptions.values()) {
            long owed = s.addressId() != addressId
                    ? 0
                    : backlogOf(addressId).stream()
                            .filter(m -> m.sequence() >= fromSequence && m.sequence() < toSequence)
                            .filter(m -> m.group() == s.group() && m.sequence() >= s.fromSequence())
                            .filter(m -> (unsettled(m) >> s.bit() & 1) == 1)
                            .count();
            if (owed > 0) {
                counts.add(new ShardState.OwedCount(s.subscriptionId(), owed));
            }
        }
        return counts;
    }

    ShardState.BacklogSummary summary(long addressId) {
        List<StoredMessage> rows = backlogOf(addressId);
        return new ShardState.BacklogSummary(
                addressId,
                rows.isEmpty() ? 0 : rows.get(0).sequence(),
                rows.isEmpty() ? 0 : rows.get(rows.size() - 1).sequence(),
                rows.size(),
                rows.stream().mapToLong(StoredMessage::bodyBytes).sum(),
                rows.stream()
                        .mapToLong(StoredMessage::expiresAt)
                        .filter(t -> t > 0)
                        .min()
                        .orElse(0),
                rows.stream()
                        .mapToLong(StoredMessage::deliverAt)
                        .filter(t -> t > 0)
                        .min()
                        .orElse(0));
    }

    List<ShardState.BacklogSummary> summaries() {
        List<ShardState.BacklogSummary> all = new ArrayList<>();
        backlog.values().stream()
                .map(StoredMessage::addressId)
                .distinct()
                .sorted()
                .forEach(id -> all.add(summary(id)));
        return all;
    }

    private static SubscriptionRow with(SubscriptionRow s, long fromSequence, long dispatchBound) {
        return new SubscriptionRow(
                s.subscriptionId(),
                s.addressId(),
                s.clientId(),
                s.name(),
                s.group(),
                s.bit(),
                fromSequence,
                dispatchBound,
                s.selector(),
                s.noLocal(),
                s.shared());
    }
}
