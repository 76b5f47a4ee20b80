package io.ringtable.walkthrough;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page with blocks of {@code console}: lines behind {@code $} are typed, lines below are what comes. A comment before
 * a block says where it is typed, {@code <!-- terminal: broker -->}, and whether its last command goes on,
 * {@code <!-- terminal: broker, goes on -->}. Blocks in another language, such as {@code sh}, are not followed.
 */
record Page(Path file, List<Step> steps) {
    private static final Pattern TERMINAL = Pattern.compile("<!-- terminal: (\\w+)(, goes on)? -->");
    private static final String MAIN = "main";

    /**
     * One command.
     *
     * @param section the heading above it
     * @param command what is typed; {@code ^C} interrupts the command before; empty where that command, which goes on,
     *     prints more
     * @param expected lines, in which {@code …} stands for any text, and for any lines if it stands alone
     * @param goesOn whether the next step comes while it runs
     */
    record Step(String section, String terminal, String command, List<String> expected, boolean goesOn) {}

    static Page read(Path file) throws IOException {
        List<Step> steps = new ArrayList<>();
        String section = "";
        String terminal = MAIN;
        boolean goesOn = false;
        List<String> block = null;
        for (String line : Files.readAllLines(file)) {
            Matcher comment = TERMINAL.matcher(line);
            if (block == null && comment.matches()) {
                terminal = comment.group(1);
                goesOn = comment.group(2) != null;
            } else if (block == null && line.startsWith("#")) {
                section = line.replaceFirst("#+ +", "");
            } else if (block == null && line.equals("```console")) {
                block = new ArrayList<>();
            } else if (block != null && line.equals("```")) {
                addSteps(steps, section, terminal, block, goesOn);
                block = null;
                terminal = MAIN;
                goesOn = false;
            } else if (block != null) {
                block.add(line);
            }
        }
        assertThat(steps).as("commands in %s", file).isNotEmpty();
        return new Page(file, steps);
    }

    private static void addSteps(
            List<Step> steps, String section, String terminal, List<String> block, boolean goesOn) {
        for (int line = 0; line < block.size(); ) {
            boolean typed = isTyped(block.get(line));
            StringBuilder command = new StringBuilder(typed ? block.get(line++).replaceFirst("^\\$ ", "") : "");
            while (command.toString().endsWith("\\")) {
                command.append('\n').append(block.get(line++).replaceFirst("^> ", ""));
            }
            List<String> expected = new ArrayList<>();
            while (line < block.size() && !isTyped(block.get(line))) {
                expected.add(block.get(line++));
            }
            steps.add(new Step(section, terminal, command.toString(), expected, goesOn && line == block.size()));
        }
    }

    private static boolean isTyped(String line) {
        return line.startsWith("$ ") || line.equals("^C");
    }

    List<Step> section(String name) {
        List<Step> its =
                steps.stream().filter(step -> step.section().equals(name)).toList();
        assertThat(its).as("commands below '%s' of %s", name, file).isNotEmpty();
        return its;
    }

    List<Step> withoutSection(String name) {
        return steps.stream().filter(step -> !step.section().equals(name)).toList();
    }
}
