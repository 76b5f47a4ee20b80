package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.OneTopic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The schema that people read is the schema that migrations and procedures make, and every part of it is explained. */
class PostgresqlSchemaTest {
    private static final Path SQL =
            Path.of(System.getProperty("ringtable.root", ".."), "src/main/resources/db/postgresql");

    private PostgresqlTestDatabase migrated;

    @BeforeEach
    void migrate() throws SQLException {
        try {
            migrated = new PostgresqlTestDatabase();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        OneTopic.laid(migrated.open()).close();
    }

    @AfterEach
    void remove() throws SQLException {
        if (migrated != null) {
            migrated.close();
        }
    }

    @Test
    void emptyPlusMigrationsAndProceduresIsSchemaSqlAndProcedures() throws Exception {
        PostgresqlTestDatabase written = new PostgresqlTestDatabase();
        try {
            try (Connection connection = written.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("DROP SCHEMA ringtable");
                statement.execute(Files.readString(SQL.resolve("schema.sql")));
                for (Path procedure : procedures()) {
                    statement.execute(Files.readString(procedure));
                }
            }
            assertThat(objects(written)).isEqualTo(objects(migrated)).hasSizeGreaterThan(150);
        } finally {
            written.close();
        }
    }

    @Test
    void everyFunctionStandsInTheFileOfItsName() throws Exception {
        Set<String> files = new TreeSet<>();
        for (Path procedure : procedures()) {
            files.add(procedure.getFileName().toString().replace(".sql", ""));
        }
        assertThat(new TreeSet<>(rows(
                        migrated,
                        "SELECT CASE WHEN proname = 'publish' AND proargtypes[1] = 'bytea'::regtype"
                                + " THEN 'publish_bytes' ELSE proname END FROM pg_proc"
                                + " WHERE pronamespace = 'ringtable'::regnamespace")))
                .isEqualTo(files);
    }

    @Test
    void aFunctionWhoseFileHasChangedIsInstalledAtTheNextStart() throws Exception {
        migrated.execute("UPDATE ringtable.ringtable_schema_history SET checksum = checksum + 1"
                + " WHERE version IS NULL AND description = 'tag_number'");
        migrated.execute("CREATE OR REPLACE FUNCTION ringtable.tag_number(p_digits text) RETURNS bigint LANGUAGE sql"
                + " IMMUTABLE AS 'SELECT 4711::bigint'");
        migrated.execute("DROP FUNCTION ringtable.add_segment");
        OneTopic.found(migrated.open()).close();
        assertThat(migrated.ask("SELECT ringtable.tag_number('BA')")).isEqualTo("64");
        assertThat(migrated.ask("SELECT count(*) FROM pg_proc WHERE proname = 'add_segment'"))
                .as("what nobody has changed in its file is not touched")
                .isEqualTo("0");
    }

    @Test
    void aVerbThatThisBrokerDoesNotHaveIsNobodysConcern() throws Exception {
        migrated.execute("INSERT INTO ringtable.ringtable_schema_history (installed_rank, description, type, script,"
                + " checksum, installed_by, installed_on, execution_time, success)"
                + " SELECT 9999, 'of_a_newer_broker', type, script, checksum, installed_by, installed_on,"
                + " execution_time, success FROM ringtable.ringtable_schema_history WHERE description = 'flush'");
        migrated.execute("UPDATE ringtable.ringtable_schema_history SET checksum = 0 WHERE description = 'ms'");
        OneTopic.found(migrated.open()).close();
        assertThat(migrated.ask("SELECT count(*) FROM ringtable.ringtable_schema_history WHERE description = 'ms'"))
                .as("installed anew beside it")
                .isEqualTo("2");
    }

    @Test
    void rightsOnWhatApplicationsCallOutlastANewText() throws Exception {
        migrated.execute("CREATE ROLE " + migrated.role());
        migrated.execute("GRANT EXECUTE ON FUNCTION ringtable.publish(text, text, jsonb),"
                + " ringtable.publish(text, bytea, jsonb), ringtable.settle(text) TO " + migrated.role());
        migrated.execute("UPDATE ringtable.ringtable_schema_history SET checksum = 0"
                + " WHERE description IN ('publish', 'publish_bytes', 'settle')");
        OneTopic.found(migrated.open()).close();
        assertThat(migrated.ask("SELECT count(*) FROM pg_proc WHERE pronamespace = 'ringtable'::regnamespace"
                        + " AND has_function_privilege('" + migrated.role() + "', oid, 'EXECUTE')"
                        + " AND proname IN ('publish', 'settle')"))
                .isEqualTo("3");
    }

    @Test
    void everyTableColumnViewAndFunctionIsExplained() throws Exception {
        assertThat(rows(
                        migrated,
                        "SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
                                + " WHERE c.relnamespace = 'ringtable'::regnamespace AND c.relkind IN ('r', 'p')"
                                + " AND NOT c.relispartition AND c.relname <> 'ringtable_schema_history'"
                                + " AND a.attnum > 0 AND col_description(c.oid, a.attnum) IS NULL"
                                + " UNION ALL SELECT relname FROM pg_class"
                                + " WHERE relnamespace = 'ringtable'::regnamespace"
                                + " AND relkind IN ('r', 'p', 'v') AND NOT relispartition"
                                + " AND relname <> 'ringtable_schema_history'"
                                + " AND obj_description(oid, 'pg_class') IS NULL"
                                + " UNION ALL SELECT proname FROM pg_proc"
                                + " WHERE pronamespace = 'ringtable'::regnamespace"
                                + " AND obj_description(oid, 'pg_proc') IS NULL"))
                .isEmpty();
    }

    @Test
    void theViewsShowWhatALiveRingHolds() throws Exception {
        try (OneTopic ring = OneTopic.found(migrated.open())) {
            ring.publish(OneTopic.SEGMENT + 7);
            ring.store.reclaim(ring.epoch, 0, OneTopic.SEGMENT, OneTopic.SEGMENT);
            assertThat(migrated.ask("SELECT string_agg(place || ' ' || n, ', ' ORDER BY place)"
                            + " FROM (SELECT place, count(*) n FROM owed GROUP BY place) o"))
                    .isEqualTo("backlog " + OneTopic.SEGMENT + ", ring 7");
            assertThat(migrated.ask("SELECT sum(reference_count) FROM messages"))
                    .isEqualTo(String.valueOf(OneTopic.SEGMENT + 7));
            assertThat(migrated.ask("SELECT backlog_messages || ' of ' || subscriptions FROM addresses"))
                    .isEqualTo(OneTopic.SEGMENT + " of 1");
            assertThat(migrated.ask("SELECT count(*) FROM subscriptions AS s JOIN addresses AS a USING (address)"))
                    .isEqualTo("1");
        }
    }

    /** Columns, constraints, indexes, views and functions, without the segments that a ring adds when it is laid. */
    private static List<String> objects(PostgresqlTestDatabase database) throws SQLException {
        return rows(
                database,
                "SELECT 'column ' || c.relname || '.' || a.attname"
                        + " || ' ' || format_type(a.atttypid, a.atttypmod) || ' '"
                        + " || a.attnotnull || ' ' || a.attstorage::text || ' '"
                        + " || coalesce(col_description(c.oid, a.attnum), '')"
                        + " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0"
                        + " WHERE c.relnamespace = 'ringtable'::regnamespace AND c.relkind IN ('r', 'p', 'v')"
                        + " AND NOT c.relispartition AND c.relname <> 'ringtable_schema_history'"
                        + " UNION ALL SELECT 'options ' || relname || ' ' || coalesce(reloptions::text, '')"
                        + " FROM pg_class WHERE relnamespace = 'ringtable'::regnamespace AND relkind IN ('r', 'p')"
                        + " AND NOT relispartition AND relname <> 'ringtable_schema_history'"
                        + " UNION ALL SELECT 'constraint ' || c.relname || ' ' || conname || ' '"
                        + " || pg_get_constraintdef(k.oid) FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid"
                        + " WHERE connamespace = 'ringtable'::regnamespace AND NOT c.relispartition"
                        + " AND c.relname <> 'ringtable_schema_history'"
                        + " UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'ringtable'"
                        + " AND tablename !~ '_[0-9]+$' AND tablename <> 'ringtable_schema_history'"
                        + " UNION ALL SELECT 'view ' || viewname || definition FROM pg_views"
                        + " WHERE schemaname = 'ringtable'"
                        + " UNION ALL SELECT 'function ' || pg_get_functiondef(oid) || coalesce(proacl::text, '')"
                        + " || obj_description(oid, 'pg_proc') FROM pg_proc"
                        + " WHERE pronamespace = 'ringtable'::regnamespace ORDER BY 1");
    }

    /** In the order in which they are installed. */
    private static List<Path> procedures() throws IOException {
        try (Stream<Path> files = Files.list(SQL.resolve("procedures"))) {
            return files.filter(file -> file.toString().endsWith(".sql"))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> rows(PostgresqlTestDatabase database, String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(sql)) {
            while (answer.next()) {
                rows.add(answer.getString(1));
            }
        }
        return rows;
    }
}
