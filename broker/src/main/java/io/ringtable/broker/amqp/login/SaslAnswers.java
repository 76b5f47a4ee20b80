package io.ringtable.broker.amqp.login;

import io.netty.util.concurrent.Future;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.broker.login.Logins;
import io.ringtable.broker.login.TokenAuthenticator.VerifiedToken;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.engine.sasl.SaslOutcome;
import org.apache.qpid.protonj2.engine.sasl.SaslServerContext;
import org.apache.qpid.protonj2.types.transport.AmqpError;

/**
 * Sends a client the challenges and the outcome of its login, and logs and counts what is refused.
 * <p>
 * Thread: the connection's event loop. Failure: outcome {@code auth}, which Qpid JMS reports as a JMSSecurityException,
 * or {@code sys-temp} for a client that is put off. The connection then closes.
 */
final class SaslAnswers {
    private static final String UNSAFE_REFUSED = "RT-4336 login refused, {}: {}; it has no TLS and comes from another"
            + " machine: give it TLS, let it log in with SCRAM, or set ringtable.security.allow-plain-remote=true";

    /** Ends what a token has begun that is valid for ever: no clock counts so far. */
    private static final Duration CONNECTION_MAX = Duration.ofDays(365);

    private static final String NOBODY = "RT-4338 login refused, {}: no user is configured for its certificate {}; add"
            + " one to ringtable.security.users, or see ringtable.amqp.tls.user-from";

    private final Logins logins;
    private final AmqpCounters counters;
    private final PeerLog log;
    private final LoginPeer peer;
    private final SaslServerContext context;

    SaslAnswers(Logins logins, AmqpCounters counters, PeerLog log, LoginPeer peer, SaslServerContext context) {
        this.logins = logins;
        this.counters = counters;
        this.log = log;
        this.peer = peer;
        this.context = context;
    }

    /** Tells whether the outcome has been sent. */
    boolean isDone() {
        return context.isDone();
    }

    void challenge(byte[] challenge) {
        context.sendChallenge(ProtonBufferAllocator.defaultAllocator().copy(challenge));
    }

    /** Lets in a client without a name. */
    void passWithoutName() {
        pass(logins.standingWithoutLogin(), "the first users came meanwhile: connect again and log in");
    }

    /** Lets in a user. @param proof what the login stood on when it began: the user may have changed since */
    void pass(String name, String proof) {
        pass(logins.standing(name, proof), "user '" + name + "' changed meanwhile");
    }

    private void pass(Supplier<Identity> standing, String otherwise) {
        Identity who = standing.get();
        if (who == null) {
            refuse(otherwise);
        } else {
            peer.loggedIn(who, standing);
            context.sendOutcome(SaslOutcome.SASL_OK, null);
        }
    }

    /** Lets in the user of a token as long as it is valid, and for {@link #CONNECTION_MAX} at most. */
    void pass(VerifiedToken token) {
        Identity who = new Identity(token.name(), token.groups());
        peer.loggedIn(who, () -> who);
        context.sendOutcome(SaslOutcome.SASL_OK, null);
        Duration left = Duration.between(Instant.now(), token.expiresAt());
        long leftMs = Math.max(0, left.compareTo(CONNECTION_MAX) < 0 ? left.toMillis() : CONNECTION_MAX.toMillis());
        Future<?> end = peer.channel().eventLoop().schedule(this::expire, leftMs, TimeUnit.MILLISECONDS);
        peer.channel().closeFuture().addListener(closed -> end.cancel(false));
    }

    private void expire() {
        String text = "RT-4339 the token of this connection has expired: connect again with a new one";
        log.info("{} closed: {}", peer, text);
        peer.mailbox().post(() -> peer.close(Conditions.of(AmqpError.UNAUTHORIZED_ACCESS, text), true));
    }

    /** Refuses a user; the answer is the same whether the user exists or not. */
    void refuseUser(String name) {
        refuse("wrong name or password for '" + name + "'");
    }

    void refuse(String why) {
        refuse("RT-4038 login refused, {}: {}", why);
    }

    /** Refuses a password or a token that others on the network may have read. */
    void refuseUnsafe() {
        refuse(UNSAFE_REFUSED, "PLAIN, OAUTHBEARER and XOAUTH2 show their secret to the network");
    }

    /** Logs that a client has left which perhaps could have logged in with PLAIN or a token. */
    void leftUnsafe() {
        log.warn(UNSAFE_REFUSED, peer, "the client left, as neither PLAIN nor tokens were offered");
    }

    /** Refuses a certificate that no user has. @param names in the certificate, of the kind that counts */
    void refuseCertificate(String names) {
        refuse(NOBODY, names);
    }

    /** Logs that a client has left which perhaps could have logged in with its certificate. */
    void leftWithoutUser(String names) {
        log.warn(NOBODY, peer, names);
    }

    private void refuse(String line, String why) {
        counters.loginsFailed.increment();
        log.warn(line, peer, why);
        context.sendOutcome(SaslOutcome.SASL_AUTH, null);
        peer.closeAfterFlush();
    }

    /** Asks a client to come back later, as too many logins failed. */
    void putOff(String origin, String name) {
        log.warn(
                "RT-4331 login of '{}' put off for {} ms, {}: too many logins failed; correct the client's password, or"
                        + " see ringtable.security.login-failures-max",
                name,
                logins.waitMs(origin, name),
                peer);
        putOff();
    }

    /** Asks a client to come back later, as too many wait. */
    void crowdedOut(String name) {
        log.warn("RT-4039 login of '{}' put off, {}: too many logins wait at once; connect again later", name, peer);
        putOff();
    }

    private void putOff() {
        counters.loginsPutOff.increment();
        context.sendOutcome(SaslOutcome.SASL_TEMP, null);
        peer.closeAfterFlush();
    }
}
