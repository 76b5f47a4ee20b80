package io.ringtable.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.cli.administration.ManagementCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Holds that docs/operations.md has the commands of administration that there are, and no others. */
class DocumentedCommandsTest {
    private static final Path DOCUMENT =
            Path.of(System.getProperty("ringtable.root", "..")).resolve("docs/operations.md");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    @Test
    void theTableHasTheCommandsThatThereAre() throws Exception {
        Map<String, Set<String>> there = new TreeMap<>();
        for (Map.Entry<String, CommandLine> command :
                RingtableCommand.commandLine().getSubcommands().entrySet()) {
            if (command.getValue().getCommand() instanceof ManagementCommand) {
                there.put(
                        command.getKey(),
                        new TreeSet<>(command.getValue().getSubcommands().keySet()));
            }
        }

        assertThat(there).hasSizeGreaterThan(10);
        assertThat(documented()).isEqualTo(there);
    }

    private static Map<String, Set<String>> documented() throws Exception {
        String text = Files.readString(DOCUMENT);
        String section = text.substring(text.indexOf("### Commands of administration"));
        Map<String, Set<String>> rows = new TreeMap<>();
        section.lines()
                .dropWhile(line -> !line.startsWith("|"))
                .takeWhile(line -> line.startsWith("|"))
                .skip(2)
                .map(row -> row.split("\\|"))
                .forEach(cells -> rows.put(codes(cells[1]).iterator().next(), codes(cells[2])));
        return rows;
    }

    private static Set<String> codes(String cell) {
        return CODE.matcher(cell).results().map(match -> match.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }
}
