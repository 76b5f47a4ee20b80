package io.ringtable.benchmarks.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.TestEngines;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads what three flushes of the model leave in its tables, on each engine, without the meters of a run. */
class ModelTest {
    private static final int BATCH = 10;
    private static final int SUBSCRIBERS = 2;

    private static Databases databases;

    @BeforeAll
    static void open() {
        databases = TestEngines.inMemory();
    }

    @AfterAll
    static void close() {
        databases.close();
    }

    /** Two of the three batches are settled: by a bitmap for each subscriber, by rows, or by counts. */
    static Stream<Arguments> settlements() {
        int settled = 2 * BATCH * SUBSCRIBERS;
        return TestEngines.all().stream()
                .flatMap(engine -> Stream.of(
                        Arguments.of(engine, Idea.FLUSH_MODEL, "SELECT count(*) FROM model_settlement", SUBSCRIBERS),
                        Arguments.of(
                                engine, Idea.FLUSH_SCATTERED, "SELECT count(*) FROM model_settlement", SUBSCRIBERS),
                        Arguments.of(engine, Idea.FLUSH_SETTLE_ROWS, "SELECT count(*) FROM model_settled_row", settled),
                        Arguments.of(
                                engine,
                                Idea.FLUSH_COUNT_IN_ROW,
                                "SELECT sum(reference_count) FROM model_slot",
                                3 * BATCH * SUBSCRIBERS - settled)));
    }

    @ParameterizedTest
    @MethodSource("settlements")
    void eachFlushSettlesTheBatchBefore(String engine, Idea idea, String question, int answer) throws SQLException {
        TestEngines.require(databases, engine);
        try (BenchmarkDatabase database = databases.create(engine)) {
            try (FlushPath model = Model.open(database, idea, SUBSCRIBERS)) {
                for (int i = 0; i < 3; i++) {
                    model.flush(BATCH);
                }
            }
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(question)) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(answer);
            }
        }
    }
}
