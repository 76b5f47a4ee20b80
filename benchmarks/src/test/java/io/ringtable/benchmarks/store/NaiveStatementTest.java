package io.ringtable.benchmarks.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.broker.store.jdbc.StatementFiles;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NaiveStatementTest {

    /** The flush is compared with the naive queue on each engine; a missing file would show on a SQL Server alone. */
    @ParameterizedTest
    @ValueSource(strings = {Databases.SQLITE, Databases.POSTGRESQL, Databases.SQLSERVER})
    void theNaiveQueueHasItsStatementsForEachEngine(String engine) {
        StatementFiles<NaiveStatement> files = new StatementFiles<>(engine, NaiveStatement.class);
        for (NaiveStatement statement : NaiveStatement.values()) {
            assertThat(files.sql(statement)).as(statement.name()).isNotBlank();
        }
    }
}
