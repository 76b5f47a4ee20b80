package io.ringtable.broker.amqp.login;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.wire.ScramHash;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.sasl.SaslServerContext;
import org.apache.qpid.protonj2.engine.sasl.SaslServerListener;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AMQPHeader;

/**
 * Logs a client in (AMQP 1.0 section 5.3): offers the mechanisms that at least one user can use on this connection, and
 * runs the one that the client chooses. While no users are configured these are PLAIN, unchecked, and ANONYMOUS.
 * <p>
 * Thread: the connection's event loop. Failure: as {@link SaslAnswers} say.
 */
public final class SaslLogin implements SaslServerListener {
    private static final String ANONYMOUS = "ANONYMOUS";

    /**
     * Limits what a client sends at once, such as names and password together, in bytes. A SASL frame has 512 (AMQP 1.0
     * section 5.3.2), but some clients send more.
     */
    private static final int RESPONSE_BYTES_MAX = 4 * 1024;

    private final Logins logins;
    private final AmqpCounters counters;
    private final PeerLog log;
    private final LoginPeer peer;
    private PeerSocket socket;
    private SaslAnswers answers;
    private Mechanism chosen; // null before the client's choice

    public SaslLogin(Logins logins, AmqpCounters counters, PeerLog log, LoginPeer peer) {
        this.logins = logins;
        this.counters = counters;
        this.log = log;
        this.peer = peer;
    }

    @Override
    public void handleSaslHeader(SaslServerContext context, AMQPHeader header) {
        socket = new PeerSocket(peer.channel());
        answers = new SaslAnswers(logins, counters, log, peer, context);
        if (!logins.isOpenToAll() && logins.rules().authenticator().hasPasswords() && !isPlainAllowed()) {
            peer.channel().closeFuture().addListener(closed -> onClosed());
        }
        context.sendMechanisms(offered().toArray(String[]::new));
    }

    private void onClosed() {
        if (chosen == null && !answers.isDone()) {
            answers.leftWithoutPlain();
        }
    }

    /** Lists what the client may choose, the best first. */
    private Set<String> offered() {
        Set<String> offered = new LinkedHashSet<>();
        if (logins.isOpenToAll()) {
            offered.add(PlainLogin.NAME);
            offered.add(ANONYMOUS);
            return offered;
        }
        Authenticator users = logins.rules().authenticator();
        if (socket.certificate() != null) {
            offered.add(ExternalLogin.NAME);
        }
        for (ScramHash hash : new ScramHash[] {ScramHash.SHA_512, ScramHash.SHA_256}) {
            if (users.scram().hashes().contains(hash)) {
                offered.add(hash.mechanism());
            }
        }
        if (users.hasPasswords() && isPlainAllowed()) {
            offered.add(PlainLogin.NAME);
        }
        if (offered.isEmpty()) {
            // AMQP forbids an empty list, and this client lacks a proof outside of SASL: TLS, or a certificate.
            offered.add(ExternalLogin.NAME);
        }
        return offered;
    }

    private boolean isPlainAllowed() {
        return socket.isPrivate() || logins.rules().bounds().allowPlainRemote();
    }

    @Override
    public void handleSaslInit(SaslServerContext context, Symbol mechanism, ProtonBuffer response) {
        String name = String.valueOf(mechanism);
        byte[] bytes = bytes(response);
        if (bytes == null) {
            answers.refuse("mechanism " + name + " with more than " + RESPONSE_BYTES_MAX + " bytes");
        } else if (logins.isOpenToAll() && offered().contains(name)) {
            answers.passWithoutName();
        } else if (name.equals(PlainLogin.NAME) && !logins.isOpenToAll() && !isPlainAllowed()) {
            answers.refusePlain();
        } else if (!offered().contains(name)) {
            answers.refuse("mechanism " + name + " is not offered");
        } else {
            chosen = mechanism(name);
            chosen.begin(bytes);
        }
    }

    private Mechanism mechanism(String name) {
        LoginRules rules = logins.rules();
        return switch (name) {
            case PlainLogin.NAME -> new PlainLogin(logins, peer, answers);
            case ExternalLogin.NAME ->
                new ExternalLogin(socket.certificate(), rules.certificateName(), rules.authenticator(), answers);
            default ->
                new ScramLogin(
                        ScramHash.ofMechanism(name), rules.authenticator().scram(), logins, socket.origin(), answers);
        };
    }

    private static byte[] bytes(ProtonBuffer response) {
        if (response == null) {
            return new byte[0];
        }
        if (response.getReadableBytes() > RESPONSE_BYTES_MAX) {
            return null;
        }
        byte[] bytes = new byte[response.getReadableBytes()];
        response.copyInto(response.getReadOffset(), bytes, 0, bytes.length);
        return bytes;
    }

    @Override
    public void handleSaslResponse(SaslServerContext context, ProtonBuffer response) {
        byte[] bytes = bytes(response);
        if (bytes == null) {
            answers.refuse("a response of more than " + RESPONSE_BYTES_MAX + " bytes");
        } else {
            chosen.respond(bytes);
        }
    }
}
