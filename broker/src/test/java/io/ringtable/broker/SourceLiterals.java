package io.ringtable.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the texts that the sources of a module write, without its comments. */
final class SourceLiterals {
    static final Path ROOT = Path.of(System.getProperty("ringtable.root", ".."));

    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    private SourceLiterals() {}

    /** @param each gets a file and one text of it */
    static void forEach(String module, BiConsumer<Path, String> each) throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> found = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
            found.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
        }
        for (Path file : files) {
            for (String line : Files.readAllLines(file)) {
                if (!line.strip().matches("(\\*|/\\*|//).*")) {
                    Matcher literal = LITERAL.matcher(line);
                    while (literal.find()) {
                        each.accept(file, literal.group(1));
                    }
                }
            }
        }
    }
}
