package io.ringtable.benchmarks.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.endtoend.figure.Figure;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.TestEngines;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The naive queues under every kind of load, once and briefly; the figures mean nothing. */
class NaiveRigSmokeTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {Databases.SQLITE, Databases.POSTGRESQL, "sqlserver"})
    void everyKindOfLoadRuns(String engine) throws Exception {
        try (Databases databases = new Databases()) {
            TestEngines.require(databases, engine);
        }
        Rig rig = Rig.run(
                directory,
                "brokers=naive,naive-batched",
                "engine=" + engine,
                "scenarios=2:2,sync8,fanout3,stalled3,1:1@1m/10,backlog2:2,soak1:1",
                "seconds=0.3",
                "messages=300",
                "soak=1",
                "batch=100",
                "poll=5");

        List<Map<String, String>> rows = rig.rows();
        assertThat(rows)
                .filteredOn(row -> row.get("broker").equals("naive"))
                .extracting(row -> row.get("scenario") + " " + row.get("part"))
                .containsExactly(
                        "2:2 ",
                        "sync8 ",
                        "fanout3 ",
                        "stalled3 ",
                        "1:1@1m/10 ",
                        "backlog2:2 build",
                        "backlog2:2 drain",
                        "soak1:1 top",
                        "soak1:1 until 1 s",
                        "soak1:1 half");
        assertThat(rows)
                .filteredOn(row -> row.get("broker").equals("naive-batched"))
                .hasSize(9)
                .noneMatch(row -> row.get("scenario").startsWith("sync"));
        assertThat(rows).allSatisfy(row -> {
            Figure moved = row.get("part").equals("drain") ? Figure.RECEIVED_PER_S : Figure.ACCEPTED_PER_S;
            assertThat(Rig.number(row, moved)).as("%s of %s", moved, row).isPositive();
            assertThat(Rig.number(row, Figure.BROKER_CPU_US_PER_MESSAGE)).isZero();
        });
        assertThat(rows).filteredOn(row -> row.get("scenario").equals("2:2")).allSatisfy(row -> {
            boolean server = engine.equals(Databases.POSTGRESQL);
            assertThat(Rig.number(row, Figure.DATABASE_CPU_US_PER_MESSAGE) > 0).isEqualTo(server);
            assertThat(Rig.number(row, Figure.DATABASE_MB) > 0).isEqualTo(server);
        });
        assertThat(rig.notes())
                .anyMatch(line -> line.startsWith("# naive: ") && line.contains("one commit for each message"))
                .anyMatch(line -> line.startsWith("# naive-batched: ") && line.contains("again after 5 ms"));
    }
}
