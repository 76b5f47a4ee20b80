package io.ringtable.broker.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.SubscriptionRow;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** A disk that is full or read-only, and a log that somebody keeps from being copied. */
class SqliteDiskTest {
    private static final RingGeometry GEOMETRY = new RingGeometry(RingGeometry.CAPACITY_STEP);

    @TempDir(factory = TempDirFactory.Standard.class)
    private Path directory;

    private long epoch;
    private long next;
    private long gate;

    @Test
    void aFileAtItsBoundRefusesTheFlushAndServesTheNextOneThatFits() {
        String url = "jdbc:sqlite:" + directory.resolve("bounded.db") + "?max_page_count=1500";
        try (RingStore store = RingStores.open(StoreSettings.of(url, null, null, directory))) {
            prepare(store);
            flush(store, 5, 300);
            StoreFailure failure = catchThrowableOfType(StoreFailure.class, () -> flush(store, 1000, 8_000));
            assertThat(failure.kind()).isEqualTo(Kind.NOT_WRITABLE);
            assertThat(failure).hasMessageContaining("free space");
            assertThat(store.recover(epoch, row -> {}).next()).isEqualTo(5);
            flush(store, 10, 300);
            assertThat(store.recover(epoch, row -> {}).next()).isEqualTo(15);
        }
    }

    @Test
    void aFullDiskRefusesAndGoesOnOnceThereIsRoom() throws Exception {
        Path disk = mount("size=12m");
        try (RingStore store = RingStores.open(StoreSettings.embedded(disk))) {
            prepare(store);
            flush(store, 5, 300);
            Path ballast = Files.write(disk.resolve("ballast"), new byte[6 << 20]);
            StoreFailure failure = catchThrowableOfType(StoreFailure.class, () -> {
                for (int i = 0; i < 100; i++) {
                    flush(store, 100, 1_000);
                }
            });
            assertThat(failure).isNotNull();
            assertThat(failure.kind()).isIn(Kind.NOT_WRITABLE, Kind.OUTCOME_UNKNOWN);
            assertThat(failure).hasMessageContaining("full");
            long durable = next;
            assertThat(store.readRing(new long[] {durable - 1}))
                    .as("reads go on")
                    .hasSize(1);
            Files.delete(ballast);
            prepare(store);
            assertThat(store.recover(epoch, row -> {}).next()).isEqualTo(durable);
            flush(store, 100, 300);
            assertThat(store.recover(epoch, row -> {}).next()).isEqualTo(durable + 100);
        } finally {
            unmount(disk);
        }
    }

    @Test
    void aReadOnlyDiskIsRefusedByName() throws Exception {
        Path disk = mount("size=12m");
        try {
            try (RingStore store = RingStores.open(StoreSettings.embedded(disk))) {
                prepare(store);
            }
            run("mount", "-o", "remount,ro", disk.toString());
            StoreFailure failure = catchThrowableOfType(
                    StoreFailure.class,
                    () -> RingStores.open(StoreSettings.embedded(disk)).close());
            assertThat(failure.kind()).isEqualTo(Kind.NOT_WRITABLE);
            assertThat(failure).hasMessageContaining(disk.toString()).hasMessageContaining("ead-only file system");
        } finally {
            unmount(disk);
        }
    }

