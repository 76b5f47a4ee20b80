package io.ringtable.walkthrough;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Finds the AMQP libraries of other languages. A library that the machine does not have is fetched from the registry of
 * its language into {@code target/clients}. Where that cannot be done the test is skipped, or fails where
 * {@code clients.required} names the language.
 * <p>
 * Thread: any; one at a time.
 */
final class ClientLibraries {
    private static final Path INSTALLED = Path.of("target", "clients").toAbsolutePath();
    private static final int INSTALL_MINUTES = 5;

    private ClientLibraries() {}

    /** The Python that has python-qpid-proton. */
    static synchronized Path python() {
        if (failureOf("python3", "-c", "import proton") == null) {
            return Path.of("python3");
        }
        Path venv = INSTALLED.resolve("python");
        Path python = venv.resolve("bin/python3");
        if (failureOf(python.toString(), "-c", "import proton") != null) {
            Path sources = Checkout.ROOT.resolve("examples/python");
            install("python", sources, "python3", "-m", "venv", venv.toString());
            install("python", sources, python.toString(), "-m", "pip", "install", "-q", "-r", "requirements.txt");
        }
        return python;
    }

    /** The search path with a program's directory in front, as an activated environment has it. */
    static String pathOf(Path program) {
        String path = System.getenv("PATH");
        return program.getParent() == null ? path : program.getParent() + ":" + path;
    }

    /** The directory of Node's modules that has rhea. */
    static synchronized Path nodeModules() throws IOException {
        if (failureOf("node", "--version") != null) {
            missing("node", failureOf("node", "--version"));
        }
        Path directory = INSTALLED.resolve("node");
        Path modules = directory.resolve("node_modules");
        if (!Files.isDirectory(modules.resolve("rhea"))) {
            Files.createDirectories(directory);
            for (String file : new String[] {"package.json", "package-lock.json"}) {
                Path source = Checkout.ROOT.resolve("examples/node").resolve(file);
                Files.copy(source, directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
            }
            install("node", directory, "npm", "ci", "--silent", "--ignore-scripts");
        }
        return modules;
    }

    /** Fetches go-amqp and compiles the examples, so that a later {@code go run} begins at once. */
    static synchronized void go() {
        install("go", Checkout.ROOT.resolve("examples/go"), "go", "build", "-o", "/dev/null", ".");
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
            missing(client, failure);
        }
    }

    private static void missing(String client, String reason) {
        String message = client + " is missing here: " + reason;
        if (List.of(System.getProperty("clients.required", "").split("\\s*,\\s*"))
                .contains(client)) {
            Assertions.fail(message + ", and clients.required names it");
        }
        System.err.println("SKIPPED " + message);
        Assumptions.abort(message);
    }

    /** Says why a command does not succeed; null if it does. */
    private static String failureOf(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes()).strip();
            return process.waitFor() == 0 ? null : String.join(" ", command) + ": " + output;
        } catch (IOException e) {
            return e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
