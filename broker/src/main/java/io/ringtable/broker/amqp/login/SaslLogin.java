package io.ringtable.broker.amqp.login;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.broker.login.Authenticator;
import io.ringtable.broker.login.LoginRules;
import io.ringtable.broker.login.Logins;
import io.ringtable.wire.ScramHash;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.sasl.SaslServerContext;
import org.apache.qpid.protonj2.engine.sasl.SaslServerListener;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AMQPHeader;

/**
 * Logs a client in (AMQP 1.0 section 5.3). Offers the mechanisms that at least one user can use on this connection, and
 * runs the one that the client chooses. While there are no users these are PLAIN, unchecked, and ANONYMOUS.
 * <p>
 * Thread: the connection's event loop. Failure: as {@link SaslAnswers} say.
 */
public final class SaslLogin implements SaslServerListener {
    private static final String ANONYMOUS = "ANONYMOUS";

    /** Limits what a client sends at once, such as names and password together, in bytes. */
    private static final int RESPONSE_BYTES_MAX = 4 * 1024;

    /** Limits a message with a token, in bytes: issuers write many claims into one. */
    private static final int TOKEN_BYTES_MAX = 16 * 1024;

    private final Logins logins;
    private final AmqpCounters counters;
    private final PeerLog log;
    private final LoginPeer peer;
    private PeerSocket socket;
    private SaslAnswers answers;
    private boolean isOpenToAll; // as it was when the connection began, as the next one
    private boolean isUnsafeAllowed;
    private ExternalLogin external; // null where everybody may connect
    private Mechanism chosen; // null before the client's choice
    private String mechanism; // that the client has chosen, and may; null before

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
        isOpenToAll = logins.isOpenToAll();
        isUnsafeAllowed = socket.isPrivate() || logins.rules().bounds().allowPlainRemote();
        if (!isOpenToAll) {
            LoginRules rules = logins.rules();
            external = new ExternalLogin(socket.certificate(), rules.certificateName(), rules.authenticator(), answers);
            peer.channel().closeFuture().addListener(closed -> onClosed());
        }
        context.sendMechanisms(offered().toArray(String[]::new));
    }

    /** Returns the mechanism that the client uses; null before it has chosen one that it may. */
    public String mechanism() {
        return mechanism;
    }

    /** Says why a client may have found nothing to choose. */
    private void onClosed() {
        if (chosen != null || answers.isDone()) {
            return;
        }
        if (external.isStranger()) {
            answers.leftWithoutUser(external.names());
        } else if (!unsafe().isEmpty() && !isUnsafeAllowed) {
            answers.leftUnsafe();
        }
    }

    /** Lists what the client may choose, the best first. */
    private Set<String> offered() {
        Set<String> offered = new LinkedHashSet<>();
        if (isOpenToAll) {
            offered.add(PlainLogin.NAME);
            offered.add(ANONYMOUS);
            return offered;
        }
        Authenticator users = logins.rules().authenticator();
        if (external.isUser()) {
            offered.add(ExternalLogin.NAME);
        }
        for (ScramHash hash : new ScramHash[] {ScramHash.SHA_512, ScramHash.SHA_256}) {
            if (users.scram().hashes().contains(hash)) {
                offered.add(hash.mechanism());
            }
        }
        if (isUnsafeAllowed) {
            offered.addAll(unsafe());
        }
        if (offered.isEmpty()) {
            // AMQP forbids an empty list, and this client lacks a proof outside of SASL: TLS, or a certificate.
            offered.add(ExternalLogin.NAME);
        }
        return offered;
    }

    /** Lists the mechanisms that show a secret to whoever reads the connection. */
    private List<String> unsafe() {
        List<String> unsafe = new ArrayList<>();
        if (logins.rules().tokens() != null) {
            unsafe.addAll(BearerLogin.NAMES);
        }
        if (logins.rules().authenticator().hasPasswords()) {
            unsafe.add(PlainLogin.NAME);
        }
        return unsafe;
    }

    @Override
    public void handleSaslInit(SaslServerContext context, Symbol mechanism, ProtonBuffer response) {
        String name = String.valueOf(mechanism);
        int most = BearerLogin.NAMES.contains(name) ? TOKEN_BYTES_MAX : RESPONSE_BYTES_MAX;
        byte[] bytes = bytes(response, most);
        if (bytes == null) {
            answers.refuse("mechanism " + name + " with more than " + most + " bytes");
        } else if (isOpenToAll && offered().contains(name)) {
            this.mechanism = name;
            answers.passWithoutName();
        } else if (!isOpenToAll && unsafe().contains(name) && !isUnsafeAllowed) {
            answers.refuseUnsafe();
        } else if (!offered().contains(name)) {
            answers.refuse("mechanism " + name + " is not offered");
        } else {
            this.mechanism = name;
            chosen = mechanism(name);
            chosen.begin(bytes);
        }
    }

    private Mechanism mechanism(String name) {
        LoginRules rules = logins.rules();
        return switch (name) {
            case PlainLogin.NAME -> new PlainLogin(logins, peer, answers);
            case BearerLogin.OAUTHBEARER, BearerLogin.XOAUTH2 -> new BearerLogin(name, logins, peer, answers);
            case ExternalLogin.NAME -> external;
            default ->
                new ScramLogin(
                        ScramHash.ofMechanism(name), rules.authenticator().scram(), logins, socket.origin(), answers);
        };
    }

    /** Returns what the client sent; null if it is more than that. */
    private static byte[] bytes(ProtonBuffer response, int most) {
        if (response == null) {
            return new byte[0];
        }
        if (response.getReadableBytes() > most) {
            return null;
        }
        byte[] bytes = new byte[response.getReadableBytes()];
        response.copyInto(response.getReadOffset(), bytes, 0, bytes.length);
        return bytes;
    }

    @Override
    public void handleSaslResponse(SaslServerContext context, ProtonBuffer response) {
        byte[] bytes = bytes(response, RESPONSE_BYTES_MAX);
        if (bytes == null) {
            answers.refuse("a response of more than " + RESPONSE_BYTES_MAX + " bytes");
        } else {
            chosen.respond(bytes);
        }
    }
}
