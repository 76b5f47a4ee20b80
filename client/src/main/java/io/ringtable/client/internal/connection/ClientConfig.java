package io.ringtable.client.internal.connection;

import io.ringtable.client.ClientListener;
import io.ringtable.client.InFlightLimit;
import io.ringtable.client.Reconnect;
import io.ringtable.client.TlsOptions;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import tools.jackson.databind.json.JsonMapper;

/** Holds the checked settings of a client, as {@link io.ringtable.client.ClientBuilder} documents them. */
public record ClientConfig(
        List<Endpoint> endpoints,
        String user,
        Supplier<String> password,
        TlsOptions tls,
        String clientId,
        String name,
        Duration connectTimeout,
        Duration waitForBroker,
        Duration requestTimeout,
        Duration publishTimeout,
        Duration closeTimeout,
        Duration idleTimeout,
        Reconnect reconnect,
        InFlightLimit inFlightLimit,
        boolean batching,
        boolean redirect,
        JsonMapper jsonMapper,
        ClientListener listener) {

    /**
     * Returns the settings with the client id, or a random one that stays the same for all connections of the client.
     */
    ClientConfig withContainerId() {
        return new ClientConfig(
                endpoints,
                user,
                password,
                tls,
                clientId == null ? name + "-" + UUID.randomUUID() : clientId,
                name,
                connectTimeout,
                waitForBroker,
                requestTimeout,
                publishTimeout,
                closeTimeout,
                idleTimeout,
                reconnect,
                inFlightLimit,
                batching,
                redirect,
                jsonMapper,
                listener);
    }

    String uris() {
        return endpoints.stream()
                .map(Endpoint::toString)
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
    }
}
