package io.ringtable.client;

import java.time.Duration;
import java.util.Collection;
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
public interface ClientBuilder {

    /** Sets the broker to connect to; default {@code amqp://localhost:5672}. */
    ClientBuilder uri(String uri);

    /**
     * Sets the brokers to try in turn, at the start and after each loss. {@code amqp://} is plain (port 5672), {@code
     * amqps://} is TLS (port 5671). A URI may name a user, but no password.
     *
     * @throws RingtableException RT-5001 if there is none or one cannot be understood
     */
    ClientBuilder uris(String... uris);

    ClientBuilder uris(Collection<String> uris);

    /**
     * Sets the user to log in as; without one the client is anonymous.
     *
     * @param password asked at each connection, never logged
     */
    ClientBuilder user(String user, Supplier<String> password);

    ClientBuilder password(Supplier<String> password);

    /** Sets TLS for {@code amqps://} URIs; default {@link TlsOptions#DEFAULT}. */
    ClientBuilder tls(TlsOptions options);

    /**
     * Sets the name under which the broker knows this client and keeps its durable subscriptions (AMQP's container id,
     * JMS's client id). Only one client at a time should use it. The default is a random id, with which durable
     * subscriptions are refused.
     */
    ClientBuilder clientId(String id);

    /** Sets the prefix of the names of threads; default {@code ringtable-client}. */
    ClientBuilder name(String name);

    /** Sets the time-out of one attempt to connect to one broker, TLS and login included; default 10 s. */
    ClientBuilder connectTimeout(Duration timeout);

    /**
     * Sets how long {@link #connect()} goes on while no broker can be reached; default zero: one round through the
     * URIs.
     */
    ClientBuilder waitForBroker(Duration timeout);

    /**
     * Sets the time-out for opening publishers and subscriptions and for {@link Publisher#publishAndWait(Message)};
     * default 30 s.
     */
    ClientBuilder requestTimeout(Duration timeout);

    /** Sets how long {@link Publisher#publish} may block while the in-flight limit is reached; default 30 s. */
    ClientBuilder publishTimeout(Duration timeout);

    /**
     * Sets how long {@code close()} waits for outstanding messages, running handlers and the broker's answer; default
     * 10 s.
     */
    ClientBuilder closeTimeout(Duration timeout);

    /**
     * Sets how long the broker may stay silent before its connection counts as lost; default 30 s, at least 1 s; zero =
     * for ever.
     */
    ClientBuilder idleTimeout(Duration timeout);

    /** Sets how to come back after a lost connection; default {@link Reconnect#DEFAULT}: for ever. */
    ClientBuilder reconnect(Reconnect reconnect);

    /** Sets how much each publisher may have in flight; default {@link InFlightLimit#DEFAULT}. */
    ClientBuilder inFlightLimit(InFlightLimit limit);

    /**
     * Sets whether messages that gather while others are under way travel together, where the broker offers it; default
     * true. Such messages have one outcome: if the broker rejects one, it rejects all that travelled with it.
     */
    ClientBuilder batching(boolean batching);

    /**
     * Sets whether a broker of a cluster may send this client to the node that has the first address which the client
     * uses; default false. Messages of that node take no hop between nodes. All publishers and subscriptions of a
     * client share its connection, so a client for each group of addresses makes sense. The client follows by
     * connecting again, with the same user and TLS, and asks anew after each loss.
     */
    ClientBuilder redirect(boolean redirect);

    /** Sets the mapper that writes and reads JSON bodies; default a {@link JsonMapper} with Jackson's defaults. */
    ClientBuilder jsonMapper(JsonMapper mapper);

    ClientBuilder listener(ClientListener listener);

    /**
     * Connects to the first broker that answers. The client tries each URI once, for at most {@link #connectTimeout},
     * and repeats the round for {@link #waitForBroker} while it reaches no broker.
     *
     * @throws RingtableException RT-5001 for a setting that cannot work
     * @throws RingtableException RT-5002 if no broker could be reached in time
     * @throws RingtableException RT-5003 if a broker refuses the login; the client does not try the other URIs then,
     *     nor after RT-5004 and RT-5005
     * @throws RingtableException RT-5004 if client and broker cannot agree on TLS
     * @throws RingtableException RT-5005 if a broker refuses the connection for good
     */
    RingtableClient connect();
}
