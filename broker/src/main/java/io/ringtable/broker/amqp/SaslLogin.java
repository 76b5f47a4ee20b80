package io.ringtable.broker.amqp;

import io.ringtable.broker.amqp.LoginAttempt.Verdict;
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
 * Thread: the connection's event loop; {@link Logins} checks the password elsewhere. Failure: outcome {@code auth}, which Qpid JMS
 * reports as a JMSSecurityException, or {@code sys-temp} where the client is put off; then the connection is closed.
 */
final class SaslLogin implements SaslServerListener {
    private static final Symbol PLAIN = Symbol.valueOf("PLAIN");
    private static final Symbol ANONYMOUS = Symbol.valueOf("ANONYMOUS");

    /** Bytes of names and password together; a SASL frame has 512 (AMQP 1.0 section 5.3.2), and some clients send more. */
    private static final int RESPONSE_BYTES_MAX = 4 * 1024;

    /** Bytes of an IPv6 address that name a network: whoever has one address of it has them all. */
    private static final int NETWORK_BYTES = 8;

    private record Credentials(String name, String password) {
        @Override
        public String toString() {
            return "Credentials[name=" + name + "]";
        }
    }

    private final AmqpServer server;
    private final AmqpConnection connection;

    SaslLogin(AmqpServer server, AmqpConnection connection) {
        this.server = server;
        this.connection = connection;
    }

    private boolean isOpenToAll() {
        return server.settings().authenticator() == null;
    }

    @Override
    public void handleSaslHeader(SaslServerContext context, AMQPHeader header) {
        context.sendMechanisms(isOpenToAll() ? new Symbol[] {PLAIN, ANONYMOUS} : new Symbol[] {PLAIN});
    }

    @Override
    public void handleSaslInit(SaslServerContext context, Symbol mechanism, ProtonBuffer response) {
        if (isOpenToAll() && (ANONYMOUS.equals(mechanism) || PLAIN.equals(mechanism))) {
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

    /** Authorization identity, name and password, separated by NUL (RFC 4616). */
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
                origin(connection.transport().channel().remoteAddress()),
                credentials.name(),
                credentials.password(),
                connection.transport().channel()::isActive,
                (asked, verdict) -> connection.mailbox().post(() -> answer(context, asked, verdict)));
        connection
                .transport()
                .channel()
                .closeFuture()
                .addListener(closed -> server.logins().withdraw(attempt));
        server.logins().check(attempt);
    }

    /** Whom failures count for: an IPv4 address, the network of an IPv6 one. */
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
                connection.loggedIn(attempt.name());
                context.sendOutcome(SaslOutcome.SASL_OK, null);
            }
            case WRONG, UNCHECKED -> refuse(context, "wrong name or password for '" + attempt.name() + "'");
            case PUT_OFF -> {
                server.peerLog()
                        .warn(
                                "RT-4331 login of '{}' put off for {} ms, {}: too many failed; give it the right password, or"
                                        + " see ringtable.security.login-failures-max",
                                attempt.name(),
                                server.logins().waitMs(attempt),
                                connection);
                putOff(context);
            }
            case CROWDED -> {
                server.peerLog()
                        .warn(
                                "RT-4039 login of '{}' put off, {}: too many logins wait at once; connect again later",
                                attempt.name(),
                                connection);
                putOff(context);
            }
        }
    }

    private void putOff(SaslServerContext context) {
        server.counters().loginsPutOff.increment();
        context.sendOutcome(SaslOutcome.SASL_TEMP, null);
        connection.transport().closeAfterFlush();
    }

    private void refuse(SaslServerContext context, String why) {
        server.counters().loginsFailed.increment();
        server.peerLog().warn("RT-4038 login refused, {}: {}", connection, why);
        context.sendOutcome(SaslOutcome.SASL_AUTH, null);
        connection.transport().closeAfterFlush();
    }

    @Override
    public void handleSaslResponse(SaslServerContext context, ProtonBuffer response) {
        refuse(context, "an answer that was not asked for");
    }
}
