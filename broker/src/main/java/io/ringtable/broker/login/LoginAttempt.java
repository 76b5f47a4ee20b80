package io.ringtable.broker.login;

import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Holds one attempt of a client to log in. Identity is the object. Thread: any; {@code answer} hands over and returns.
 */
public final class LoginAttempt {
    /** Tells what became of the attempt. */
    public enum Verdict {
        PASSED,
        WRONG,
        /** Means that too many attempts failed before this one. */
        PUT_OFF,
        /** Means that too many attempts wait. */
        CROWDED,
        /** Means that the check itself failed. */
        UNCHECKED
    }

    private final String origin;
    private final String name;
    private final String password; // null where a token is checked
    private final Predicate<Authenticator> check;
    private final BooleanSupplier wanted;
    private final BiConsumer<LoginAttempt, Verdict> answer;

    private LoginAttempt(
            String origin,
            String name,
            String password,
            Predicate<Authenticator> check,
            BooleanSupplier wanted,
            BiConsumer<LoginAttempt, Verdict> answer) {
        this.origin = origin;
        this.name = name;
        this.password = password;
        this.check = check;
        this.wanted = wanted;
        this.answer = answer;
    }

    /**
     * Makes an attempt with a password.
     *
     * @param origin where the attempt comes from; attempts of one origin share their turns
     * @param wanted tells whether the client still waits
     */
    public static LoginAttempt withPassword(
            String origin,
            String name,
            String password,
            BooleanSupplier wanted,
            BiConsumer<LoginAttempt, Verdict> answer) {
        return new LoginAttempt(origin, name, password, users -> users.authenticate(name, password), wanted, answer);
    }

    /**
     * Makes an attempt with a token.
     *
     * @param name that the client gives itself; nothing but failures stands under it
     * @param check tells whether the token is valid, on a thread that makes hashes
     */
    public static LoginAttempt withToken(
            String origin,
            String name,
            BooleanSupplier check,
            BooleanSupplier wanted,
            BiConsumer<LoginAttempt, Verdict> answer) {
        return new LoginAttempt(origin, name, null, users -> check.getAsBoolean(), wanted, answer);
    }

    public String origin() {
        return origin;
    }

    public String name() {
        return name;
    }

    /** Returns the password, which may be remembered; null where a token is checked. */
    String password() {
        return password;
    }

    /** Checks the password or the token. */
    boolean isRight(Authenticator users) {
        return check.test(users);
    }

    boolean isWanted() {
        return wanted.getAsBoolean();
    }

    void answer(Verdict verdict) {
        answer.accept(this, verdict);
    }

    @Override
    public String toString() {
        return "login from " + origin; // no name, no password
    }
}
