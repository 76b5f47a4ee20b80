package io.ringtable.client;

import io.ringtable.client.internal.ClientConfig;
import io.ringtable.client.internal.DefaultClient;
import io.ringtable.client.internal.Endpoint;
import io.ringtable.client.internal.Errors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import tools.jackson.databind.json.JsonMapper;

/**
 * Collects the settings of a client, on one thread. Refuses values out of range at once or in {@link #connect()}, and
 * never corrects them.
 *
 * <pre>{@code
 * RingtableClient client = RingtableClient.builder()
 *         .uris("amqps://broker-1", "amqps://broker-2")
 *         .user("shop", () -> System.getenv("SHOP_PASSWORD"))
 *         .clientId("shop-1")
 *         .reconnect(Reconnect.DEFAULT.giveUpAfter(Duration.ofMinutes(5)))
 *         .connect();
 * }</pre>
 */
public final class ClientBuilder {

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
    private PublishWindow publishWindow = PublishWindow.DEFAULT;
    private boolean batching = true;
    private JsonMapper jsonMapper;
    private ClientListener listener = ClientListener.NONE;

    ClientBuilder() {}

    /** Sets the broker to connect to; default {@code amqp://localhost:5672}. */
    public ClientBuilder uri(String uri) {
        return uris(List.of(uri));
    }

    /**
     * Sets the brokers to try in turn, at the start and after each loss. {@code amqp://} is plain (port 5672), {@code
     * amqps://} is TLS (port 5671). A URI may name a user, but no password.
     *
     * @throws RingtableException RT-5001 if there is none or one cannot be understood
     */
    public ClientBuilder uris(String... uris) {
        return uris(List.of(uris));
    }

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

    /**
     * Logs in; without a user the client is anonymous.
     *
     * @param password asked at each connection, never logged
     */
    public ClientBuilder user(String user, Supplier<String> password) {
        this.user = Objects.requireNonNull(user, "user");
        this.password = Objects.requireNonNull(password, "password");
        return this;
    }

    public ClientBuilder password(Supplier<String> password) {
        this.password = Objects.requireNonNull(password, "password");
        return this;
    }

    /** Sets TLS for {@code amqps://} URIs; default {@link TlsOptions#DEFAULT}. */
    public ClientBuilder tls(TlsOptions options) {
        tls = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * Sets the name under which the broker knows this client and keeps its durable subscriptions (AMQP's container id,
     * JMS's client id). Only one client at a time should use it. The default is a random id, with which durable
     * subscriptions are refused.
     */
    public ClientBuilder clientId(String id) {
        clientId = Objects.requireNonNull(id, "id");
        return this;
    }

    /** Sets the prefix of the names of threads; default {@code ringtable-client}. */
    public ClientBuilder name(String name) {
        this.name = Objects.requireNonNull(name, "name");
        return this;
    }

    /** Sets the time-out of one attempt to connect to one broker, TLS and login included; default 10 s. */
    public ClientBuilder connectTimeout(Duration timeout) {
        connectTimeout = positive("connectTimeout", timeout);
        return this;
    }

    /**
     * Sets how long {@link #connect()} goes on while no broker can be reached; default zero: one round through the
     * URIs.
     */
    public ClientBuilder waitForBroker(Duration timeout) {
        if (timeout.isNegative()) {
            throw Errors.configuration("waitForBroker=" + timeout + " < 0", "use 0 or more", null);
        }
        waitForBroker = timeout;
        return this;
    }

    /**
     * Sets the time-out for opening publishers and subscriptions and for {@link Publisher#publishAndWait(Message)};
     * default 30 s.
     */
    public ClientBuilder requestTimeout(Duration timeout) {
        requestTimeout = positive("requestTimeout", timeout);
        return this;
    }

    /** Sets how long {@link Publisher#publish} may block while the window is full; default 30 s. */
    public ClientBuilder publishTimeout(Duration timeout) {
        if (timeout.isNegative()) {
            throw Errors.configuration("publishTimeout=" + timeout + " < 0", "use 0 or more", null);
        }
        publishTimeout = timeout;
        return this;
    }

    /**
     * Sets how long {@code close()} waits for outstanding messages, running handlers and the broker's answer; default
     * 10 s.
     */
    public ClientBuilder closeTimeout(Duration timeout) {
        closeTimeout = positive("closeTimeout", timeout);
        return this;
    }

    /**
     * Sets how long the broker may stay silent before its connection counts as lost; default 30 s, at least 1 s; zero =
     * for ever.
     */
    public ClientBuilder idleTimeout(Duration timeout) {
        if (!timeout.isZero() && timeout.compareTo(Duration.ofSeconds(1)) < 0) {
            throw Errors.configuration("idleTimeout=" + timeout + " < 1 s", "use 1 s or more, or 0 for never", null);
        }
        idleTimeout = timeout;
        return this;
    }

    /** Sets how to come back after a lost connection; default {@link Reconnect#DEFAULT}: for ever. */
    public ClientBuilder reconnect(Reconnect reconnect) {
        this.reconnect = Objects.requireNonNull(reconnect, "reconnect");
        return this;
    }

    /** Sets how much each publisher may have under way; default {@link PublishWindow#DEFAULT}. */
    public ClientBuilder publishWindow(PublishWindow window) {
        publishWindow = Objects.requireNonNull(window, "window");
        return this;
    }

    /**
     * Sets whether messages that gather while others are under way travel together, where the broker offers it; default
     * true. They then have one outcome: if the broker rejects one, it rejects all that travelled with it.
     */
    public ClientBuilder batching(boolean batching) {
        this.batching = batching;
        return this;
    }

    /** Sets the mapper that writes and reads JSON bodies; default a {@link JsonMapper} with Jackson's defaults. */
    public ClientBuilder jsonMapper(JsonMapper mapper) {
        jsonMapper = Objects.requireNonNull(mapper, "mapper");
        return this;
    }

    public ClientBuilder listener(ClientListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Connects; tries each URI once, for at most {@link #connectTimeout} each, and goes on for {@link #waitForBroker}
     * while none can be reached.
     *
     * @throws RingtableException RT-5003 if a broker refuses the login, RT-5004 if TLS cannot be agreed on, RT-5005 if
     *     a broker refuses the connection for good, RT-5001 for a setting that cannot work: these at once, without
     *     trying the other URIs. RT-5002 if no broker could be reached in time
     */
    public RingtableClient connect() {
        if (user != null && password == null) {
            throw Errors.configuration("user '" + user + "' has no password", "give a password supplier", null);
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
                publishWindow,
                batching,
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
