package io.ringtable.broker;

import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.Bound;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.config.InboxProperties;
import io.ringtable.broker.config.RestartProperties;
import io.ringtable.broker.config.RingProperties;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.login.Authenticator;
import io.ringtable.broker.login.LoginRules;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Gives tests the settings of a broker by the names of its properties, with the real defaults and bounds. Two defaults
 * are the tests' own: the port is any free one, and the ring has {@value #RING_CAPACITY} slots. Immutable.
 */
public final class TestSettings {
    /** A quarter of the real default: on SQLite each new broker lays them all, which is most of its start. */
    public static final int RING_CAPACITY = 16_384;

    private final Map<String, Object> properties;
    private final Authenticator authenticator;

    private TestSettings(Map<String, Object> properties, Authenticator authenticator) {
        this.properties = properties;
        this.authenticator = authenticator;
    }

    /** @param namesAndValues {@code "ringtable.amqp.link-credit", 10, …}; sizes in bytes have no unit */
    public static TestSettings of(Object... namesAndValues) {
        return new TestSettings(Map.of("ringtable.amqp.port", 0, "ringtable.ring.capacity", RING_CAPACITY), null)
                .with(namesAndValues);
    }

    /** The same with other values; null takes one away. */
    public TestSettings with(Object... namesAndValues) {
        Map<String, Object> changed = new LinkedHashMap<>(properties);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] == null) {
                changed.remove(namesAndValues[i]);
            } else {
                changed.put((String) namesAndValues[i], namesAndValues[i + 1].toString());
            }
        }
        return new TestSettings(changed, authenticator);
    }

    /** The same with logins that this one judges. */
    public TestSettings authenticator(Authenticator other) {
        return new TestSettings(properties, other);
    }

    private <T extends Record> T bound(Class<T> type) {
        return Bound.of(type, properties);
    }

    public AmqpProperties amqp() {
        return bound(AmqpProperties.class);
    }

    /** Judges logins with the authenticator, if there is one, else as the settings say. */
    public LoginRules logins() {
        SecurityProperties security = bound(SecurityProperties.class);
        LoginRules rules = BrokerParts.rules(
                amqp(), security, bound(RingtableProperties.class).cluster());
        return authenticator == null
                ? rules
                : new LoginRules(security, authenticator, rules.tokens(), rules.certificateName(), rules.node());
    }

    public CommitProperties commit() {
        return bound(CommitProperties.class);
    }

    public DispatchProperties dispatch() {
        return bound(DispatchProperties.class);
    }

    public InboxProperties inbox() {
        return bound(InboxProperties.class);
    }

    public RestartProperties restart() {
        return bound(RestartProperties.class);
    }

    public ShardSettings shard() {
        return ShardSettings.of(
                bound(RingtableProperties.class),
                bound(RingProperties.class),
                commit(),
                dispatch(),
                inbox(),
                restart());
    }

    /** The store's own properties, with the directory of an embedded one. */
    public StoreSettings store(Path directory) {
        return new StoreSettings(bound(StoreProperties.class), directory);
    }
}
