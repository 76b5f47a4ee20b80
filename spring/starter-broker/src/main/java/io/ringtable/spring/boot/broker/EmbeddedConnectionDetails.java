package io.ringtable.spring.boot.broker;

import io.ringtable.spring.boot.RingtableConnectionDetails;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Leads the application's clients to its own broker, and behind it to those in {@code ringtable.client.uris}, which
 * serve while this one stands by. Where the broker has users, the clients log in as {@code
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
        List<String> others = Binder.get(environment)
                .bind("ringtable.client.uris", Bindable.listOf(String.class))
                .orElse(List.of());
        return Stream.concat(Stream.of(broker.uri().toString()), others.stream())
                .distinct()
                .toList();
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
