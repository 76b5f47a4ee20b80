package io.ringtable.benchmarks.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The meter asks and compares; what it asks is each server's own, here a table that the test changes. */
class ServerMeterTest {
    private static final ServerMeter.Questions QUESTIONS = new ServerMeter.Questions(
            "SELECT amount AS log_writes FROM counted WHERE kind = 'COUNT'",
            "SELECT 0",
            "SELECT 'a lock' UNION ALL SELECT '' UNION ALL SELECT 'the log' UNION ALL SELECT 'the log'",
            null,
            "SELECT kind, name, amount FROM counted WHERE kind <> 'COUNT'");

    @Test
    void whatGrewMostSinceTheMeterWasOpenedIsNamed() throws SQLException {
        try (Databases databases = TestEngines.inMemory();
                BenchmarkDatabase database = databases.create(Databases.SQLITE);
                Connection server = database.connect();
                Statement work = server.createStatement()) {
            work.executeUpdate("CREATE TABLE counted (kind TEXT, name TEXT, amount INTEGER)");
            work.executeUpdate("INSERT INTO counted VALUES ('COUNT', '', 40), ('LATCH', 'old', 900),"
                    + " ('LATCH', 'new', 1), ('SPINLOCK', 'at rest', 5)");
            try (EngineMeter meter = new ServerMeter(database.connect(), database.connect(), QUESTIONS, null)) {
                work.executeUpdate("UPDATE counted SET amount = amount + 10 WHERE name IN ('', 'old')");
                work.executeUpdate("UPDATE counted SET amount = amount + 20 WHERE name = 'new'");
                work.executeUpdate("INSERT INTO counted VALUES ('MEMORY_OBJECT', 'first met', 3)");

                assertThat(meter.stop()).isEqualTo(Map.of(Count.LOG_WRITES, 10L));
                assertThat(meter.contended())
                        .isEqualTo(Map.of(Contention.LATCH, "new", Contention.MEMORY_OBJECT, "first met"));
                assertThat(meter.waits()).containsExactly(new Wait("the log", 0.5), new Wait("a lock", 0.25));
            }
        }
    }
}
