package io.ringtable.benchmarks.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsTest {
    private static final String IDENTITY = "commit abc, profile quick";
    private static final Case NAIVE = new Case(Map.of(Dimension.DESIGN, "naive"));

    @TempDir
    private Path directory;

    @Test
    void whatIsWrittenIsReadAgainWithAbsentFiguresAbsent() {
        write(0, Map.of(Figure.MESSAGES_PER_S, "1234.5", Figure.NOTE, "a comma, and\na line"));
        Row row = Results.read(file()).get(0);
        assertThat(row.cell("design")).isEqualTo("naive");
        assertThat(row.cell("messages_per_s")).isEqualTo("1234.5");
        assertThat(row.cell("log_writes")).isEmpty();
        assertThat(row.figures()).doesNotContainKey(Figure.LOG_WRITES);
        assertThat(row.cell("note")).isEqualTo("a comma; and;a line");
    }

    @Test
    void theNextCallGoesOnBehindTheRowsThatAreThere() throws Exception {
        write(0, Map.of());
        write(1, Map.of());
        try (Results results = new Results(directory, IDENTITY, "machine")) {
            assertThat(results.rows()).hasSize(2);
            assertThat(results.has("s", "sqlite", NAIVE, 1)).isTrue();
            assertThat(results.has("s", "sqlite", NAIVE, 2)).isFalse();
            assertThat(results.has("s", "postgresql", NAIVE, 1)).isFalse();
        }
        assertThat(Files.readAllLines(file()))
                .filteredOn(line -> line.startsWith("suite,"))
                .hasSize(1);
    }

    @Test
    void aLineThatWasCutOffIsMeasuredAgain() throws Exception {
        write(0, Map.of());
        write(1, Map.of());
        String text = Files.readString(file());
        Files.writeString(file(), text.substring(0, text.length() - 5));
        try (Results results = new Results(directory, IDENTITY, "machine")) {
            assertThat(results.has("s", "sqlite", NAIVE, 0)).isTrue();
            assertThat(results.has("s", "sqlite", NAIVE, 1)).isFalse();
        }
        write(1, Map.of());
        assertThat(Results.read(file())).hasSize(2);
    }

    @Test
    void rowsOfAnotherBuildOrProfileAreRefusedAndStay() throws Exception {
        write(0, Map.of());
        String before = Files.readString(file());
        assertThatThrownBy(() -> new Results(directory, "commit def, profile quick", "machine"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("commit abc")
                .hasMessageContaining("commit def");
        assertThat(Files.readString(file())).isEqualTo(before);
    }

    @Test
    void otherColumnsAreRefused() throws Exception {
        write(0, Map.of());
        Files.writeString(file(), Files.readString(file()).replace("suite,engine", "suite,motor"));
        assertThatThrownBy(() -> new Results(directory, IDENTITY, "machine")).hasMessageContaining("motor");
    }

    /** Raw data that is kept with the repository outlives columns that come later. */
    @Test
    void figuresOfLaterBuildsAreAbsentInEarlierFilesAndNothingIsAddedToThose() throws Exception {
        write(0, Map.of(Figure.MESSAGES, "7"));
        List<String> lines = Files.readAllLines(file());
        lines.replaceAll(line -> line.startsWith("#") ? line : line.substring(0, line.lastIndexOf(',')));
        Files.write(file(), lines);

        Row row = Results.read(file()).get(0);
        assertThat(row.cell("messages")).isEqualTo("7");
        assertThat(row.figures()).doesNotContainKey(Figure.NOTE);
        assertThatThrownBy(() -> new Results(directory, IDENTITY, "machine")).hasMessageContaining("other columns");
    }

    @Test
    void theFirstLineTellsTheProfile() {
        write(0, Map.of());
        assertThat(Results.profile(file())).isEqualTo("quick");
    }

    private void write(int round, Map<Figure, String> figures) {
        try (Results results = new Results(directory, IDENTITY, "machine\nload")) {
            results.add(new Row("s", "sqlite", NAIVE, round, figures));
        }
    }

    private Path file() {
        return directory.resolve(Results.FILE);
    }
}
