package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.inbox.InboxCollector;
import io.ringtable.broker.inbox.InboxEncoder;
import io.ringtable.broker.inbox.SharedLooks;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.work.CommitMonitor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three collectors of one process and database, whose turns and clock are the test's. */
class SharedLooksTest {
    private static final int SHARDS = 3;
    private static final int INTERVAL_MS = 5;

    @TempDir
    Path files;

    private final List<InboxCollector> collectors = new ArrayList<>();
    private final SharedLooks looks = new SharedLooks(0);
    private SteppedHomes node;
    private long nanos;
    private long ids;

    @BeforeEach
    void open() {
        node = new SteppedHomes(files, SHARDS);
        node.startWhole(node.stored());
        for (int number = 0; number < SHARDS; number++) {
            SteppedShard shard = node.shards.get(number);
            for (int other = 0; other < SHARDS; other++) {
                shard.store.neighbours.put(other, node.shards.get(other).store.inbox);
            }
            node.makeIn(number, "q" + number, AddressKind.QUEUE);
            InboxEncoder encoder = new CollectedInbox.PlainEncoder();
            collectors.add(new InboxCollector(
                    TestSettings.of("ringtable.inbox.probe-interval", INTERVAL_MS + "ms")
                            .inbox(),
                    shard.store,
                    shard.doors,
                    new NodeInbox(number, () -> node.homes, shard.store, shard.state::epoch, encoder),
                    encoder,
                    "DLQ",
                    looks,
                    CommitMonitor.NONE,
                    new Doorbell(),
                    () -> shard.now,
                    () -> nanos));
            looks.join(number, collectors.get(number));
        }
        pass(100); // each has looked, and found nothing for a while
        forgetReads();
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void oneLookInAnIntervalServesAll() {
        pass(20 * INTERVAL_MS);

        assertThat(looksForAll()).isEqualTo(20);
        assertThat(ownLooks()).isZero();
    }

    @Test
    void aRowIsTakenUpWithinAnInterval() {
        lay(2);
        pass(INTERVAL_MS);
        node.rest();

        assertThat(node.shards.get(2).store.inbox)
                .as("rows that no flush has claimed")
                .isEmpty();
        assertThat(ownLooks()).isEqualTo(1);
    }

    @Test
    void anotherLooksWhileTheOneThatLookedIsBusy() {
        int looker = looker();
        forgetReads();
        lay(looker);
        pass(INTERVAL_MS); // its portion is with the committer, which stands still
        int other = (looker + 1) % SHARDS;
        lay(other);
        pass(4 * INTERVAL_MS);

        assertThat(node.shards.get(other).store.inboxReads).isEqualTo(1);
    }

    @Test
    void anotherLooksWhereTheStoreOfTheOneThatLookedFails() {
        int looker = looker();
        forgetReads();
        fail(looker);
        int other = (looker + 1) % SHARDS;
        lay(other);
        pass(5 * INTERVAL_MS);

        assertThat(node.shards.get(looker).store.inboxShardReads).isEqualTo(1);
        assertThat(node.shards.get(other).store.inboxReads).isEqualTo(1);
    }

    @Test
    void whatWaitsForAnotherTryIsNotHurried() {
        node.shards.get(1).store.plan =
                (verb, argument) -> verb.equals("readInbox") ? FaultyStore.Fault.before(Kind.UNAVAILABLE) : null;
        lay(1);
        pass(20 * INTERVAL_MS); // less than it waits

        assertThat(node.shards.get(1).store.inboxReads).isEqualTo(1);
        assertThat(looksForAll()).isGreaterThan(15);
    }

    @Test
    void theLastOneLooksForItself() {
        looks.leave(0, collectors.get(0));
        looks.leave(1, collectors.get(1));
        forgetReads();
        for (int ms = 0; ms < 20 * INTERVAL_MS; ms++) {
            nanos += TimeUnit.MILLISECONDS.toNanos(1);
            collectors.get(2).doWork();
        }

        assertThat(node.shards.get(2).store.inboxReads)
                .as("looks, of which the first may have waited for another collector")
                .isBetween(17, 20);
        assertThat(looksForAll()).isZero();
    }

    private void pass(int ms) {
        for (int i = 0; i < ms; i++) {
            nanos += TimeUnit.MILLISECONDS.toNanos(1);
            collectors.forEach(InboxCollector::doWork);
            collectors.forEach(InboxCollector::doWork); // those that were told
        }
    }

    private void lay(int shard) {
        long id = ids++;
        node.shards
                .get(shard)
                .store
                .inbox
                .put(id, new InboxMessage(id, "q" + shard, null, true, SteppedShard.bytes("text"), "{}", 1, null));
    }

    private void fail(int shard) {
        node.shards.get(shard).store.plan =
                (verb, argument) -> verb.equals("readInboxShards") ? FaultyStore.Fault.before(Kind.UNAVAILABLE) : null;
    }

    private int looker() {
        forgetReads();
        pass(4 * INTERVAL_MS);
        for (int number = 0; number < SHARDS; number++) {
            if (node.shards.get(number).store.inboxShardReads == 4) {
                return number;
            }
        }
        throw new AssertionError("no collector has looked four times");
    }

    private void forgetReads() {
        node.shards.forEach(shard -> {
            shard.store.inboxReads = 0;
            shard.store.inboxShardReads = 0;
        });
    }

    private int looksForAll() {
        return node.shards.stream()
                .mapToInt(shard -> shard.store.inboxShardReads)
                .sum();
    }

    private int ownLooks() {
        return node.shards.stream().mapToInt(shard -> shard.store.inboxReads).sum();
    }
}
