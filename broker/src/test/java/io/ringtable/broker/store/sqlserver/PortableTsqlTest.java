package io.ringtable.broker.store.sqlserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that schema, procedures and statements keep to the T-SQL that runs on SQL Server 2019 and on servers that are
 * compatible with it. T-SQL that only SQL Server knows stands in {@code operations} and in folders named
 * {@code sqlserver-only}, which the broker never runs.
 */
class PortableTsqlTest {
    private static final Path SQL =
            Path.of(System.getProperty("ringtable.root", ".."), "src/main/resources/db/sqlserver");

    private static final Map<String, String> FORBIDDEN = new LinkedHashMap<>();

    static {
        FORBIDDEN.put(
                "\\bMERGE\\s+(INTO\\s+)?[\\w\\[@]+[.\\w\\[\\]]*\\s+(AS|USING|WITH)\\b",
                "UPDATE, then INSERT what is missing");
        FORBIDDEN.put("\\bCREATE\\s+OR\\s+ALTER\\b", "DROP IF EXISTS, then CREATE");
        FORBIDDEN.put(
                "\\bALTER\\s+(VIEW|FUNCTION|PROCEDURE|INDEX|DATABASE)\\b",
                "a script for SQL Server only, or DROP and CREATE");
        FORBIDDEN.put("\\b(UPDLOCK|XLOCK|HOLDLOCK|TABLOCKX?|NOLOCK|PAGLOCK)\\b", "an UPDATE with a predicate");
        // A server of snapshots passes over nothing, and needs not: it shows no row of an open transaction.
        FORBIDDEN.put(
                "(?<!READCOMMITTEDLOCK, )READPAST\\b", "READCOMMITTEDLOCK before it, or row versioning refuses it");
        FORBIDDEN.put(
                "\\bsp_sequence_get_range\\b|\\bNEXT\\s+VALUE\\s+FOR\\b|\\bCREATE\\s+SEQUENCE\\b",
                "the committer numbers");
        FORBIDDEN.put("[+\\-*/]=", "n = t.n + 1");
        FORBIDDEN.put("\\bWAITFOR\\b", "nothing waits on the server");
        FORBIDDEN.put("\\bEXECUTE\\s+AS\\b", "ownership of the schema");
        // A session may look at itself everywhere.
        FORBIDDEN.put("\\bsys\\.(sequences|dm_(?!exec_sessions\\b)\\w+)", "operations or a script for SQL Server only");
        FORBIDDEN.put("\\b(MEMORY_OPTIMIZED|NATIVE_COMPILATION|DELAYED_DURABILITY)\\b", "a script for SQL Server only");
        FORBIDDEN.put("\\bOUTPUT\\b", "result sets, and @@ROWCOUNT");
        FORBIDDEN.put("\\bWITH\\s+\\w+\\s+AS\\s*\\([^;]*?\\)\\s*(UPDATE|DELETE)\\b", "WHERE key IN (SELECT TOP ...)");
        FORBIDDEN.put("(?m)^\\s+INDEX\\s+\\w+", "CREATE INDEX of its own");
        FORBIDDEN.put("\\bsp_executesql\\b|\\bEXEC(UTE)?\\s*\\(", "no SQL is put together on the server");
    }

    @Test
    void everyFileThatTheBrokerRunsKeepsToWhatCompatibleServersKnow() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : files()) {
            String sql = Files.readString(file).replaceAll("--[^\n]*", "").replaceAll("'[^'\n]*'", "''");
            FORBIDDEN.forEach((pattern, instead) -> {
                Matcher matcher =
                        Pattern.compile(pattern, Pattern.CASE_INSENSITIVE).matcher(sql);
                if (matcher.find()) {
                    found.add(SQL.relativize(file) + ": '" + matcher.group().strip() + "', instead of it: " + instead);
                }
            });
        }
        assertThat(found).isEmpty();
    }

    @Test
    void everyProcedureCountsNoRowsAloudAndEveryWriterRollsBackByItself() throws IOException {
        List<Path> procedures = files("procedures");
        assertThat(procedures).hasSizeGreaterThan(20);
        for (Path file : procedures) {
            String procedure = Files.readString(file);
            if (procedure.contains("CREATE FUNCTION")) {
                continue;
            }
            assertThat(procedure).as(file.toString()).contains("SET NOCOUNT ON;");
            if (procedure.contains("BEGIN TRANSACTION")) {
                assertThat(procedure)
                        .as(file.toString())
                        .contains("SET XACT_ABORT ON;")
                        .contains("COMMIT TRANSACTION;");
            }
        }
    }

    @Test
    void emptyPlusMigrationsAndProceduresIsSchemaSqlAndProcedures() throws IOException {
        TsqlObjects migrated = new TsqlObjects().make("CREATE SCHEMA ringtable;");
        for (Path file : files("migrations")) {
            migrated.make(Files.readString(file));
        }
        TsqlObjects written = new TsqlObjects().make(Files.readString(SQL.resolve("schema.sql")));
        for (Path file : files("procedures")) {
            migrated.make(Files.readString(file));
            written.make(Files.readString(file));
        }
        assertThat(written.definitions()).isEqualTo(migrated.definitions()).hasSizeGreaterThan(70);
    }

    private static List<Path> files(String folder) throws IOException {
        try (Stream<Path> files = Files.list(SQL.resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(".sql"))
                    .sorted()
                    .toList();
        }
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(SQL)) {
            List<Path> files = all.filter(file -> file.toString().endsWith(".sql"))
                    .filter(file -> !SQL.relativize(file).startsWith("operations"))
                    .filter(file -> !SQL.relativize(file).toString().contains("sqlserver-only"))
                    .toList();
            assertThat(files).hasSizeGreaterThan(25);
            return files;
        }
    }
}
