package io.ringtable.cli.terminal;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import java.io.Console;
import java.util.function.UnaryOperator;

/** Finds passwords where nobody else reads them: in the environment, else at a prompt; never in an argument. */
public final class Passwords {
    private static UnaryOperator<String> environment = System::getenv; // written by tests alone

    private Passwords() {}

    /** Reads variables elsewhere: a test has users, and one environment. Thread: the test's. */
    static void readFrom(UnaryOperator<String> variables) {
        environment = variables;
    }

    /**
     * @param variable of the environment
     * @throws CommandFailed RT-6002 if the variable is not set and there is no terminal
     */
    public static String of(String user, String variable) {
        String fromEnvironment = environment.apply(variable);
        if (fromEnvironment != null) {
            return fromEnvironment;
        }
        Console console = Terminal.isAttached() ? System.console() : null;
        if (console == null) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    "RT-6002",
                    "user '" + user + "' has no password and there is no terminal to ask on: set " + variable);
        }
        return new String(console.readPassword("Password of %s: ", user));
    }
}
