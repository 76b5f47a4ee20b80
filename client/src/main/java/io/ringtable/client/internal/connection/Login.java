package io.ringtable.client.internal.connection;

import java.security.Principal;
import java.util.Set;
import org.apache.qpid.protonj2.engine.sasl.client.SaslAuthenticator;
import org.apache.qpid.protonj2.engine.sasl.client.SaslCredentialsProvider;
import org.apache.qpid.protonj2.engine.sasl.client.SaslMechanismSelector;
import org.apache.qpid.protonj2.types.Symbol;

/** Shows the broker the user of the client, or ANONYMOUS if the client has none; never silently the other. */
final class Login implements SaslCredentialsProvider {

    private static final Set<Symbol> ANONYMOUS = Set.of(Symbol.valueOf("ANONYMOUS"));
    private static final Set<Symbol> WITH_PASSWORD =
            Set.of(Symbol.valueOf("SCRAM-SHA-512"), Symbol.valueOf("SCRAM-SHA-256"), Symbol.valueOf("PLAIN"));

    private final Endpoint endpoint;
    private final ClientConfig config;

    private Login(Endpoint endpoint, ClientConfig config) {
        this.endpoint = endpoint;
        this.config = config;
    }

    static SaslAuthenticator of(Endpoint endpoint, ClientConfig config) {
        Set<Symbol> mechanisms = config.user() == null ? ANONYMOUS : WITH_PASSWORD;
        return new SaslAuthenticator(new SaslMechanismSelector(mechanisms), new Login(endpoint, config));
    }

    @Override
    public String vhost() {
        return endpoint.host();
    }

    @Override
    public String username() {
        return config.user();
    }

    @Override
    public String password() {
        return config.password() == null ? null : config.password().get();
    }

    @Override
    public Principal localPrincipal() {
        return null;
    }
}
