package io.ringtable.spring.boot.broker;

import io.ringtable.spring.boot.RingtableConnectionDetails;
import java.util.List;
import org.springframework.core.env.Environment;

/**
 * Leads the application's clients to its own broker. Where the broker has users, the clients log in as {@code
 * ringtable.client.user}.
 */
final class EmbeddedConnectionDetails implements RingtableConnectionDetails {
    private final EmbeddedBroker broker;
    private final Environment environment;

    EmbeddedConnectionDetails(EmbeddedBroker broker, Environment environment) {
        this.broker = broker;
        this.environment = environment;
    }

    @Override
    public List<String> getUris() {
        return List.of(broker.uri().toString());
    }

    @Override
    public String getUser() {
        return environment.getProperty("ringtable.client.user");
    }

    @Override
    public String getPassword() {
        return environment.getProperty("ringtable.client.password");
    }
}
