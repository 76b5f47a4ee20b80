package io.ringtable.cli.terminal;

import java.util.function.Supplier;

/** Gives commands a password as if a variable of the environment had it: a test has one process for several users. */
public final class GivenPassword {
    private GivenPassword() {}

    /** Runs commands. @param password null if the variable is not set */
    public static <T> T with(String variable, String password, Supplier<T> commands) {
        Passwords.readFrom(name -> name.equals(variable) ? password : null);
        try {
            return commands.get();
        } finally {
            Passwords.readFrom(System::getenv);
        }
    }
}
