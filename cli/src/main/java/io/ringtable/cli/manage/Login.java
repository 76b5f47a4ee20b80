package io.ringtable.cli.manage;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Proves to a broker who asks over HTTP. Thread: any; immutable. */
public final class Login {
    /** Proves nothing: a broker without users needs no login. */
    public static final Login NONE = new Login(null);

    private final String authorization; // never printed

    private Login(String authorization) {
        this.authorization = authorization;
    }

    /** Logs in with a name and a password (RFC 7617). */
    public static Login basic(String user, String password) {
        byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        return new Login("Basic " + Base64.getEncoder().encodeToString(both));
    }

    /** Logs in with a bearer token (RFC 6750). */
    public static Login bearer(String token) {
        return new Login("Bearer " + token);
    }

    /** Returns whether there is a secret to send. */
    public boolean isSecret() {
        return authorization != null;
    }

    /** Returns the value of the header {@code Authorization}; null if there is none. */
    String authorization() {
        return authorization;
    }

    @Override
    public String toString() {
        return isSecret() ? "a login" : "no login";
    }
}
