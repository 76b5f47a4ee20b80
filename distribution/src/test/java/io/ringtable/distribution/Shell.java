package io.ringtable.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs programs as a user's shell does, and holds what they print. */
final class Shell {
    private static final long MOST_SECONDS = 900; // ends a program that hangs

    private Shell() {}

    /** Holds what a program printed to each of its outputs, and how it ended. */
    record Result(int exitCode, String out, String err) {
        /** Returns the output of a program that must have succeeded. */
        String succeeded() {
            assertThat(exitCode).as("exit code; standard error:%n%s", err).isZero();
            return out;
        }
    }

    /** Runs a program to its end. @param directory where it starts */
    static Result run(Path directory, Map<String, String> environment, String input, List<String> command)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("out", null);
        Path err = Files.createTempFile("err", null);
        Path in = Files.writeString(Files.createTempFile("in", null), input);
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectInput(in.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(command + " still runs after " + MOST_SECONDS + " s");
            }
            return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            for (Path file : List.of(in, out, err)) {
                Files.delete(file);
            }
        }
    }

    static Result run(Path directory, String... command) throws IOException, InterruptedException {
        return run(directory, Map.of(), "", List.of(command));
    }
}
