package io.ringtable.cli.user;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.terminal.NewPassword;
import io.ringtable.wire.ScramHash;
import io.ringtable.wire.ScramVerifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.concurrent.Callable;
import org.springframework.security.crypto.bcrypt.BCrypt;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints what the broker's configuration stores of a password. Needs no broker. */
@Command(
        name = "password",
        description = {
            "Asks for a password and prints what ringtable.security.users[].password may store of it, one line each."
                    + " The lines are a hash for logins with PLAIN, and a verifier for each kind of SCRAM, which PLAIN"
                    + " takes too.",
            "Each call prints others, as each has a salt of its own."
        },
        mixinStandardHelpOptions = true)
public final class PasswordCommand implements Callable<Integer> {
    /** Is what RFC 7677 recommends at least. */
    private static final String ITERATIONS = "15000";

    private static final int SALT_BYTES = 16;
    private static final int BCRYPT_COST = 10;
    private static final int BCRYPT_BYTES_MAX = 72;

    @Mixin
    private NewPassword newPassword;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            defaultValue = ITERATIONS,
            description = "Iterations of the SCRAM verifiers, 4096 to 1000000: what guessing the password from a stolen"
                    + " verifier costs, and a login its client (default: ${DEFAULT-VALUE}).")
    private int iterations;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (iterations < ScramVerifier.ITERATIONS_MIN || iterations > ScramVerifier.ITERATIONS_MAX) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    "RT-6032",
                    "--iterations " + iterations + " is not between " + ScramVerifier.ITERATIONS_MIN + " and "
                            + ScramVerifier.ITERATIONS_MAX + ": give a number in this range");
        }
        String password = newPassword.read();
        PrintWriter out = spec.commandLine().getOut();
        printBcrypt(password, out);
        byte[] salt = new byte[SALT_BYTES];
        for (ScramHash hash : ScramHash.values()) {
            new SecureRandom().nextBytes(salt);
            out.println(ScramVerifier.of(hash, password, salt, iterations).notation());
        }
        return ExitCode.DONE;
    }

    /** Leaves bcrypt out where it would look at the beginning of the password only. */
    private void printBcrypt(String password, PrintWriter out) {
        int bytes = password.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > BCRYPT_BYTES_MAX) {
            spec.commandLine()
                    .getErr()
                    .println("No {bcrypt}: the password has " + bytes + " bytes, and bcrypt takes " + BCRYPT_BYTES_MAX
                            + ".");
        } else {
            out.println("{bcrypt}" + BCrypt.hashpw(password, BCrypt.gensalt("$2a", BCRYPT_COST)));
        }
    }
}
