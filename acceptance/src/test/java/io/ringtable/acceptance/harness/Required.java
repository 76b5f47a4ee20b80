package io.ringtable.acceptance.harness;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Checks the needs of a test on its machine. If a tool or server is missing the test is skipped and says why, or fails
 * where the property ({@code engines.required}, {@code clients.required}, {@code tools.required}) names it.
 */
public final class Required {
    private Required() {}

    /**
     * Fails if the property's list names the part, else skips the test.
     *
     * @return never: for a caller that has to throw something
     */
    public static AssertionError missing(String property, String part, String reason) {
        String message = part + " is missing here: " + reason;
        if (List.of(System.getProperty(property, "").split("\\s*,\\s*")).contains(part)) {
            Assertions.fail(message + ", and " + property + " names it");
        }
        System.err.println("SKIPPED " + message);
        return Assumptions.abort(message);
    }

    /** A program that answers with exit code 0, else {@link #missing}. */
    public static void program(String property, String part, String... command) {
        String failure = failureOf(command);
        if (failure != null) {
            missing(property, part, failure);
        }
    }

    /** Says why the command does not succeed; null if it does. */
    public static String failureOf(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes()).strip();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return String.join(" ", command) + " did not end";
            }
            return process.exitValue() == 0
                    ? null
                    : String.join(" ", command) + " ended with " + process.exitValue() + ": " + output;
        } catch (IOException e) {
            return e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
