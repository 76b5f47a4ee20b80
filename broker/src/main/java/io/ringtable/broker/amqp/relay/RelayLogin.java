package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.login.NodeLogin;
import java.security.Principal;
import java.util.Set;
import org.apache.qpid.protonj2.engine.sasl.client.SaslAuthenticator;
import org.apache.qpid.protonj2.engine.sasl.client.SaslCredentialsProvider;
import org.apache.qpid.protonj2.engine.sasl.client.SaslMechanismSelector;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Logs this node in at another one: by its password, else by its certificate, else as nobody, which a cluster without
 * users takes.
 *
 * @param node the user of nodes, and its password
 * @param tls whether this node shows its certificate
 */
record RelayLogin(NodeLogin node, boolean tls) implements SaslCredentialsProvider {
    private static final Set<Symbol> BY_PASSWORD =
            Set.of(Symbol.valueOf("SCRAM-SHA-512"), Symbol.valueOf("SCRAM-SHA-256"), Symbol.valueOf("PLAIN"));
    private static final Set<Symbol> BY_CERTIFICATE = Set.of(Symbol.valueOf("EXTERNAL"));
    private static final Set<Symbol> AS_NOBODY = Set.of(Symbol.valueOf("ANONYMOUS"));

    /** Tells whether the login names a user. */
    boolean isSomebody() {
        return username() != null && (password() != null || tls);
    }

    /** Returns what logs in, by the first mechanism of the other node that is one of these. */
    SaslAuthenticator authenticator() {
        Set<Symbol> mechanisms = !isSomebody() ? AS_NOBODY : password() != null ? BY_PASSWORD : BY_CERTIFICATE;
        return new SaslAuthenticator(new SaslMechanismSelector(mechanisms), this);
    }

    @Override
    public String username() {
        return node == null ? null : node.user();
    }

    @Override
    public String password() {
        return node == null ? null : node.password();
    }

    @Override
    public String vhost() {
        return null;
    }

    /** {@inheritDoc} That of the certificate, as far as the mechanism EXTERNAL wants to know that there is one. */
    @Override
    public Principal localPrincipal() {
        return tls ? this::username : null;
    }
}
