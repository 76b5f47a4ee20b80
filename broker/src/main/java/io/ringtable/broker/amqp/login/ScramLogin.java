package io.ringtable.broker.amqp.login;

import io.ringtable.broker.login.LoginAttempt.Verdict;
import io.ringtable.broker.login.Logins;
import io.ringtable.broker.login.scram.ScramExchange;
import io.ringtable.broker.login.scram.ScramVerifiers;
import io.ringtable.wire.ScramHash;
import javax.security.sasl.SaslException;

/**
 * Logs a client in with SCRAM: the client proves that it knows the password, and the broker proves that it knows the
 * user (RFC 5802).
 * <p>
 * The broker's signature goes out as a challenge, and the outcome after the client's empty answer. AMQP would let it
 * ride with the outcome, but clients that stand on protonj2 do not look there.
 * <p>
 * Thread: the connection's event loop. The stored verifier spares the broker the slow hash, so that a login costs it a
 * few fast ones.
 */
final class ScramLogin implements Mechanism {
    private final ScramHash hash;
    private final ScramVerifiers verifiers;
    private final Logins logins;
    private final String origin;
    private final SaslAnswers answers;
    private ScramExchange exchange;
    private String proof; // what the login stands on
    private boolean proved;

    ScramLogin(ScramHash hash, ScramVerifiers verifiers, Logins logins, String origin, SaslAnswers answers) {
        this.hash = hash;
        this.verifiers = verifiers;
        this.logins = logins;
        this.origin = origin;
        this.answers = answers;
    }

    @Override
    public void begin(byte[] initial) {
        try {
            exchange = ScramExchange.begin(hash, initial, verifiers);
            proof = logins.proof(exchange.name());
            answers.challenge(exchange.serverFirst());
        } catch (SaslException e) {
            refuseMessage(e);
        }
    }

    @Override
    public void respond(byte[] response) {
        if (!proved) {
            judge(response);
        } else if (response.length == 0) {
            answers.pass(exchange.name(), proof);
        } else {
            answers.refuse(hash.mechanism() + ": the client answers the broker's signature");
        }
    }

    private void judge(byte[] clientFinal) {
        try {
            exchange.readFinal(clientFinal);
        } catch (SaslException e) {
            refuseMessage(e);
            return;
        }
        Verdict verdict = logins.judge(origin, exchange.name(), exchange::isProved);
        switch (verdict) {
            case PASSED -> {
                proved = true;
                answers.challenge(exchange.serverFinal());
            }
            case PUT_OFF -> answers.putOff(origin, exchange.name());
            default -> answers.refuseUser(exchange.name());
        }
    }

    private void refuseMessage(SaslException why) {
        answers.refuse(hash.mechanism() + ": " + why.getMessage());
    }
}
