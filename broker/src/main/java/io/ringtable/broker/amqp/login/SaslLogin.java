package io.ringtable.broker.amqp.login;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.broker.amqp.login.LoginAttempt.Verdict;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.sasl.SaslOutcome;
import org.apache.qpid.protonj2.engine.sasl.SaslServerContext;
import org.apache.qpid.protonj2.engine.sasl.SaslServerListener;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AMQPHeader;

/**
 * Logs a client in: PLAIN always, ANONYMOUS only while no users are configured (AMQP 1.0 section 5.3).
 * <p>
 * Thread: the connection's event loop; {@link Logins} checks the password elsewhere. Failure: outcome {@code auth},
 * which Qpid JMS reports as a JMSSecurityException, or {@code sys-temp} for a client that is put off. The connection
 * then closes.
 */
public final class SaslLogin implements SaslServerListener {
    private static final Symbol PLAIN = Symbol.valueOf("PLAIN");
    private static final Symbol ANONYMOUS = Symbol.valueOf("ANONYMOUS");

    /**
     * Limits names and password together, in bytes. A SASL frame has 512 (AMQP 1.0 section 5.3.2), but some clients
     * send more.
     */
    private static final int RESPONSE_BYTES_MAX = 4 * 1024;

    /** Counts the bytes of an IPv6 address that name a network: the owner of one address there has all of them. */
    private static final int NETWORK_BYTES = 8;

    private record Credentials(String name, String password) {
        @Override
        public String toString() {
            return "Credentials[name=" + name + "]";
        }
    }

    private final Logins logins;
    private final AmqpCounters counters;
    private final PeerLog log;
    private final LoginPeer peer;

    public SaslLogin(Logins logins, AmqpCounters counters, PeerLog log, LoginPeer peer) {
        this.logins = logins;
        this.counters = counters;
        this.log = log;
        this.peer = peer;
    }

    @Override
    public void handleSaslHeader(SaslServerContext context, AMQPHeader header) {
        context.sendMechanisms(logins.isOpenToAll() ? new Symbol[] {PLAIN, ANONYMOUS} : new Symbol[] {PLAIN});
    }

    @Override
    public void handleSaslInit(SaslServerContext context, Symbol mechanism, ProtonBuffer response) {
        if (logins.isOpenToAll() && (ANONYMOUS.equals(mechanism) || PLAIN.equals(mechanism))) {
            context.sendOutcome(SaslOutcome.SASL_OK, null);
            return;
        }
        Credentials credentials = PLAIN.equals(mechanism) ? credentials(response) : null;
        if (credentials == null) {
            refuse(context, "mechanism " + mechanism + " without a name and a password");
        } else {
            check(context, credentials);
        }
    }

    /** Reads authorization identity, name and password, separated by NUL (RFC 4616). */
    private static Credentials credentials(ProtonBuffer response) {
        if (response == null || response.getReadableBytes() > RESPONSE_BYTES_MAX) {
            return null;
        }
        byte[] bytes = new byte[response.getReadableBytes()];
        response.copyInto(response.getReadOffset(), bytes, 0, bytes.length);
        String[] parts = new String(bytes, StandardCharsets.UTF_8).split("\0", -1);
        return parts.length == 3 ? new Credentials(parts[1], parts[2]) : null;
    }

    private void check(SaslServerContext context, Credentials credentials) {
        LoginAttempt attempt = new LoginAttempt(
                origin(peer.channel().remoteAddress()),
                credentials.name(),
                credentials.password(),
                peer.channel()::isActive,
                (asked, verdict) -> peer.mailbox().post(() -> answer(context, asked, verdict)));
        peer.channel().closeFuture().addListener(closed -> logins.withdraw(attempt));
        logins.check(attempt);
    }

    /** Returns what failures count against: an IPv4 address, or the network of an IPv6 one. */
    private static String origin(SocketAddress peer) {
        if (!(peer instanceof InetSocketAddress remote) || remote.getAddress() == null) {
            return String.valueOf(peer);
        }
        return remote.getAddress() instanceof Inet6Address six
                ? HexFormat.of().formatHex(Arrays.copyOf(six.getAddress(), NETWORK_BYTES))
                : remote.getAddress().getHostAddress();
    }

    private void answer(SaslServerContext context, LoginAttempt attempt, Verdict verdict) {
        if (context.isDone()) {
            return;
        }
        switch (verdict) {
            case PASSED -> {
                peer.loggedIn(logins.identity(attempt.name()));
                context.sendOutcome(SaslOutcome.SASL_OK, null);
            }
            case WRONG, UNCHECKED -> refuse(context, "wrong name or password for '" + attempt.name() + "'");
            case PUT_OFF -> {
                log.warn(
                        "RT-4331 login of '{}' put off for {} ms, {}: too many logins failed; correct the client's"
                                + " password, or see ringtable.security.login-failures-max",
                        attempt.name(),
                        logins.waitMs(attempt),
                        peer);
                putOff(context);
            }
            case CROWDED -> {
                log.warn(
                        "RT-4039 login of '{}' put off, {}: too many logins wait at once; connect again later",
                        attempt.name(),
                        peer);
                putOff(context);
            }
        }
    }

    private void putOff(SaslServerContext context) {
        counters.loginsPutOff.increment();
        context.sendOutcome(SaslOutcome.SASL_TEMP, null);
        peer.closeAfterFlush();
    }

    private void refuse(SaslServerContext context, String why) {
        counters.loginsFailed.increment();
        log.warn("RT-4038 login refused, {}: {}", peer, why);
        context.sendOutcome(SaslOutcome.SASL_AUTH, null);
        peer.closeAfterFlush();
    }

    @Override
    public void handleSaslResponse(SaslServerContext context, ProtonBuffer response) {
        refuse(context, "the client answered a challenge that the broker did not send");
    }
}
