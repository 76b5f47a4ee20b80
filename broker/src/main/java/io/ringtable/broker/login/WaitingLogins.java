package io.ringtable.broker.login;

import io.ringtable.broker.access.Identity;
import io.ringtable.broker.login.LoginAttempt.Verdict;
import io.ringtable.broker.login.TokenAuthenticator.VerifiedToken;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Logs in clients whose thread waits for the answer, as those of HTTP do. Users, tokens and what failures cost are
 * those of AMQP, and so are the failures that count.
 * <p>
 * Thread: any that may wait; never an event loop.
 */
public final class WaitingLogins {
    private static final long ANSWER_SECONDS = 30;

    private final LoginRules rules;
    private final Logins logins;
    private final InstantSource clock;

    /** @param logins of the broker, for all ways in */
    public WaitingLogins(Logins logins) {
        this(logins, InstantSource.system());
    }

    /** @param clock tells when tokens expire */
    WaitingLogins(Logins logins, InstantSource clock) {
        this.rules = logins.rules();
        this.logins = logins;
        this.clock = clock;
    }

    /**
     * Says what became of a login.
     *
     * @param identity null if it is refused
     * @param standing says, whenever it is asked, who the user is; null once the user or the password is gone, or the
     *     token has expired. Null itself if the login is refused
     * @param isPutOff whether it was refused unseen, as too many failed before or too many wait
     * @param reason why it is refused, for people, without a secret; null if it is not
     */
    public record Result(Identity identity, Supplier<Identity> standing, boolean isPutOff, String reason) {
        private static Result refused(String reason) {
            return new Result(null, null, false, reason);
        }

        private static Result putOff(String reason) {
            return new Result(null, null, true, reason);
        }

        /** @param who gives null if the user or the password has changed since the check began */
        private static Result passed(Supplier<Identity> who) {
            Identity now = who.get();
            return now == null
                    ? refused("the user has changed meanwhile, or the token has expired")
                    : new Result(now, who, false, null);
        }
    }

    /** Tells whether clients have to log in. The answer may change. */
    public boolean isNeeded() {
        return !rules.isOpenToAll();
    }

    /** Tells whether bearer tokens are taken. */
    public boolean takesTokens() {
        return rules.tokens() != null;
    }

    /** Checks a name and a password. */
    public Result withPassword(InetAddress from, String name, String password) {
        if (rules.authenticator() == null || !rules.authenticator().hasPasswords()) {
            return Result.refused("no user has a password here");
        }
        Supplier<Identity> who = logins.standing(name, logins.proof(name));
        return check(
                answer -> LoginAttempt.withPassword(LoginOrigin.of(from), name, password, () -> true, answer),
                who,
                "the name or the password is wrong");
    }

    /** Checks a bearer token. */
    public Result withToken(InetAddress from, String token) {
        if (rules.tokens() == null) {
            return Result.refused("bearer tokens are not taken here: set ringtable.security.oauth.jwks");
        }
        AtomicReference<VerifiedToken> verified = new AtomicReference<>();
        AtomicReference<String> reason = new AtomicReference<>("the token could not be checked");
        BooleanSupplier isValid = () -> {
            verified.set(rules.tokens().check(token, why -> reason.set("the token is not valid here: " + why)));
            return verified.get() != null;
        };
        Result result = check(
                answer -> LoginAttempt.withToken(LoginOrigin.of(from), "", isValid, () -> true, answer),
                () -> clock.instant().isBefore(verified.get().expiresAt())
                        ? new Identity(verified.get().name(), verified.get().groups())
                        : null,
                null);
        return result.reason() == null && result.identity() == null ? Result.refused(reason.get()) : result;
    }

    /** Returns the user whom a client's certificate names, by the rule of SASL's EXTERNAL; TLS has verified it. */
    public Optional<String> userOf(X509Certificate certificate) {
        return rules.authenticator() == null
                ? Optional.empty()
                : CertificateNames.user(certificate, rules.certificateName(), rules.authenticator(), "");
    }

    /** Logs in the user whom a client's certificate names. TLS has verified the certificate. */
    public Result withCertificate(X509Certificate certificate) {
        return userOf(certificate)
                .map(name -> Result.passed(logins.standing(name, logins.proof(name))))
                .orElseGet(() -> Result.refused("the certificate of " + certificate.getSubjectX500Principal() + " with "
                        + rules.certificateName() + " "
                        + CertificateNames.of(certificate, rules.certificateName()) + " is no user's"));
    }

    private Result check(
            Function<BiConsumer<LoginAttempt, Verdict>, LoginAttempt> attempt, Supplier<Identity> who, String wrong) {
        CompletableFuture<Verdict> answered = new CompletableFuture<>();
        LoginAttempt asked = attempt.apply((any, verdict) -> answered.complete(verdict));
        logins.check(asked);
        try {
            return switch (answered.get(ANSWER_SECONDS, TimeUnit.SECONDS)) {
                case PASSED -> Result.passed(who);
                case WRONG, UNCHECKED -> Result.refused(wrong);
                case PUT_OFF -> Result.putOff("too many logins failed before this one: wait some seconds");
                case CROWDED -> Result.putOff("too many logins wait: try again");
            };
        } catch (TimeoutException e) {
            logins.withdraw(asked);
            return Result.putOff("the check of the login took longer than " + ANSWER_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            logins.withdraw(asked);
            return Result.putOff("the broker stops");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // nothing completes it so
        }
    }
}