    @Test
    void theLogIsCopiedAndBeginsAnewUnderLoad() throws Exception {
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory))) {
            prepare(store);
            for (int i = 0; i < 250; i++) {
                flush(store, 40, 20_000);
            }
            assertThat(next * 20_000).as("bytes stored").isGreaterThan(190L << 20);
            assertThat(Files.size(directory.resolve("ringtable.db-wal"))).isLessThan(128L << 20);
        }
    }

    @Test
    void aReaderElsewhereThatKeepsItsSnapshotStopsNobody() throws Exception {
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory))) {
            prepare(store);
            flush(store, 5, 300);
            try (Connection reader = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ringtable.db"))) {
                reader.setAutoCommit(false);
                assertThat(highest(reader)).isEqualTo(4);
                long quickest = Long.MAX_VALUE;
                for (int i = 0; i < 100; i++) {
                    long begun = System.nanoTime();
                    flush(store, 40, 20_000);
                    quickest = Math.min(quickest, System.nanoTime() - begun);
                }
                // Each would wait for the reader in vain; other load slows some of a hundred, and not each of them.
                assertThat(TimeUnit.NANOSECONDS.toMillis(quickest))
                        .as("ms of the quickest flush")
                        .isLessThan(SqliteDialect.BUSY_TIMEOUT_MS);
                assertThat(highest(reader)).isEqualTo(4);
                reader.rollback();
            }
            flush(store, 40, 300);
            assertThat(store.recover(epoch, row -> {}).next()).isEqualTo(next);
        }
    }

    /** A reader such as a backup keeps the log from beginning anew; its length is given back when it does. */
    @Test
    void theLogIsCutAgainAfterALongRead() throws Exception {
        Path log = directory.resolve("ringtable.db-wal");
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory))) {
            prepare(store);
            flush(store, 5, 300);
            try (Connection reader = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ringtable.db"))) {
                reader.setAutoCommit(false);
                assertThat(highest(reader)).isEqualTo(4);
                while (Files.size(log) <= SqliteDialect.LOG_BYTES_KEPT + (8L << 20)) {
                    flush(store, 100, 20_000);
                }
                reader.rollback();
            }
            await().untilAsserted(() -> {
                flush(store, 1, 300);
                assertThat(Files.size(log)).isLessThanOrEqualTo(SqliteDialect.LOG_BYTES_KEPT);
            });
        }
    }

    @Test
    void afterCloseTheFileIsAllThereIs() throws Exception {
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory))) {
            prepare(store);
            flush(store, 100, 300);
        }
        assertThat(directory.resolve("ringtable.db-wal")).doesNotExist();
        Path copy = Files.createDirectory(directory.resolve("copy"));
        Files.copy(directory.resolve("ringtable.db"), copy.resolve("ringtable.db"));
        try (RingStore store = RingStores.open(StoreSettings.embedded(copy))) {
            prepare(store);
            assertThat(store.recover(epoch, row -> {}).next()).isEqualTo(100);
        }
    }

    /** Owns the shard; a queue with one subscription is made the first time. */
    private void prepare(RingStore store) {
        epoch = ((Ownership.Owned) store.acquire("node", "test", Duration.ofSeconds(30), GEOMETRY)).epoch();
        if (store.recover(epoch, row -> {}).addresses().isEmpty()) {
            store.alter(
                    epoch,
                    List.of(
                            new CatalogChange.CreateAddress(0, "orders", AddressKind.QUEUE, 1000, 1000),
                            new CatalogChange.Subscribe(
                                    new SubscriptionRow(1, 0, "", "", 0, 0, 0, -1, null, false, true))));
        }
    }

    /** Publishes, settles and, before the ring is full, reclaims. */
    private void flush(RingStore store, int count, int bytes) {
        if (next + count > gate + GEOMETRY.capacity()) {
            store.reclaim(epoch, gate, gate + RingGeometry.BLOCK, 0);
            gate += RingGeometry.BLOCK;
        }
        List<StoredMessage> claims = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            claims.add(new StoredMessage(next + i, 0, 1, 4, 0, 0, 0, 1, new byte[bytes], 0, bytes));
        }
        List<Flush.Settlement> settlements = new ArrayList<>();
        for (long block = RingGeometry.blockOf(next); block <= RingGeometry.blockOf(next + count - 1); block++) {
            byte[] settled = new byte[RingGeometry.BLOCK_BYTES];
            for (int i = 0; i < RingGeometry.BLOCK && RingGeometry.firstOfBlock(block) + i < next + count; i++) {
                settled[i / 8] |= (byte) (1 << i % 8);
            }
            settlements.add(new Flush.Settlement(block, 0, settled));
        }
        store.flush(new Flush(epoch, gate, claims, settlements, List.of(), List.of(), List.of(), Flush.UNCHANGED));
        next += count;
    }

    private static long highest(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT max(sequence) FROM slot")) {
            row.next();
            return row.getLong(1);
        }
    }

    private Path mount(String options) throws Exception {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/bin/mount"))
                        && run("mount", "-t", "tmpfs", "-o", options, "tmpfs", disk.toString()) == 0,
                "a small disk cannot be mounted here (it takes Linux and root)");
        return disk;
    }

    private static void unmount(Path disk) throws Exception {
        assertThat(run("umount", disk.toString())).isZero();
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
