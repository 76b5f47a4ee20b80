package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the SDK's code in the Javadoc, docs/client.md and the README compiles, and that whole programs run. */
@Timeout(120)
class ExamplesTest {

    private static final Path ROOT = Path.of(System.getProperty("ringtable.root", ".."));
    private static final Path GUIDE = ROOT.resolve("docs/client.md");
    private static final Path README = ROOT.resolve("README.md");
    private static final Path API = ROOT.resolve("client/src/main/java/io/ringtable/client");
    private static final Pattern PUBLIC =
            Pattern.compile("^public (?:final )?(?:class|interface|record|enum) ", Pattern.MULTILINE);
    private static final Pattern JAVADOC = Pattern.compile("<pre>\\{@code\\n(.*?)\\n \\* \\}</pre>", Pattern.DOTALL);
    private static final Pattern MARKDOWN = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    /** The README's other program is Spring's. */
    private static final Pattern README_SDK =
            Pattern.compile("```java\\n(try \\(RingtableClient .*?)```", Pattern.DOTALL);

    private static final String SNIPPET = """
            import io.micrometer.core.instrument.MeterRegistry;
            import io.ringtable.client.*;
            import io.ringtable.client.jdbc.*;
            import io.ringtable.client.micrometer.*;
            import java.nio.charset.StandardCharsets;
            import java.nio.file.Path;
            import java.time.Duration;
            import java.time.Instant;
            import java.sql.Connection;
            import java.util.*;
            import javax.sql.DataSource;
            import org.springframework.jdbc.core.JdbcTemplate;
            import org.springframework.transaction.support.TransactionTemplate;

            class %s {
                static RingtableClient client;
                static MeterRegistry registry;
                static DataSource dataSource;
                static Connection connection;
                static JdbcTemplate jdbc;
                static TransactionTemplate transactions;

                void snippet() throws Exception {
            %s
                }
            }
            """;

    @TempDir
    Path directory;

    private record Example(String name, String source) {

        boolean isProgram() {
            return source.contains("public static void main");
        }
    }

    @TestFactory
    Stream<DynamicTest> compiles() throws IOException {
        List<Example> examples = examples();
        assertThat(examples).hasSizeGreaterThan(10).extracting(Example::name).contains("ReadmeExample1");
        return examples.stream().map(example -> DynamicTest.dynamicTest(example.name(), () -> compile(example)));
    }

    @Test
    void runsTheProgramsOfTheGuide() throws Exception {
        List<Example> programs = examples().stream().filter(Example::isProgram).toList();
        assertThat(programs).isNotEmpty();
        try (RealBroker broker = RealBroker.start(directory.resolve("data"))) {
            for (Example program : programs) {
                compile(program);
                assertThat(run(className(program), broker.uri())).contains("one book, please");
            }
        }
    }

    @Test
    void listsEveryErrorInTheGuide() throws IOException {
        Set<String> codes = new TreeSet<>();
        try (Stream<Path> files = Files.walk(API)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Matcher code = Pattern.compile("RT-5\\d{3}").matcher(Files.readString(file));
                code.results().map(MatchResult::group).forEach(codes::add);
            }
        }
        String guide = Files.readString(GUIDE);
        assertThat(codes)
                .hasSizeGreaterThan(25)
                .allSatisfy(code -> assertThat(guide).contains("| " + code + " |"));
    }

    @Test
    void showsNeitherNettyNorProtonInTheInterface() throws IOException {
        for (Path file : publicTypes()) {
            assertThat(Files.readString(file))
                    .as(file.toString())
                    .doesNotContain("io.netty")
                    .doesNotContain("org.apache.qpid")
                    .doesNotContain("springframework");
        }
    }

    private static List<Example> examples() throws IOException {
        List<Example> examples = new ArrayList<>();
        collect(examples, "Guide", MARKDOWN, Files.readString(GUIDE));
        collect(examples, "Readme", README_SDK, Files.readString(README));
        for (Path file : publicTypes()) {
            String name = file.getFileName().toString().replace(".java", "");
            collect(examples, name, JAVADOC, Files.readString(file));
        }
        return examples;
    }

    /** Returns the public types outside of {@code internal}, which applications may use. */
    private static List<Path> publicTypes() throws IOException {
        List<Path> types = new ArrayList<>();
        try (Stream<Path> files = Files.walk(API)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                boolean internal = file.startsWith(API.resolve("internal"));
                if (!internal && PUBLIC.matcher(Files.readString(file)).find()) {
                    types.add(file);
                }
            }
        }
        assertThat(types).hasSizeGreaterThan(20);
        return types;
    }

    private static void collect(List<Example> into, String name, Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        for (int number = 1; matcher.find(); number++) {
            String source = matcher.group(1).replaceAll("(?m)^ \\* ?", "");
            into.add(new Example(name + "Example" + number, source));
        }
    }

    private void compile(Example example) throws IOException {
        String source = example.isProgram() ? example.source() : SNIPPET.formatted(example.name(), example.source());
        if (source.contains("RingtableClient client =")) {
            source = source.replace("static RingtableClient client;\n", "\n");
        }
        Path file = directory.resolve(className(example) + ".java");
        Files.writeString(file, source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(problems, Locale.ROOT, null)) {
            List<String> options = List.of(
                    "--release",
                    "17",
                    "-d",
                    directory.toString(),
                    "-classpath",
                    System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
            compiler.getTask(null, manager, problems, options, null, manager.getJavaFileObjects(file))
                    .call();
        }
        assertThat(problems.getDiagnostics().stream().filter(each -> each.getKind() == Diagnostic.Kind.ERROR))
                .as(source)
                .isEmpty();
    }

    private static String className(Example example) {
        Matcher name = Pattern.compile("public class (\\w+)").matcher(example.source());
        return name.find() ? name.group(1) : example.name();
    }

    private String run(String className, String argument) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
            System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
            loader.loadClass(className).getMethod("main", String[].class).invoke(null, (Object)
                    new String[] {argument});
        } finally {
            System.setOut(before);
        }
        return output.toString(StandardCharsets.UTF_8);
    }
}
