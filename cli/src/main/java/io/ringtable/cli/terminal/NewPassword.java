package io.ringtable.cli.terminal;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import picocli.CommandLine.Option;

/** Takes a password that somebody chooses: from a prompt, or from standard input; never from an argument. */
public final class NewPassword {
    @Option(
            names = "--stdin",
            description = "Read the password from standard input, up to the end of its first line, and do not ask.")
    private boolean stdin;

    /** Returns whether the command line speaks of a password. */
    public boolean isGiven() {
        return stdin;
    }

    /** Returns the password, which is not empty. */
    public String read() throws IOException {
        String password = stdin ? line() : asked();
        if (password == null || password.isEmpty()) {
            throw new CommandFailed(ExitCode.USAGE, "RT-6033", "the password is empty: give at least one character");
        }
        return password;
    }

    private static String line() throws IOException {
        return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
    }

    private static String asked() {
        Console console = Terminal.isAttached() ? System.console() : null;
        if (console == null) {
            throw new CommandFailed(
                    ExitCode.USAGE, "RT-6034", "there is no terminal to ask on: pass --stdin and the password's line");
        }
        char[] password = console.readPassword("Password: ");
        if (!Arrays.equals(password, console.readPassword("Again: "))) {
            throw new CommandFailed(ExitCode.USAGE, "RT-6035", "the two passwords differ: begin anew");
        }
        return password == null ? null : new String(password);
    }
}
