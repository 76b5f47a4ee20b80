package io.ringtable.broker.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.OwnFiles;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Tests which process may open which file, and what the others are told. */
class SqliteFileTest {
    private static final RingGeometry GEOMETRY = new RingGeometry(RingGeometry.CAPACITY_STEP);

    @TempDir(factory = TempDirFactory.Standard.class)
    private Path directory;

    @Test
    void theDirectoryIsMadeIfItIsMissing() {
        Path data = directory.resolve("not").resolve("yet");
        try (RingStore store = RingStores.open(StoreSettings.embedded(data))) {
            assertThat(own(store)).as("the milliseconds of the clock").isPositive();
        }
        assertThat(data.resolve("ringtable.db")).exists();
    }

    @Test
    void filesOfANewStoreAreItsUsersAloneFromTheStart() throws Exception {
        ListAppender<ILoggingEvent> tightened = new ListAppender<>();
        tightened.start();
        Logger log = (Logger) LoggerFactory.getLogger(OwnFiles.class);
        log.addAppender(tightened);
        Path data = directory.resolve("new");
        try (RingStore store = RingStores.open(StoreSettings.embedded(data))) {
            own(store);
            try (Stream<Path> files = Files.list(data)) {
                assertThat(files)
                        .isNotEmpty()
                        .allSatisfy(file -> assertThat(Files.getPosixFilePermissions(file))
                                .as(file.toString())
                                .isEqualTo(PosixFilePermissions.fromString("rw-------")));
            }
        } finally {
            log.detachAppender(tightened);
        }
        assertThat(tightened.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(line -> line.contains(data.toString()));
    }

    @Test
    void aUrlNamesAnotherFile() {
        Path file = directory.resolve("with space, ümlaut.db");
        try (RingStore store = RingStores.open(url("jdbc:sqlite:" + file))) {
            own(store);
        }
        assertThat(file).exists();
        assertThat(directory.resolve("ringtable.db")).doesNotExist();
    }

    @Test
    void eachShardHasAFileALockAndACheckpointThreadOfItsOwn() throws Exception {
        StoreSettings first = StoreSettings.embedded(directory);
        try (RingStore zero = RingStores.open(first);
                RingStore three = RingStores.open(first.ofShard(3))) {
            own(zero);
            own(three);
            assertThat(refused(first.ofShard(3))).hasMessageContaining("ringtable-shard-3.db' is in use");
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .contains("sqlite-checkpoint", "sqlite-checkpoint-3");
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "ringtable.db", "ringtable.db.lock", "ringtable-shard-3.db", "ringtable-shard-3.db.lock");
        }
    }

    @ParameterizedTest
    @CsvSource({"shop.v2.sqlite, shop.v2-shard-1023.sqlite", "shop, shop-shard-1023", ".shop, .shop-shard-1023"})
    void theNumberOfAShardStandsBeforeTheEndOfTheNameInTheUrl(String name, String named) {
        String url = "jdbc:sqlite:" + directory.resolve(name) + "?temp_store=2";
        try (RingStore store = RingStores.open(url(url).ofShard(1023))) {
            own(store);
        }
        assertThat(directory.resolve(named)).isNotEmptyFile();
        assertThat(directory.resolve(name)).doesNotExist();
    }

    @Test
    void aFileUnderTheNameOfAnotherShardIsRefusedAndStaysAsItIs() throws Exception {
        StoreSettings three = StoreSettings.embedded(directory).ofShard(3);
        long epoch;
        try (RingStore store = RingStores.open(three)) {
            epoch = own(store);
        }
        Path right = directory.resolve("ringtable-shard-3.db");
        Path wrong = Files.move(right, directory.resolve("ringtable-shard-4.db"));
        byte[] before = Files.readAllBytes(wrong);
        try (RingStore store = RingStores.open(three.ofShard(4))) {
            StoreFailure failure = catchThrowableOfType(StoreFailure.class, () -> own(store));
            assertThat(failure.kind()).isEqualTo(Kind.UNSUPPORTED);
            assertThat(failure)
                    .hasMessageStartingWith("RT-3071 '" + wrong.toRealPath() + "' holds shard 3")
                    .hasMessageContaining("opened for shard 4");
        }
        assertThat(Files.readAllBytes(wrong)).isEqualTo(before);
        Files.move(wrong, right);
        try (RingStore store = RingStores.open(three)) {
            assertThat(own(store)).isGreaterThan(epoch);
        }
    }

