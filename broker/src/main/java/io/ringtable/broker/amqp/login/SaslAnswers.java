package io.ringtable.broker.amqp.login;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.PeerLog;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.engine.sasl.SaslOutcome;
import org.apache.qpid.protonj2.engine.sasl.SaslServerContext;

/**
 * Sends a client the challenges and the outcome of its login, and logs and counts what is refused.
 * <p>
 * Thread: the connection's event loop. Failure: outcome {@code auth}, which Qpid JMS reports as a JMSSecurityException,
 * or {@code sys-temp} for a client that is put off. The connection then closes.
 */
final class SaslAnswers {
    private static final String PLAIN_REFUSED = "RT-4336 login refused, {}: {}; it has no TLS and comes from another"
            + " machine: give it TLS, let it log in with SCRAM, or set ringtable.security.allow-plain-remote=true";

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
        context.sendOutcome(SaslOutcome.SASL_OK, null);
    }

    /** Lets in a user. */
    void pass(String name) {
        peer.loggedIn(logins.identity(name));
        context.sendOutcome(SaslOutcome.SASL_OK, null);
    }

    /** Refuses a user; the answer is the same whether the user exists or not. */
    void refuseUser(String name) {
        refuse("wrong name or password for '" + name + "'");
    }

    void refuse(String why) {
        refuse("RT-4038 login refused, {}: {}", why);
    }

    /** Refuses a password that others on the network may have read. */
    void refusePlain() {
        refuse(PLAIN_REFUSED, "PLAIN shows the password to the network");
    }

    /** Logs that a client has left which perhaps could have logged in with PLAIN. */
    void leftWithoutPlain() {
        log.warn(PLAIN_REFUSED, peer, "the client left, as PLAIN was not offered");
    }

    /** Refuses a certificate that no user has. @param names in the certificate, of the kind that counts */
    void refuseCertificate(String names) {
        refuse(
                "RT-4338 login refused, {}: no user is configured for its certificate {}; add one to"
                        + " ringtable.security.users, or see ringtable.amqp.tls.user-from",
                names);
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
