package io.ringtable.acceptance.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;

/**
 * Finds the AMQP libraries of other languages. A library that the machine does not have is fetched from the registry of
 * its language into {@code target/clients}. Where that cannot be done the test is skipped, or fails where
 * {@code clients.required} names the language.
 * <p>
 * Thread: any; one at a time.
 */
public final class ClientLibraries {
    private static final Path SOURCES = Path.of("src", "test", "clients").toAbsolutePath();
    private static final Path INSTALLED = Path.of("target", "clients").toAbsolutePath();
    private static final int INSTALL_MINUTES = 5;

    private ClientLibraries() {}

    /** The Python that has python-qpid-proton. */
    public static synchronized Path python() {
        if (Required.failureOf("python3", "-c", "import proton") == null) {
            return Path.of("python3");
        }
        Path venv = INSTALLED.resolve("python");
        Path python = venv.resolve("bin/python3");
        if (Required.failureOf(python.toString(), "-c", "import proton") != null) {
            String requirements = SOURCES.resolve("python/requirements.txt").toString();
            install("python", SOURCES, "python3", "-m", "venv", venv.toString());
            install("python", SOURCES, python.toString(), "-m", "pip", "install", "-q", "-r", requirements);
        }
        return python;
    }

    /** The directory of Node's modules that has rhea. */
    public static synchronized Path nodeModules() throws IOException {
        Required.program("clients.required", "node", "node", "--version");
        Path directory = INSTALLED.resolve("node");
        Path modules = directory.resolve("node_modules");
        if (!Files.isDirectory(modules.resolve("rhea"))) {
            Files.createDirectories(directory);
            for (String file : new String[] {"package.json", "package-lock.json"}) {
                Files.copy(
                        SOURCES.resolve("node").resolve(file),
                        directory.resolve(file),
                        StandardCopyOption.REPLACE_EXISTING);
            }
            install("node", directory, "npm", "ci", "--silent", "--ignore-scripts");
        }
        return modules;
    }

    /** Fetches go-amqp and compiles the program in a directory, so that a later {@code go run} begins at once. */
    public static synchronized void go(Path directory) {
        install("go", directory, "go", "build", "-o", "/dev/null", ".");
    }

    private static void install(String client, Path directory, String... command) {
        String failure;
        try {
            Path output = Files.createTempFile("install", ".out");
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            process.getOutputStream().close();
            boolean ended = process.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES);
            process.destroyForcibly();
            failure = ended && process.exitValue() == 0
                    ? null
                    : String.join(" ", command) + (ended ? "" : ", which did not end") + ": "
                            + Files.readString(output);
            Files.delete(output);
        } catch (IOException e) {
            failure = e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure = "interrupted";
        }
        if (failure != null) {
            Required.missing("clients.required", client, failure);
        }
    }
}
