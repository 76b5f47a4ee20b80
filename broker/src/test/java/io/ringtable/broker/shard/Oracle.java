package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Flush.DispatchBound;
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
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Models what the shard must know, from its requests and its answers alone; checks everything that the shard says.
 * <p>
 * Invariants checked:
 * <ul>
 *   <li>sequences have no holes, and transactions are whole;
 *   <li>exactly the subscriptions that were there owe a message;
 *   <li>a message is accepted only after its commit;
 *   <li>first deliveries come in order, none twice at a time, flagged whenever it may have been seen;
 *   <li>failures are counted exactly;
 *   <li>a settlement never comes back;
 *   <li>a dead letter is there exactly if its message is settled;
 *   <li>quotas and counts are exact at rest;
 *   <li>tables equal the model: what is owed below the gate is in the backlog and nowhere else.
 * </ul>
 */
final class Oracle implements CommitListener {

    /** A committed message. */
    record Stored(long sequence, long addressId, String text, int bytes) {}

    final TreeMap<Long, Stored> stored = new TreeMap<>(); // messages that somebody may still owe
    final Map<Long, OwedModel> readings = new HashMap<>();
    final Set<String> submitted = new HashSet<>(); // handed in, outcome unknown
    final Set<String> committed = new HashSet<>(); // heard to be durable
    final List<Discharging> discharging = new ArrayList<>(); // handed in, outcome unknown
    boolean inOneOrder = true; // else priorities, times and selectors decide as well
    long next;

    // ---- what the committer says

    @Override
    public void committed(List<Committed> messages, List<DispatchBound> bounds, long epoch) {
        for (Committed message : messages) {
            String text = text(message.message().encoded());
            committed.add(text);
            if (message.sequence() >= 0) {
                claimed(message, text);
            } else {
                assertThat(of(message.message().address().id())).isEmpty();
            }
        }
    }

    /** No simulated client has transactions of its own. */
    @Override
    public void settledElsewhere(List<Settle> settlements) {
        throw new AssertionError("nobody settled " + settlements);
    }

    private void claimed(Committed message, String text) {
        assertThat(message.sequence()).as("the next sequence").isEqualTo(next++);
        Address address = message.message().address();
        int owing = 0;
        for (OwedModel reading : of(address.id())) {
            if (reading.group == message.group()) {
                reading.owed.add(message.sequence());
                owing++;
            }
        }
        assertThat(Long.bitCount(message.pending())).as("who owes %s", text).isEqualTo(owing);
        stored.put(
                message.sequence(),
                new Stored(
                        message.sequence(),
                        address.id(),
                        text,
                        message.message().bytes()));
        buried(text);
    }

    /** A dead letter is there: the message that it was is settled by the same flush. */
    private void buried(String text) {
        if (text.indexOf('|') < 0) {
            return;
        }
        for (OwedModel reading : readings.values()) {
            if (text.endsWith(reading.letterMark())) {
                String original =
                        text.substring(0, text.length() - reading.letterMark().length());
                reading.burying.removeIf(sequence -> {
                    boolean that = stored.get(sequence).text().equals(original);
                    if (that) {
                        reading.owed.remove(sequence);
                    }
                    return that;
                });
            }
        }
    }

    List<OwedModel> of(long addressId) {
        return readings.values().stream()
                .filter(reading -> reading.addressId == addressId)
                .toList();
    }

    @Override
    public void gateRaised(long gate) {}

    @Override
    public void created(Address address) {}

    @Override
    public void deleted(Address address) {
        throw new AssertionError(address + ": the simulation has no temporary addresses");
    }

    @Override
    public void subscribed(Subscription subscription) {
        assertThat(subscription.fromSequence()).isEqualTo(next);
        readings.put(subscription.id(), new OwedModel(subscription));
    }

    @Override
    public void unsubscribed(Subscription subscription) {
        readings.remove(subscription.id());
    }

    @Override
    public void fencePassed(Subscription subscription) {}

    // ---- what consumers see and do

