package io.ringtable.spring.boot.aot;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.MemoryDirectory;
import io.ringtable.spring.boot.OneBroker;
import io.ringtable.spring.boot.small.SmallApplication;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Spring writes code for an application ahead of time, the code compiles, and the application runs from it. */
@ExtendWith(OneBroker.class)
@Timeout(600)
class AheadOfTimeTest {
    /** Other libraries of the tests, which the small application would make use of. */
    private static final Pattern NOT_OF_THE_APPLICATION = Pattern.compile(
            "/(ringtable-broker|spring-boot-(data|jdbc|hibernate|jpa|webmvc|tomcat|servlet)|hibernate-core"
                    + "|tomcat-embed-core|broker/target)");

    private static final String PROCESSOR = "org.springframework.boot.SpringApplicationAotProcessor";

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    @Test
    void theApplicationRunsFromTheCodeThatSpringWroteForIt() throws Exception {
        Path sources = directory.resolve("sources");
        Path resources = directory.resolve("resources");
        Path classes = Files.createDirectories(directory.resolve("classes"));
        String written = run(
                classPath(),
                PROCESSOR,
                SmallApplication.class.getName(),
                sources.toString(),
                resources.toString(),
                classes.toString(),
                "io.ringtable",
                "small");
        assertThat(sources).as(written).isDirectory();
        compile(sources, classes);
        String metadata = metadata(resources);
        assertThat(metadata)
                .contains("org.apache.qpid.jms.provider.failover.FailoverProviderFactory")
                .contains("io.ringtable.client.internal.DefaultClientBuilder")
                .contains("io.ringtable.spring.boot.small.SmallApplication$Greeting");

        String printed = run(
                classes + File.pathSeparator + resources + File.pathSeparator + classPath(),
                "-Dspring.aot.enabled=true",
                SmallApplication.class.getName(),
                "--ringtable.client.uris=" + OneBroker.uri(),
                "--logging.level.io.ringtable.spring.boot.small=info");
        assertThat(printed).contains("AOT-processed").contains("jms: hello").contains("sdk: hello");
    }

    private static void compile(Path sources, Path classes) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("-proc:none", "-nowarn", "-cp", classes + File.pathSeparator + classPath()));
        arguments.addAll(List.of("-d", classes.toString()));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
        }
        int result = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(result).as("the compiler's result").isZero();
    }

    private static String metadata(Path resources) throws Exception {
        try (Stream<Path> files = Files.walk(resources)) {
            return Files.readString(files.filter(file -> file.endsWith("reachability-metadata.json"))
                    .findAny()
                    .orElseThrow());
        }
    }

    private static String classPath() {
        String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(all.split(File.pathSeparator))
                .filter(entry -> !NOT_OF_THE_APPLICATION
                        .matcher(entry.replace(File.separatorChar, '/'))
                        .find())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private String run(String classPath, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m", "-cp", classPath));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(directory, "printed", ".txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(180, TimeUnit.SECONDS)).as("it ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        String printed = Files.readString(output);
        assertThat(process.exitValue()).as(printed).isZero();
        return printed;
    }
}
