package io.ringtable.spring.boot;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.jms.autoconfigure.JmsPoolConnectionFactoryProperties;

/**
 * Holds the properties of an application that uses a Ringtable broker. The SDK and Qpid JMS refuse values out of their
 * ranges when they connect.
 *
 * @param uris Brokers to try in turn, at the start and after each loss: amqp://host:5672, or amqps://host:5671 with
 *     TLS.
 * @param user User to log in as; without one the client is anonymous.
 * @param password Password of the user.
 * @param clientId Name under which the broker knows the SDK's client and keeps its durable subscriptions. Connections
 *     of JMS take theirs from spring.jms.client-id, as only one connection at a time may have a name.
 * @param connectTimeout Time for one attempt to connect to one broker, TLS and login included.
 * @param waitForBroker Time for which the SDK goes on trying at its first connection while it reaches no broker; zero =
 *     one round through the URIs.
 * @param requestTimeout Time that the broker has to answer, as when a publisher or consumer is opened.
 * @param publishTimeout Time that publishing may wait. For the SDK that is room in flight; for JMS it is the broker's
 *     answer, and a lost connection counts too.
 * @param closeTimeout Time that closing waits for outstanding messages, running handlers and the broker's answer.
 * @param idleTimeout Time that the broker may stay silent before its connection counts as lost.
 * @param batching Whether messages that gather at a publisher of the SDK while others are under way travel together,
 *     with one outcome.
 */
@ConfigurationProperties("ringtable.client")
public record RingtableClientProperties(
        @DefaultValue("amqp://localhost:5672") List<String> uris,
        String user,
        String password,
        String clientId,
        @DefaultValue Ssl ssl,
        @DefaultValue("10s") Duration connectTimeout,
        @DefaultValue("0s") Duration waitForBroker,
        @DefaultValue("30s") Duration requestTimeout,
        @DefaultValue("30s") Duration publishTimeout,
        @DefaultValue("10s") Duration closeTimeout,
        @DefaultValue("30s") Duration idleTimeout,
        @DefaultValue Reconnect reconnect,
        @DefaultValue InFlight inFlight,
        @DefaultValue("true") boolean batching,
        @DefaultValue Template template,
        @DefaultValue Listener listener,
        @DefaultValue Jms jms,
        @NestedConfigurationProperty @DefaultValue JmsPoolConnectionFactoryProperties pool) {

    /** Keeps the password out of logs. */
    @Override
    public String toString() {
        return "RingtableClientProperties[uris=" + uris + ", user=" + user + "]";
    }

    /**
     * Holds what {@code amqps://} connections trust.
     *
     * @param bundle Name of the SSL bundle with the certificates to trust and to show; without one the JDK's trust
     *     store decides.
     * @param verifyHost Whether the broker's certificate must name the host of the URI; false is for trials only.
     */
    public record Ssl(String bundle, @DefaultValue("true") boolean verifyHost) {}

    /**
     * Holds how a client comes back after its connection was lost.
     *
     * @param firstDelay Delay before the first attempt after a loss; it doubles with each round through the URIs.
     * @param longestDelay Bound of the delay's growth.
     * @param giveUpAfter Time without a connection after which the SDK's client fails everything outstanding and
     *     closes; never if it is not set. JMS connections never give up.
     */
    public record Reconnect(
            @DefaultValue("100ms") Duration firstDelay,
            @DefaultValue("10s") Duration longestDelay,
            Duration giveUpAfter) {}

    /**
     * Bounds what one publisher of the SDK may have in flight.
     *
     * @param messages Most messages of a publisher of the SDK that the broker has not answered.
     * @param bytes Most bytes of encoded messages of a publisher of the SDK that are not answered; a larger message
     *     goes alone.
     */
    public record InFlight(
            @DefaultValue("10000") int messages,
            @DefaultValue("16777216") long bytes) {}

    /**
     * Holds the settings of RingtableTemplate.
     *
     * @param producerId Name under which the broker stores each message of the template once, however often it is sent.
     *     Each instance of an application needs its own, the same after a restart.
     * @param sendTimeout Time that send waits for the broker's answer; as request-timeout if it is not set.
     */
    public record Template(String producerId, Duration sendTimeout) {}

    /**
     * Holds what counts for listeners that do not say otherwise.
     *
     * @param concurrency Consumers of each address of a RingtableListener: a number, or a range as 1-4.
     * @param prefetch Most messages that a consumer of a RingtableListener has, not yet settled.
     * @param batchSize Most messages of one call to a RingtableListener that takes batches.
     * @param autoStartup Whether RingtableListeners start with the application.
     * @param shutdownTimeout Time that the stop of a RingtableListener waits for calls that are under way.
     * @param recoveryInterval Time before a RingtableListener opens a lost subscription again.
     */
    public record Listener(
            @DefaultValue("1") String concurrency,
            @DefaultValue("100") int prefetch,
            @DefaultValue("100") int batchSize,
            @DefaultValue("true") boolean autoStartup,
            @DefaultValue("20s") Duration shutdownTimeout,
            @DefaultValue("5s") Duration recoveryInterval) {}

    /**
     * Holds what is for JMS only.
     *
     * @param options Options of Qpid JMS by name, as its manual has them for URIs: jms.*, amqp.*, transport.* and
     *     failover.*; they win over what the starter sets.
     */
    public record Jms(Map<String, String> options) {
        public Jms {
            options = options == null ? Map.of() : Map.copyOf(options);
        }
    }
}