    @Test
    void anotherNameOfAFileInUseIsRefusedToo() throws Exception {
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory))) {
            own(store);
            Path link = Files.createSymbolicLink(directory.resolve("link.db"), directory.resolve("ringtable.db"));
            StoreFailure failure = refused(url("jdbc:sqlite:" + link));
            assertThat(failure.kind()).isEqualTo(Kind.UNAVAILABLE);
            assertThat(failure).hasMessageContaining("in use by this process");
        }
    }

    /** kill -9 gives the file free, and nothing that was durable is lost. */
    @Test
    void aFileHeldByAnotherProcessIsRefusedByNameUntilThatIsKilled() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SqliteChild.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long durable = 0;
        try (BufferedReader said = child.inputReader()) {
            for (String line = said.readLine(); line != null && durable < 500; line = said.readLine()) {
                durable = line.matches("\\d+") ? Long.parseLong(line) : durable;
            }
            StoreFailure failure = refused(StoreSettings.embedded(directory));
            assertThat(failure.kind()).isEqualTo(Kind.UNAVAILABLE);
            assertThat(failure)
                    .hasMessageContaining(
                            directory.resolve("ringtable.db").toRealPath().toString())
                    .hasMessageContaining("in use by process " + child.pid());
        } finally {
            child.destroyForcibly().waitFor();
        }
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory))) {
            List<Long> rows = new ArrayList<>();
            ShardState state =
                    store.recover(own(store), row -> rows.add(row.message().sequence()));
            assertThat(state.next()).isGreaterThanOrEqualTo(durable);
            assertThat(state.next() % 10)
                    .as("a flush is there as a whole or not")
                    .isZero();
            assertThat(rows).hasSize((int) state.next());
            assertThat(store.readRing(new long[] {durable - 1}).get(0).body())
                    .asString()
                    .isEqualTo("message " + (durable - 1));
        }
    }

    @Test
    void aFileThatIsNoDatabaseIsRefusedAndLeftAlone() throws Exception {
        byte[] noise = new byte[20_000];
        new Random(1).nextBytes(noise);
        Path file = Files.write(directory.resolve("ringtable.db"), noise);
        assertThat(refused(StoreSettings.embedded(directory)).kind()).isEqualTo(Kind.UNSUPPORTED);
        assertThat(Files.readAllBytes(file)).isEqualTo(noise);
    }

    @Test
    void somebodyElsesFileIsNotEvenTurnedToAnotherJournal() throws Exception {
        Path file = directory.resolve("ringtable.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            SqliteTestDatabase.execute(connection, "CREATE TABLE customer (id INTEGER PRIMARY KEY)");
        }
        byte[] before = Files.readAllBytes(file);
        assertThat(refused(StoreSettings.embedded(directory)).kind()).isEqualTo(Kind.UNSUPPORTED);
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNamed() throws Exception {
        Path inTheWay = Files.writeString(directory.resolve("data"), "a file");
        StoreFailure failure = refused(StoreSettings.embedded(inTheWay));
        assertThat(failure.kind()).isEqualTo(Kind.NOT_WRITABLE);
        assertThat(failure).hasMessageContaining(inTheWay.toString()).hasMessageContaining("ringtable.data-dir");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:sqlite:", "jdbc:sqlite::memory:", "jdbc:sqlite:file:x?mode=memory"})
    void aStoreWithoutAFileIsRefused(String url) {
        assertThat(refused(url(url)).kind()).isEqualTo(Kind.UNSUPPORTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"synchronous=OFF", "synchronous=NORMAL", "journal_mode=DELETE", "journal_mode=MEMORY"})
    void settingsThatWouldGiveUpDurabilityAreRefused(String parameter) {
        StoreFailure failure = refused(url("jdbc:sqlite:" + directory.resolve("x.db") + "?" + parameter));
        assertThat(failure.kind()).isEqualTo(Kind.UNSUPPORTED);
        assertThat(failure).hasMessageContaining(parameter);
    }

    private StoreSettings url(String url) {
        return StoreSettings.of(url, null, null, directory);
    }

    private static StoreFailure refused(StoreSettings settings) {
        StoreFailure failure = catchThrowableOfType(
                StoreFailure.class, () -> RingStores.open(settings).close());
        assertThat(failure).isNotNull();
        return failure;
    }

    private static long own(RingStore store) {
        return ((Ownership.Owned) store.acquire("node", "test", Duration.ofSeconds(30), GEOMETRY)).epoch();
    }
}