    /** @return whether it is its first delivery */
    boolean delivered(Delivery delivery) {
        OwedModel reading = readings.get(delivery.subscription().id());
        if (reading == null) {
            return false; // unsubscribed while it was on its way
        }
        long sequence = delivery.sequence();
        String what = "message " + sequence + " for " + reading;
        assertThat(reading.owed.contains(sequence)).as("%s is owed", what).isTrue();
        assertThat(reading.inFlight.add(sequence))
                .as("%s is delivered once at a time", what)
                .isTrue();
        assertThat(SteppedShard.text(delivery))
                .as(what)
                .isEqualTo(stored.get(sequence).text());
        if (reading.mayBeSeen.contains(sequence)) {
            assertThat(delivery.redelivered()).as("%s is flagged", what).isTrue();
        }
        assertThat(delivery.failures())
                .as("failures of %s", what)
                .isEqualTo(reading.failures.getOrDefault(sequence, 0));
        boolean first = reading.delivered.add(sequence);
        if (first && inOneOrder) {
            assertThat(sequence).as("first deliveries of %s in order", reading).isGreaterThan(reading.firstDelivered);
            reading.firstDelivered = sequence;
        }
        reading.burying.remove(sequence); // it was not buried
        return first;
    }

    void accepted(Delivery delivery) {
        OwedModel reading = readings.get(delivery.subscription().id());
        if (reading != null) {
            reading.owed.remove(delivery.sequence());
            reading.inFlight.remove(delivery.sequence());
            reading.settling.add(delivery.sequence());
        }
    }

    void settled(Delivery delivery) {
        OwedModel reading = readings.get(delivery.subscription().id());
        if (reading != null) {
            reading.settling.remove(delivery.sequence());
        }
    }

    /** A transaction is handed in: its messages and what it settles become durable together or not at all. */
    record Discharging(List<String> texts, List<Delivery> deliveries) {}

    Discharging discharging(List<String> texts, List<Delivery> deliveries) {
        Discharging transaction = new Discharging(texts, deliveries);
        discharging.add(transaction);
        return transaction;
    }

    void discharged(Discharging transaction, boolean committed) {
        discharging.remove(transaction);
        for (Delivery delivery : transaction.deliveries) {
            OwedModel reading = readings.get(delivery.subscription().id());
            if (reading != null) {
                reading.settling.remove(delivery.sequence());
                if (!committed) {
                    reading.owed.add(delivery.sequence());
                }
            }
        }
    }

    /** An operator wants the message removed; it may be delivered before the dispatcher hears of that. */
    void removing(long subscriptionId, long sequence) {
        readings.get(subscriptionId).removing.add(sequence);
    }

    /** @param durable false if it was refused: somebody has the message */
    void removed(long subscriptionId, long sequence, boolean durable) {
        OwedModel reading = readings.get(subscriptionId);
        if (reading != null && reading.removing.remove(sequence) && durable) {
            assertThat(reading.inFlight)
                    .as("what a consumer of %s has", reading)
                    .doesNotContain(sequence);
            reading.owed.remove(sequence);
        }
    }

    /** @param seen the client may have looked at it */
    void cameBack(Delivery delivery, boolean seen, boolean failed) {
        OwedModel reading = readings.get(delivery.subscription().id());
        if (reading != null) {
            reading.inFlight.remove(delivery.sequence());
            if (seen || failed) {
                reading.mayBeSeen.add(delivery.sequence());
            }
            if (failed) {
                reading.failures.merge(delivery.sequence(), 1, Integer::sum);
            }
        }
    }

    void rejected(Delivery delivery) {
        OwedModel reading = readings.get(delivery.subscription().id());
        if (reading != null) {
            reading.inFlight.remove(delivery.sequence());
            reading.mayBeSeen.add(delivery.sequence());
            reading.burying.add(delivery.sequence());
        }
    }

    // ---- after a crash

    /** Takes over what the tables say where the crash left it open, and refuses every other difference. */
    void restarted(SteppedShard shard) {
        OracleTables tables = OracleTables.read(shard);
        Map<Long, OwedModel> before = new HashMap<>(readings);
        readings.clear();
        for (AddressEntry address : shard.committer.entries().entries()) {
            for (SubscriptionEntry entry : address.subscriptions()) {
                Subscription subscription = entry.subscription();
                OwedModel known = before.remove(subscription.id());
                readings.put(subscription.id(), known == null ? new OwedModel(subscription) : known);
            }
        }
        assertThat(before.size())
                .as("subscriptions that went with the crash: %s", before)
                .isLessThanOrEqualTo(1);
        assertThat(tables.state().next()).isGreaterThanOrEqualTo(next);
        for (StoredMessage row : tables.ring().tailMap(next).values()) {
            String text = text(row.body() != null ? row.body() : shard.store.readBody(row.bodyId()));
            boolean letter = text.indexOf('|') >= 0;
            assertThat(letter || submitted.contains(text))
                    .as("message %s was handed in", text)
                    .isTrue();
            stored.put(row.sequence(), new Stored(row.sequence(), row.addressId(), text, row.bodyBytes()));
            committed.add(text);
        }
        submitted.clear();
        discharging.forEach(transaction -> requireWhole(transaction, tables));
        discharging.clear();
        for (OwedModel reading : readings.values()) {
            restarted(reading, tables);
        }
        next = tables.state().next();
    }

