package io.ringtable.broker.shard;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.catalog.AddressCreation;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.inbox.InboxCollector;
import io.ringtable.broker.inbox.InboxEncoder;
import io.ringtable.broker.inbox.InboxHomes;
import io.ringtable.broker.inbox.SharedLooks;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.InboxSettlement.Place;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.CommitMonitor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;

/** A test of what applications commit to the inbox, and of its collector, whose turns and clock are the test's. */
abstract class CollectedInbox extends SteppedQueueTest {
    static final long INTERVAL_MS = 5;
    InboxCollector collector;
    final Homes homes = new Homes();
    long nanos;
    long ids;

    @BeforeEach
    final void begin() {
        shard.store.placing = this::placed;
        collector = new InboxCollector(
                TestSettings.of("ringtable.inbox.probe-interval", INTERVAL_MS + "ms")
                        .inbox(),
                shard.store,
                shard.doors,
                homes,
                new PlainEncoder(),
                "DLQ",
                new SharedLooks(0),
                CommitMonitor.NONE,
                new Doorbell(),
                () -> shard.now,
                () -> nanos);
    }

    void restartWithQuota(long messages) {
        restartWith(AddressCreation.ANY, messages);
    }

    void restartWith(AddressCreation creation, long quota) {
        shard.commit = SteppedSettings.COMMIT
                .with("ringtable.commit.quota-messages", quota)
                .commit();
        shard.creation = creation;
        shard.crashAndRestart();
        begin();
    }

    /** As the tables would know the message when the row is read. */
    InboxSettlement placed(InboxSettlement row) {
        Subscription reader = shard.reader(queue);
        boolean isReaders = row.subscriptionId() == reader.id();
        if (isReaders && row.sequence() >= shard.state.ring().gate()) {
            return settlement(row, Place.RING, reader, 0, 0, 0);
        }
        List<StoredMessage> found = isReaders
                ? shard.store.readBacklog(
                        queue.id(), reader.group(), reader.bit(), row.sequence() - 1, 1, Long.MAX_VALUE)
                : List.of();
        if (found.isEmpty() || found.get(0).sequence() != row.sequence()) {
            return settlement(row, Place.NOWHERE, reader, 0, 0, 0);
        }
        StoredMessage message = found.get(0);
        return settlement(row, Place.BACKLOG, reader, message.pending(), message.bodyBytes(), message.bodyId());
    }

    static InboxSettlement settlement(
            InboxSettlement row, Place place, Subscription reader, long pending, int bytes, long bodyId) {
        return new InboxSettlement(
                row.id(),
                1,
                row.subscriptionId(),
                row.sequence(),
                place,
                reader.address().id(),
                pending,
                bytes,
                bodyId);
    }

    /** An application has settled the message in a transaction of its own. */
    void settle(long sequence) {
        long id = ids++;
        shard.store.inbox.put(
                id, new InboxSettlement(id, 1, shard.reader(queue).id(), sequence, Place.RING, queue.id(), 0, 0, 0));
    }

    void lay(String address, String text) {
        lay(address, null, text);
    }

    void lay(String address, AddressKind kind, String text) {
        long id = ids++;
        shard.store.inbox.put(id, new InboxMessage(id, address, kind, true, SteppedShard.bytes(text), "{}", 1, null));
    }

    /** Lays a message down as a user of the database. */
    void layAs(String user, String address, String text) {
        long id = ids++;
        shard.store.inbox.put(id, new InboxMessage(id, address, null, true, SteppedShard.bytes(text), "{}", 1, user));
    }

    int step() {
        nanos += TimeUnit.MILLISECONDS.toNanos(1);
        return collector.doWork();
    }

    /** Two seconds pass. */
    void collect() {
        collectFor(2_000);
    }

    void collectFor(int ms) {
        for (int i = 0; i < ms; i++) {
            int turns = 0;
            step();
            do {
                shard.run();
                turns++;
            } while (collector.doWork() > 0 && turns < 100);
        }
    }

    /** Another shard, whose addresses and inbox are in the hands of the test. */
    final class Homes implements InboxHomes {
        static final int ELSEWHERE = 5;
        final Map<String, Address> elsewhere = new HashMap<>();
        final Set<String> createdElsewhere = new HashSet<>();
        final List<InboxMessage> passedOn = new ArrayList<>();
        Runnable afterFind = () -> {}; // what happens elsewhere before the next row is looked at

        /** Names a queue of the other shard. */
        Address elsewhere(String name) {
            return elsewhere(name, ELSEWHERE);
        }

        /** Names a queue of that shard. */
        Address elsewhere(String name, int home) {
            long id = ShardIds.first(home) + elsewhere.size();
            Address address = new Address(id, name, AddressKind.QUEUE, new AddressQuota(1_000, 1_000_000));
            elsewhere.put(name, address);
            return address;
        }

        @Override
        public Address find(String name) {
            Address here = shard.doors.lookup().find(name);
            boolean isElsewhere = here == null || here.quota().isClosed() && elsewhere.containsKey(name);
            return isElsewhere ? elsewhere.get(name) : here;
        }

        @Override
        public CompletionStage<Address> ensure(String name, AddressKind kind) {
            return createdElsewhere.contains(name)
                    ? CompletableFuture.completedFuture(elsewhere(name))
                    : shard.doors.catalog().ensure(name, kind);
        }

        @Override
        public Address partOf(Address address, InboxMessage message) {
            afterFind.run();
            return address;
        }

        @Override
        public boolean isWhole(Address address) {
            return true;
        }

        @Override
        public boolean areAlone() {
            return false;
        }

        @Override
        public int homeOf(Address address) {
            return ShardIds.shardOf(address.id());
        }

        @Override
        public int here() {
            return 0;
        }

        @Override
        public void passOn(int home, List<Long> inboxIds) {
            List<InboxRow> rows = inboxIds.stream().map(shard.store.inbox::get).toList();
            shard.store.passOn(shard.state.epoch(), home, inboxIds);
            rows.forEach(row -> passedOn.add((InboxMessage) row));
        }
    }

    /** The body as it is; a dead letter has its reason behind it. */
    static final class PlainEncoder implements InboxEncoder {
        static int errorsLeft;

        @Override
        public Encoded encode(InboxMessage message, long now) {
            switch (new String(message.body(), StandardCharsets.UTF_8)) {
                case "exception" -> throw new IllegalArgumentException("of the test");
                case "overflow" -> throw new StackOverflowError("of the test");
                case "error" -> {
                    if (errorsLeft-- > 0) {
                        throw new OutOfMemoryError("of the test");
                    }
                }
                default -> {
                    // as any other
                }
            }
            if (Arrays.equals(message.body(), SteppedShard.bytes("unreadable"))) {
                throw new Refusal.Refused(new Refusal(Refusal.Reason.INVALID, "RT-0001", "no message"));
            }
            return new Encoded(message.body(), Message.PRIORITY_NORMAL, 0, null, 0);
        }

        @Override
        public String group(InboxMessage message) {
            return null;
        }

        @Override
        public byte[] deadLetter(InboxMessage message, String reason, long now) {
            byte[] why = SteppedShard.bytes("|" + reason);
            byte[] letter = Arrays.copyOf(message.body(), message.body().length + why.length);
            System.arraycopy(why, 0, letter, message.body().length, why.length);
            return letter;
        }
    }
}
