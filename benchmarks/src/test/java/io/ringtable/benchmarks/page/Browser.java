package io.ringtable.benchmarks.page;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Opens pages in a Chromium of this machine. Where there is none the test is skipped, or fails if
 * {@code clients.required} names chromium. Thread: the test's.
 */
final class Browser {
    private static final List<String> PROGRAMS = List.of("chromium", "chromium-browser", "google-chrome", "chrome");

    private final Path program;

    private Browser(Path program) {
        this.program = program;
    }

    static Browser find() {
        for (String directory : System.getenv("PATH").split(":")) {
            for (String name : PROGRAMS) {
                Path program = Path.of(directory, name);
                if (Files.isExecutable(program)) {
                    return new Browser(program);
                }
            }
        }
        String missing = "none of " + PROGRAMS + " is on the PATH";
        if (List.of(System.getProperty("clients.required", "").split("\\s*,\\s*"))
                .contains("chromium")) {
            Assertions.fail(missing + ", and clients.required names chromium");
        }
        System.err.println("SKIPPED chromium is missing here: " + missing);
        return Assumptions.abort(missing);
    }

    /**
     * Returns the document as it stands when its scripts have run.
     *
     * @param dark whether the reader prefers dark colours
     */
    String documentOf(Path page, Path work, boolean dark) throws IOException, InterruptedException {
        Path output = work.resolve("document.html");
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--headless",
                "--disable-gpu",
                "--no-sandbox", // the page is ours, and the superuser has no sandbox
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--user-data-dir=" + work.resolve("profile"),
                "--virtual-time-budget=5000",
                "--dump-dom"));
        if (dark) {
            command.add("--blink-settings=preferredColorScheme=0");
        }
        command.add(page.toUri().toString());
        Process process = new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            Assertions.assertTrue(process.waitFor(2, TimeUnit.MINUTES), program + " did not end");
        } finally {
            List<ProcessHandle> left = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                    .toList();
            left.forEach(ProcessHandle::destroyForcibly);
            left.forEach(handle -> handle.onExit().join());
        }
        return Files.readString(output, StandardCharsets.UTF_8);
    }
}