    private void requireWhole(Discharging transaction, OracleTables tables) {
        Set<Boolean> parts = new HashSet<>();
        transaction.texts.forEach(text -> parts.add(committed.contains(text)));
        for (Delivery delivery : transaction.deliveries) {
            OwedModel reading = readings.get(delivery.subscription().id());
            if (reading != null) {
                parts.add(
                        !tables.owed().getOrDefault(reading.id, new TreeSet<>()).contains(delivery.sequence()));
            }
        }
        assertThat(parts)
                .as("the parts of a transaction that are durable: %s", transaction)
                .hasSizeLessThanOrEqualTo(1);
    }

    private void restarted(OwedModel reading, OracleTables tables) {
        TreeSet<Long> now = tables.owed().getOrDefault(reading.id, new TreeSet<>());
        Set<Long> lost = new TreeSet<>(reading.owed);
        lost.removeAll(now);
        lost.removeAll(reading.removing);
        for (long sequence : lost) {
            assertThat(reading.burying.contains(sequence))
                    .as("%s lost message %s", reading, sequence)
                    .isTrue();
            assertThat(committed.contains(stored.get(sequence).text() + reading.letterMark()))
                    .as("the dead letter of message %s of %s", sequence, reading)
                    .isTrue();
        }
        for (long sequence : now) {
            boolean expected =
                    reading.owed.contains(sequence) || reading.settling.contains(sequence) || sequence >= next;
            assertThat(expected)
                    .as("message %s came back to %s", sequence, reading)
                    .isTrue();
        }
        reading.owed.clear();
        reading.owed.addAll(now);
        reading.mayBeSeen.addAll(reading.delivered);
        reading.settling.clear();
        reading.removing.clear();
        reading.burying.clear();
        reading.inFlight.clear();
        reading.failures.clear();
        for (Flush.Redelivery row : tables.state().redeliveries()) {
            if (row.subscriptionId() == reading.id) {
                assertThat(reading.owed.contains(row.sequence()))
                        .as("failures of message %s are kept, which %s does not owe", row.sequence(), reading)
                        .isTrue();
                reading.failures.put(row.sequence(), row.count());
            }
        }
    }

    // ---- at rest

    /** Nothing is on its way between committer, dispatcher and store. */
    void checkAtRest(SteppedShard shard) {
        assertThat(shard.state.ring().next()).isEqualTo(next);
        Map<Long, TreeSet<Long>> owedOnAddress = new HashMap<>();
        for (OwedModel reading : readings.values()) {
            assertThat(reading.settling)
                    .as("settlements of %s still open", reading)
                    .hasSize(0);
            assertThat(reading.removing)
                    .as("removals of %s still open", reading)
                    .hasSize(0);
            owedOnAddress
                    .computeIfAbsent(reading.addressId, id -> new TreeSet<>())
                    .addAll(reading.owed);
        }
        long gate = shard.state.ring().gate();
        for (AddressEntry address : shard.committer.entries().entries()) {
            TreeSet<Long> owed = owedOnAddress.getOrDefault(address.address().id(), new TreeSet<>());
            AddressQuota quota = address.address().quota();
            assertThat(quota.messages())
                    .as("places taken on %s", address.address())
                    .isEqualTo(owed.size());
            assertThat(quota.bytes())
                    .as("bytes taken on %s", address.address())
                    .isEqualTo(
                            owed.stream().mapToLong(s -> stored.get(s).bytes()).sum());
            for (SubscriptionEntry entry : address.subscriptions()) {
                OwedModel reading = readings.get(entry.subscription().id());
                assertThat(entry.owedInRing())
                        .as("%s owes in the ring", reading)
                        .isEqualTo(reading.owed.tailSet(gate).size());
                assertThat(entry.owedInBacklog())
                        .as("%s owes in the backlog", reading)
                        .isEqualTo(reading.owed.headSet(gate).size());
            }
        }
        Set<Long> owed = new HashSet<>();
        owedOnAddress.values().forEach(owed::addAll);
        stored.keySet().retainAll(owed);
    }

    /** Checks that tables and model owe the same; a message below the gate lies in the backlog and nowhere else. */
    void checkTables(SteppedShard shard) {
        OracleTables.read(shard).requireOwed(readings.values());
    }

    private static String text(byte[] body) {
        return new String(body, StandardCharsets.UTF_8);
    }
}
