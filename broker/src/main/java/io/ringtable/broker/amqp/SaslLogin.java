package io.ringtable.broker.amqp;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.RejectedExecutionException;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.sasl.SaslOutcome;
import org.apache.qpid.protonj2.engine.sasl.SaslServerContext;
import org.apache.qpid.protonj2.engine.sasl.SaslServerListener;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AMQPHeader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a client in: PLAIN always, ANONYMOUS only while no users are configured (AMQP 1.0 section 5.3).
 * <p>
 * Thread: the connection's event loop; the password itself is checked on {@code amqp-login-N}. Failure: outcome
 * {@code auth}, which Qpid JMS reports as a JMSSecurityException, then the connection is closed.
 */
final class SaslLogin implements SaslServerListener {
    private static final Logger LOG = LoggerFactory.getLogger(SaslLogin.class);

    private static final Symbol PLAIN = Symbol.valueOf("PLAIN");
    private static final Symbol ANONYMOUS = Symbol.valueOf("ANONYMOUS");

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
        String[] credentials = PLAIN.equals(mechanism) ? credentials(response) : null;
        if (credentials == null) {
            refuse(context, "mechanism " + mechanism + " without a name and a password");
            return;
        }
        try {
            server.logins().execute(() -> check(context, credentials[0], credentials[1]));
        } catch (RejectedExecutionException e) {
            LOG.warn("RT-4039 login of {} put off: too many logins at once", connection, e);
            context.sendOutcome(SaslOutcome.SASL_TEMP, null);
            connection.transport().closeNow();
        }
    }

    /** Authorization identity, name and password, separated by NUL (RFC 4616). */
    private static String[] credentials(ProtonBuffer response) {
        if (response == null) {
            return null;
        }
        byte[] bytes = new byte[response.getReadableBytes()];
        response.copyInto(response.getReadOffset(), bytes, 0, bytes.length);
        String[] parts = new String(bytes, StandardCharsets.UTF_8).split("\0", -1);
        return parts.length == 3 ? new String[] {parts[1], parts[2]} : null;
    }

    private void check(SaslServerContext context, String name, String password) {
        boolean known;
        try {
            known = server.settings().authenticator().authenticate(name, password);
        } catch (RuntimeException e) {
            LOG.error("RT-4038 login of '{}' could not be checked", printable(name), e);
            known = false;
        }
        boolean passed = known;
        connection.mailbox().post(() -> answer(context, name, passed));
    }

    private void answer(SaslServerContext context, String name, boolean passed) {
        if (context.isDone()) {
            return;
        }
        if (passed) {
            context.sendOutcome(SaslOutcome.SASL_OK, null);
        } else {
            refuse(context, "wrong name or password for '" + printable(name) + "'");
        }
    }

    /** A name is the client's text: it must not forge log lines. */
    private static String printable(String name) {
        return name.replaceAll("\\p{Cntrl}", "?");
    }

    private void refuse(SaslServerContext context, String why) {
        server.counters().loginsFailed.increment();
        LOG.warn("RT-4038 login refused, {}: {}", connection, why);
        context.sendOutcome(SaslOutcome.SASL_AUTH, null);
        connection.transport().closeAfterFlush();
    }

    @Override
    public void handleSaslResponse(SaslServerContext context, ProtonBuffer response) {
        refuse(context, "an answer that was not asked for");
    }
}
