package io.ringtable.broker.amqp.login;

import io.ringtable.broker.login.LoginAttempt;
import io.ringtable.broker.login.LoginAttempt.Verdict;
import io.ringtable.broker.login.Logins;
import io.ringtable.broker.login.TokenAuthenticator.VerifiedToken;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Logs a client in with a bearer token, by OAUTHBEARER (RFC 7628) or by XOAUTH2, which is older and says the same. A
 * refusal is the outcome alone, without the JSON that RFC 7628 puts before it: AMQP's outcome says as much.
 * <p>
 * Thread: the connection's event loop; {@link Logins} checks the token elsewhere. The mailbox that hands the verdict
 * over makes the fields of this class visible with it.
 */
final class BearerLogin implements Mechanism {
    static final String OAUTHBEARER = "OAUTHBEARER";
    static final String XOAUTH2 = "XOAUTH2";
    static final List<String> NAMES = List.of(OAUTHBEARER, XOAUTH2);

    private static final String TOKEN = "auth=(?i:Bearer) +(?<token>[A-Za-z0-9._~+/=-]+)\\x01";
    private static final String PAIRS = "(?:[A-Za-z]+=[^\\x01]*\\x01)*";

    private static final Map<String, Pattern> MESSAGES = Map.of(
            OAUTHBEARER, Pattern.compile("[ny],(?:a=(?<name>[^,\\x01]+))?,\\x01" + PAIRS + TOKEN + PAIRS + "\\x01"),
            XOAUTH2, Pattern.compile("user=(?<name>[^\\x01]*)\\x01" + TOKEN + "\\x01"));

    private final String mechanism;
    private final Logins logins;
    private final LoginPeer peer;
    private final SaslAnswers answers;
    private VerifiedToken verified; // null until a check has passed
    private String refusal = "the token could not be checked";

    BearerLogin(String mechanism, Logins logins, LoginPeer peer, SaslAnswers answers) {
        this.mechanism = mechanism;
        this.logins = logins;
        this.peer = peer;
        this.answers = answers;
    }

    @Override
    public void begin(byte[] initial) {
        Matcher message = MESSAGES.get(mechanism).matcher(new String(initial, StandardCharsets.UTF_8));
        if (!message.matches()) {
            answers.refuse("mechanism " + mechanism + " without a bearer token in its form");
            return;
        }
        String token = message.group("token");
        String claimed = message.group("name"); // what failures count against; the token says who it is
        LoginAttempt attempt = LoginAttempt.withToken(
                new PeerSocket(peer.channel()).origin(),
                claimed == null ? "" : claimed,
                () -> isValid(token),
                peer.channel()::isActive,
                (asked, verdict) -> peer.mailbox().post(() -> answer(asked, verdict)));
        peer.channel().closeFuture().addListener(closed -> logins.withdraw(attempt));
        logins.check(attempt);
    }

    private boolean isValid(String token) {
        verified = logins.rules().tokens().check(token, why -> refusal = "the token is not valid here: " + why);
        return verified != null;
    }

    private void answer(LoginAttempt attempt, Verdict verdict) {
        if (answers.isDone()) {
            return;
        }
        switch (verdict) {
            case PASSED -> answers.pass(verified);
            case WRONG, UNCHECKED -> answers.refuse(refusal);
            case PUT_OFF -> answers.putOff(attempt.origin(), attempt.name());
            case CROWDED -> answers.crowdedOut(attempt.name());
        }
    }

    @Override
    public void respond(byte[] response) {
        answers.refuse("the client answered a challenge that the broker did not send");
    }
}
