package io.ringtable.broker;

import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Knows the packages of the main code of all modules from their sources, and which of them know which. A source knows
 * what its code names, whether it imports the name or writes it out; comments and texts are left out.
 * <p>
 * A circle of packages in the bytecode is one here too. Code that uses a type without its name got it from a
 * declaration that has the name. So a path leads from package to package all the same.
 */
final class SourcePackages {
    private static final String ROOT = "/src/main/java/";
    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern IMPORT = Pattern.compile(
            "^import (?:static )?((?:[a-z]\\w*\\.)+)(?:\\*|([A-Z][\\w.]*?)(\\.\\*)?);", Pattern.MULTILINE);
    private static final Pattern HEADING = Pattern.compile("^(?:import|package) .*$", Pattern.MULTILINE);
    private static final Pattern WRITTEN_OUT = Pattern.compile("(?<![\\w.])((?:[a-z]\\w*\\.)+)[A-Z]");
    private static final Pattern WORD = Pattern.compile("\\w+");
    /** A text block, a text, a character or a comment: whichever begins first. */
    private static final Pattern NO_CODE = Pattern.compile(
            "\"\"\".*?\"\"\"|\"(?:[^\"\\\\\\n]|\\\\.)*+\"|'(?:[^'\\\\\\n]|\\\\.)*+'|/\\*.*?\\*/|//[^\\n]*",
            Pattern.DOTALL);

    private final List<Source> sources;

    /**
     * Is one file.
     *
     * @param folder that it lies in, from the root of the repository
     * @param home its package
     * @param named the packages of all classes that its code names, of libraries too
     */
    record Source(String folder, String home, String className, Set<String> named) {

        static Source of(String folder, String className, String text) {
            String code = NO_CODE.matcher(text).replaceAll(" ");
            String body = HEADING.matcher(code).replaceAll("");
            Set<String> words =
                    WORD.matcher(body).results().map(MatchResult::group).collect(Collectors.toSet());
            Set<String> named = new HashSet<>();
            IMPORT.matcher(code).results().forEach(imported -> {
                String name = imported.group(2);
                boolean isOpen = name == null || imported.group(3) != null;
                if (isOpen || words.contains(name.substring(name.lastIndexOf('.') + 1))) {
                    named.add(withoutDot(imported.group(1)));
                }
            });
            WRITTEN_OUT.matcher(body).results().forEach(name -> named.add(withoutDot(name.group(1))));
            String home = PACKAGE.matcher(code)
                    .results()
                    .map(found -> found.group(1))
                    .findFirst()
                    .orElse("");
            return new Source(folder, home, className, named);
        }

        private static String withoutDot(String name) {
            return name.substring(0, name.length() - 1);
        }
    }

    private SourcePackages(List<Source> sources) {
        this.sources = sources;
    }

    static SourcePackages ofAllModules() {
        return new SourcePackages(RepositoryFiles.where(name -> name.contains(ROOT) && name.endsWith(".java")).stream()
                .filter(file -> !file.endsWith("package-info.java"))
                .map(SourcePackages::read)
                .toList());
    }

    private static Source read(Path file) {
        String className = file.getFileName().toString().replace(".java", "");
        return Source.of(RepositoryFiles.name(file.getParent()), className, RepositoryFiles.text(file));
    }

    /** Returns the classes of each folder: a package may be there in two modules. */
    Map<String, Long> sizes() {
        return sources.stream().collect(Collectors.groupingBy(Source::folder, TreeMap::new, Collectors.counting()));
    }

    /** Returns the packages of a module, each with its classes. */
    Map<String, Set<String>> ofModule(String module) {
        return sources.stream()
                .filter(source -> source.folder().startsWith(module + ROOT))
                .collect(Collectors.groupingBy(
                        Source::home, TreeMap::new, Collectors.mapping(Source::className, Collectors.toSet())));
    }

    /** Returns for each package the others of this repository that it knows. */
    Map<String, Set<String>> known() {
        Map<String, Set<String>> known = new TreeMap<>();
        sources.forEach(source ->
                known.computeIfAbsent(source.home(), any -> new TreeSet<>()).addAll(source.named()));
        known.forEach((home, others) -> {
            others.retainAll(known.keySet());
            others.remove(home);
        });
        return known;
    }

    /** Returns the classes of one package that name the other one. */
    Set<String> classesThatName(String home, String other) {
        return sources.stream()
                .filter(source -> source.home().equals(home) && source.named().contains(other))
                .map(Source::className)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Returns the packages that lie in circles, or on the way between two circles, each with those of them that it
     * knows.
     */
    static Map<String, Set<String>> circles(Map<String, Set<String>> known) {
        Map<String, Set<String>> left = new TreeMap<>();
        known.forEach((home, others) -> left.put(home, new TreeSet<>(others)));
        boolean fewer = true;
        while (fewer) {
            Set<String> all = Set.copyOf(left.keySet());
            Set<String> anyKnows = left.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
            fewer = left.entrySet()
                    .removeIf(home -> Collections.disjoint(home.getValue(), all) || !anyKnows.contains(home.getKey()));
            left.values().forEach(others -> others.retainAll(left.keySet()));
        }
        return left;
    }
}
