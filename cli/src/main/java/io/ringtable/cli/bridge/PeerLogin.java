package io.ringtable.cli.bridge;

import java.security.Principal;
import java.util.Set;
import org.apache.qpid.protonj2.engine.sasl.client.SaslAuthenticator;
import org.apache.qpid.protonj2.engine.sasl.client.SaslCredentialsProvider;
import org.apache.qpid.protonj2.engine.sasl.client.SaslMechanismSelector;
import org.apache.qpid.protonj2.types.Symbol;

/** Shows a broker the user of an end, or ANONYMOUS if the end has none; never silently the other. */
final class PeerLogin implements SaslCredentialsProvider {
    private static final Set<Symbol> ANONYMOUS = Set.of(Symbol.valueOf("ANONYMOUS"));
    private static final Set<Symbol> WITH_PASSWORD =
            Set.of(Symbol.valueOf("SCRAM-SHA-512"), Symbol.valueOf("SCRAM-SHA-256"), Symbol.valueOf("PLAIN"));

    private final BridgeEnd end;

    private PeerLogin(BridgeEnd end) {
        this.end = end;
    }

    static SaslAuthenticator of(BridgeEnd end) {
        Set<Symbol> mechanisms = end.user() == null ? ANONYMOUS : WITH_PASSWORD;
        return new SaslAuthenticator(new SaslMechanismSelector(mechanisms), new PeerLogin(end));
    }

    @Override
    public String vhost() {
        return end.host();
    }

    @Override
    public String username() {
        return end.user();
    }

    @Override
    public String password() {
        return end.password() == null ? null : end.password().get();
    }

    @Override
    public Principal localPrincipal() {
        return null;
    }
}
