package io.ringtable.broker.amqp.login;

import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * Holds one attempt of a client to log in. Identity is the object. Thread: any; {@code answer} hands over and returns.
 */
final class LoginAttempt {
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
    private final String password;
    private final BooleanSupplier wanted;
    private final BiConsumer<LoginAttempt, Verdict> answer;

    /**
     * Makes an attempt.
     *
     * @param origin where the attempt comes from; attempts of one origin share their turns
     * @param wanted tells whether the client still waits
     */
    LoginAttempt(
            String origin,
            String name,
            String password,
            BooleanSupplier wanted,
            BiConsumer<LoginAttempt, Verdict> answer) {
        this.origin = origin;
        this.name = name;
        this.password = password;
        this.wanted = wanted;
        this.answer = answer;
    }

    String origin() {
        return origin;
    }

    public String name() {
        return name;
    }

    public String password() {
        return password;
    }

    public boolean isWanted() {
        return wanted.getAsBoolean();
    }

    public void answer(Verdict verdict) {
        answer.accept(this, verdict);
    }

    @Override
    public String toString() {
        return "login from " + origin; // no name, no password
    }
}
