package io.ringtable.broker.amqp.login;

import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/** A client that waits to be logged in. Identity is the object. Thread: any; {@code answer} hands over and returns. */
final class LoginAttempt {
    /** What became of it. */
    public enum Verdict {
        PASSED,
        WRONG,
        /** Too many failed before it. */
        PUT_OFF,
        /** Too many wait. */
        CROWDED,
        /** The check itself went wrong. */
        UNCHECKED
    }

    private final String origin;
    private final String name;
    private final String password;
    private final BooleanSupplier wanted;
    private final BiConsumer<LoginAttempt, Verdict> answer;

    /**
     * @param origin where it comes from: those of one origin share their turns
     * @param wanted whether the client still waits
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
