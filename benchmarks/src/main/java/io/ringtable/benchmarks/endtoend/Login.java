package io.ringtable.benchmarks.endtoend;

import io.ringtable.wire.ScramHash;
import io.ringtable.wire.ScramVerifier;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;

/** Names the user as whom all clients of a secured broker log in, and the rules that it has. */
record Login(String user, String password) {
    static final Login RIG = new Login("rig", "measured");

    /** Returns the broker's arguments: the user has what the scenarios need, by rules as an application would have. */
    List<String> arguments() {
        return List.of(
                "--ringtable.security.users[0].name=" + user,
                "--ringtable.security.users[0].password=" + verifier(),
                "--ringtable.security.rules[0].match=#",
                "--ringtable.security.rules[0].users=" + user,
                "--ringtable.security.rules[0].permissions=send,receive,browse,create,delete",
                "--ringtable.security.rules[1].match=payroll.#",
                "--ringtable.security.rules[1].users=somebody",
                "--ringtable.security.rules[1].permissions=send,receive",
                "--ringtable.security.roles.viewer.users=" + user);
    }

    private String verifier() {
        byte[] salt = new byte[16];
        new SecureRandom().nextBytes(salt);
        return ScramVerifier.of(ScramHash.SHA_256, password, salt, ScramVerifier.ITERATIONS_MIN)
                .notation();
    }

    /** Returns the header by which HTTP knows the user. */
    String basic() {
        byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(both);
    }
}
