package io.ringtable.benchmarks.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class DatabasesTest {
    @Test
    void aSqlServerHasToBeNamed() {
        assumeTrue(System.getProperty("bench.sqlserver.url") == null, "one is named");
        try (Databases databases = new Databases()) {
            assertThatThrownBy(() -> databases.create("sqlserver"))
                    .hasMessageContaining("engine=sqlserver needs bench.sqlserver.url");
        }
    }

    @Test
    void aSqlServerTellsWhetherItsCommitsWait() throws SQLException {
        assumeTrue(System.getProperty("bench.sqlserver.url") != null, "bench.sqlserver.url names no SQL Server");
        try (Databases databases = new Databases();
                BenchmarkDatabase database = databases.create("sqlserver");
                LogMeter log = database.logMeter()) {
            assertThat(database.description()).contains("delayed_durability=DISABLED");
            try (Connection delayed = database.connectDelayed()) {
                assertThat(delayed.isValid(10)).isTrue();
            }
            assertThat(database.description()).contains("delayed_durability=FORCED");
            assertThat(log.bytes()).isPositive();
        }
    }

    @Test
    void anUnknownEngineIsRefused() {
        try (Databases databases = new Databases()) {
            assertThatThrownBy(() -> databases.create("oracle"))
                    .hasMessageContaining("engine=oracle is none of [sqlite, postgresql] and sqlserver");
        }
    }
}
