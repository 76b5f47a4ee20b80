package io.ringtable.client.internal;

import io.ringtable.client.ClientBuilder;
import io.ringtable.client.ClientListener;
import io.ringtable.client.InFlightLimit;
import io.ringtable.client.Reconnect;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.TlsOptions;
import io.ringtable.client.internal.connection.ClientConfig;
import io.ringtable.client.internal.connection.Endpoint;
import io.ringtable.client.internal.error.Errors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import tools.jackson.databind.json.JsonMapper;

/** Collects and checks the settings of a client. Thread: one. */
public final class DefaultClientBuilder implements ClientBuilder {

    private List<Endpoint> endpoints = List.of(Endpoint.parse("amqp://localhost:5672"));
    private String user;
    private Supplier<String> password;
    private TlsOptions tls = TlsOptions.DEFAULT;
    private String clientId;
    private String name = "ringtable-client";
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration waitForBroker = Duration.ZERO;
    private Duration requestTimeout = Duration.ofSeconds(30);
    private Duration publishTimeout = Duration.ofSeconds(30);
    private Duration closeTimeout = Duration.ofSeconds(10);
    private Duration idleTimeout = Duration.ofSeconds(30);
    private Reconnect reconnect = Reconnect.DEFAULT;
    private InFlightLimit inFlightLimit = InFlightLimit.DEFAULT;
    private boolean batching = true;
    private boolean redirect;
    private JsonMapper jsonMapper;
    private ClientListener listener = ClientListener.NONE;

    /** Serves the service loader, which makes a builder for each client. */
    public DefaultClientBuilder() {}

    @Override
    public ClientBuilder uri(String uri) {
        return uris(List.of(uri));
    }

    @Override
    public ClientBuilder uris(String... uris) {
        return uris(List.of(uris));
    }

    @Override
    public ClientBuilder uris(Collection<String> uris) {
        if (uris.isEmpty()) {
            throw Errors.configuration("no URI given", "give one, as in amqp://localhost:5672", null);
        }
        List<Endpoint> parsed = new ArrayList<>();
        for (String uri : uris) {
            Endpoint endpoint = Endpoint.parse(uri);
            parsed.add(endpoint);
            if (endpoint.user() != null) {
                user = endpoint.user();
            }
        }
        endpoints = List.copyOf(parsed);
        return this;
    }

    @Override
    public ClientBuilder user(String user, Supplier<String> password) {
        this.user = Objects.requireNonNull(user, "user");
        this.password = Objects.requireNonNull(password, "password");
        return this;
    }

    @Override
    public ClientBuilder password(Supplier<String> password) {
        this.password = Objects.requireNonNull(password, "password");
        return this;
    }

    @Override
    public ClientBuilder tls(TlsOptions options) {
        tls = Objects.requireNonNull(options, "options");
        return this;
    }

    @Override
    public ClientBuilder clientId(String id) {
        clientId = Objects.requireNonNull(id, "id");
        return this;
    }

    @Override
    public ClientBuilder name(String name) {
        this.name = Objects.requireNonNull(name, "name");
        return this;
    }

    @Override
    public ClientBuilder connectTimeout(Duration timeout) {
        connectTimeout = positive("connectTimeout", timeout);
        return this;
    }

    @Override
    public ClientBuilder waitForBroker(Duration timeout) {
        if (timeout.isNegative()) {
            throw Errors.configuration("waitForBroker=" + timeout + " < 0", "use 0 or more", null);
        }
        waitForBroker = timeout;
        return this;
    }

    @Override
    public ClientBuilder requestTimeout(Duration timeout) {
        requestTimeout = positive("requestTimeout", timeout);
        return this;
    }

    @Override
    public ClientBuilder publishTimeout(Duration timeout) {
        if (timeout.isNegative()) {
            throw Errors.configuration("publishTimeout=" + timeout + " < 0", "use 0 or more", null);
        }
        publishTimeout = timeout;
        return this;
    }

    @Override
    public ClientBuilder closeTimeout(Duration timeout) {
        closeTimeout = positive("closeTimeout", timeout);
        return this;
    }

    @Override
    public ClientBuilder idleTimeout(Duration timeout) {
        if (!timeout.isZero() && timeout.compareTo(Duration.ofSeconds(1)) < 0) {
            throw Errors.configuration("idleTimeout=" + timeout + " < 1 s", "use 1 s or more, or 0 for never", null);
        }
        idleTimeout = timeout;
        return this;
    }

    @Override
    public ClientBuilder reconnect(Reconnect reconnect) {
        this.reconnect = Objects.requireNonNull(reconnect, "reconnect");
        return this;
    }

    @Override
    public ClientBuilder inFlightLimit(InFlightLimit limit) {
        inFlightLimit = Objects.requireNonNull(limit, "limit");
        return this;
    }

    @Override
    public ClientBuilder batching(boolean batching) {
        this.batching = batching;
        return this;
    }

    @Override
    public ClientBuilder redirect(boolean redirect) {
        this.redirect = redirect;
        return this;
    }

    @Override
    public ClientBuilder jsonMapper(JsonMapper mapper) {
        jsonMapper = Objects.requireNonNull(mapper, "mapper");
        return this;
    }

    @Override
    public ClientBuilder listener(ClientListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    @Override
    public RingtableClient connect() {
        if (user != null && password == null) {
            throw Errors.configuration("user '" + user + "' has no password", "give a password supplier", null);
        }
        if (redirect && reconnect.giveUpAfter().isZero()) {
            throw Errors.configuration(
                    "redirect, and reconnect.giveUpAfter=0: a client that does not reconnect cannot follow",
                    "allow one of them only",
                    null);
        }
        ClientConfig config = new ClientConfig(
                endpoints,
                user,
                password,
                tls,
                clientId,
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
                jsonMapper == null ? JsonMapper.shared() : jsonMapper,
                listener);
        return DefaultClient.connect(config);
    }

    private static Duration positive(String setting, Duration timeout) {
        if (timeout.isZero() || timeout.isNegative()) {
            throw Errors.configuration(setting + "=" + timeout + " is not positive", "raise it", null);
        }
        return timeout;
    }
}
