package io.ringtable.broker.recovery;

import io.ringtable.broker.catalog.LoginIds;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.AddressRow;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.LoginRow;
import io.ringtable.broker.store.ProducerRow;
import io.ringtable.broker.store.ReplayRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.SubscriptionRow;
import java.util.HashSet;
import java.util.Set;

/**
 * Checks the relations that hold in every sound shard beside its ring. A broken relation refuses the start, by name,
 * before anything is written.
 * <p>
 * Thread: the starter of the shard, which recovers it.
 */
final class ShardFacts {
    private record Bit(long addressId, int group, int bit) {}

    private final ShardState tables;

    private ShardFacts(ShardState tables) {
        this.tables = tables;
    }

    static void check(ShardState tables) {
        ShardFacts facts = new ShardFacts(tables);
        facts.ring();
        facts.catalogue();
        tables.settlements().forEach(facts::settlement);
        tables.backlog().forEach(facts::backlog);
        facts.once();
        facts.replays();
        facts.logins();
    }

    static ShardStopped refused(String relation) {
        return new ShardStopped(
                ShardStopped.Next.FAIL,
                "RT-2300 the tables contradict themselves, the shard does not start: " + relation
                        + ". Nothing was changed; keep a copy of the database and report this",
                null);
    }

    private void ring() {
        require(
                tables.gate() >= 0 && tables.gate() % RingGeometry.BLOCK == 0,
                "gate " + tables.gate() + " is not a multiple of " + RingGeometry.BLOCK);
        require(
                tables.gate() <= tables.next() && tables.next() <= tables.gate() + tables.capacity(),
                "gate " + tables.gate() + " <= next " + tables.next() + " <= gate + capacity " + tables.capacity());
    }

    private void catalogue() {
        Set<Long> addresses = new HashSet<>();
        Set<String> names = new HashSet<>();
        for (AddressRow row : tables.addresses()) {
            given(row.addressId(), "address '" + row.name() + "'");
            require(addresses.add(row.addressId()), "address " + row.addressId() + " has two rows");
            require(names.add(row.name()), "address '" + row.name() + "' has two rows");
        }
        Set<Bit> bits = new HashSet<>();
        for (SubscriptionRow row : tables.subscriptions()) {
            String who = "subscription " + row.subscriptionId();
            given(row.subscriptionId(), who);
            require(
                    addresses.contains(row.addressId()),
                    who + " reads address " + row.addressId() + ", which does not exist");
            require(
                    row.group() >= 0 && row.bit() >= 0 && row.bit() < RingGeometry.BITS,
                    who + " holds bit " + row.bit() + " of group " + row.group());
            require(
                    bits.add(new Bit(row.addressId(), row.group(), row.bit())),
                    who + " holds bit " + row.bit() + " of group " + row.group()
                            + ", which another subscription holds");
            require(
                    row.fromSequence() <= tables.next(),
                    who + " begins with " + row.fromSequence() + " > next " + tables.next());
        }
    }

    private void settlement(Flush.Settlement row) {
        String what = "the settlement of block " + row.block() + " and bit " + row.bit();
        require(row.bit() >= 0 && row.bit() < RingGeometry.BITS, what + " has no such bit");
        require(
                row.settled().length == RingGeometry.BLOCK_BYTES,
                what + " has " + row.settled().length + " bytes, not " + RingGeometry.BLOCK_BYTES);
        require(
                RingGeometry.firstOfBlock(row.block()) >= tables.gate()
                        && RingGeometry.firstOfBlock(row.block()) < tables.next(),
                what + " lies outside gate " + tables.gate() + " and next " + tables.next());
    }

    private void backlog(BacklogSummary row) {
        String what = "the backlog of address " + row.addressId();
        given(row.addressId(), what);
        require(
                row.messages() > 0 && row.bytes() >= 0 && row.firstSequence() <= row.lastSequence(),
                what + " has " + row.messages() + " messages, " + row.bytes() + " bytes, from " + row.firstSequence()
                        + " to " + row.lastSequence());
        require(
                row.lastSequence() < tables.gate(),
                what + " ends with " + row.lastSequence() + ", which gate " + tables.gate() + " has not passed");
    }

    private void once() {
        Set<Long> addresses = new HashSet<>();
        tables.addresses().forEach(row -> addresses.add(row.addressId()));
        Set<String> names = new HashSet<>();
        for (ProducerRow row : tables.producers()) {
            String who = "producer " + row.producerId() + " '" + row.name() + "'";
            given(row.producerId(), who);
            require(
                    addresses.contains(row.addressId()),
                    who + " publishes to address " + row.addressId() + ", which does not exist");
            require(names.add(row.addressId() + " " + row.name()), who + " has two rows on address " + row.addressId());
            require(
                    row.incarnation() >= 1 && row.lastNumber() >= 0,
                    who + " has incarnation " + row.incarnation() + " and number " + row.lastNumber());
        }
        for (Flush.DuplicateId row : tables.duplicateIds()) {
            require(
                    addresses.contains(row.addressId()) && row.position() >= 0 && row.ordinal() >= 0,
                    "duplicate id " + row.ordinal() + " at position " + row.position() + " of address "
                            + row.addressId() + ", which does not exist or has no such place");
        }
    }

    private void replays() {
        Set<Long> subscriptions = new HashSet<>();
        tables.subscriptions().forEach(row -> subscriptions.add(row.subscriptionId()));
        for (ReplayRow row : tables.replays()) {
            require(
                    subscriptions.contains(row.subscriptionId())
                            && row.position() >= 0
                            && row.position() <= tables.next(),
                    "the replay of subscription " + row.subscriptionId() + ", which may not exist, stands at "
                            + row.position() + ", not between 0 and next " + tables.next());
        }
    }

    private void logins() {
        Set<Integer> ids = new HashSet<>();
        for (LoginRow row : tables.logins()) {
            require(
                    row.loginId() >= 1 && row.loginId() <= LoginIds.LOGINS_MAX && ids.add(row.loginId()),
                    row.login() + " has id " + row.loginId() + ", not one of its own from 1 to " + LoginIds.LOGINS_MAX);
        }
    }

    private void given(long id, String who) {
        require(id < tables.nextId(), who + " has id " + id + " >= next id " + tables.nextId());
    }

    private static void require(boolean holds, String relation) {
        if (!holds) {
            throw refused(relation);
        }
    }
}
