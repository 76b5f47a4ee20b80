package io.ringtable.broker.amqp.login;

import io.ringtable.broker.login.LoginAttempt;
import io.ringtable.broker.login.LoginAttempt.Verdict;
import io.ringtable.broker.login.Logins;
import java.nio.charset.StandardCharsets;

/**
 * Logs a client in with PLAIN: a name and a password (RFC 4616).
 * <p>
 * Thread: the connection's event loop; {@link Logins} checks the password elsewhere.
 */
final class PlainLogin implements Mechanism {
    static final String NAME = "PLAIN";

    private final Logins logins;
    private final LoginPeer peer;
    private final SaslAnswers answers;

    PlainLogin(Logins logins, LoginPeer peer, SaslAnswers answers) {
        this.logins = logins;
        this.peer = peer;
        this.answers = answers;
    }

    /** Reads authorization identity, name and password, separated by NUL. */
    @Override
    public void begin(byte[] initial) {
        String[] parts = new String(initial, StandardCharsets.UTF_8).split("\0", -1);
        if (parts.length != 3) {
            answers.refuse("mechanism PLAIN without a name and a password");
            return;
        }
        String proof = logins.proof(parts[1]);
        LoginAttempt attempt = LoginAttempt.withPassword(
                new PeerSocket(peer.channel()).origin(),
                parts[1],
                parts[2],
                peer.channel()::isActive,
                (asked, verdict) -> peer.mailbox().post(() -> answer(asked, proof, verdict)));
        peer.channel().closeFuture().addListener(closed -> logins.withdraw(attempt));
        logins.check(attempt);
    }

    private void answer(LoginAttempt attempt, String proof, Verdict verdict) {
        if (answers.isDone()) {
            return;
        }
        switch (verdict) {
            case PASSED -> answers.pass(attempt.name(), proof);
            case WRONG, UNCHECKED -> answers.refuseUser(attempt.name());
            case PUT_OFF -> answers.putOff(attempt.origin(), attempt.name());
            case CROWDED -> answers.crowdedOut(attempt.name());
        }
    }

    @Override
    public void respond(byte[] response) {
        answers.refuse("the client answered a challenge that the broker did not send");
    }
}
