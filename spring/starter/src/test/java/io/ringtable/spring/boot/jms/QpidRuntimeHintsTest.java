package io.ringtable.spring.boot.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.spring.boot.OneBroker;
import io.ringtable.spring.boot.health.BrokerConnections;
import jakarta.jms.Connection;
import jakarta.jms.Session;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Predicate;
import org.apache.qpid.jms.provider.amqp.AmqpProvider;
import org.apache.qpid.jms.provider.failover.FailoverProvider;
import org.apache.qpid.jms.provider.failover.FailoverProviderFactory;
import org.apache.qpid.jms.sasl.PlainMechanismFactory;
import org.apache.qpid.jms.transports.TransportOptions;
import org.apache.qpid.jms.transports.netty.NettySslTransportFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.jms.connection.CachingConnectionFactory;

/** Holds the hints for a native image against the needs of Qpid JMS and of Spring's cache. */
@ExtendWith(OneBroker.class)
class QpidRuntimeHintsTest {
    private final RuntimeHints hints = new RuntimeHints();

    QpidRuntimeHintsTest() {
        new QpidRuntimeHints().registerHints(hints, getClass().getClassLoader());
    }

    @Test
    void theyHoldTheClassesOfProtocolsTransportsAndLogins() throws Exception {
        for (Class<?> factory :
                List.of(FailoverProviderFactory.class, NettySslTransportFactory.class, PlainMechanismFactory.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(factory.getDeclaredConstructor()))
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.resource().forResource("META-INF/services/org/apache/qpid/jms/sasl/PLAIN"))
                .accepts(hints);
    }

    @Test
    void theyHoldTheSettersOfTheOptionsThatTheStarterSets() throws Exception {
        assertThat(setter(WatchedConnectionFactory.class, "setRequestTimeout", long.class))
                .accepts(hints);
        assertThat(setter(FailoverProvider.class, "setStartupMaxReconnectAttempts", int.class))
                .accepts(hints);
        assertThat(setter(AmqpProvider.class, "setIdleTimeout", int.class)).accepts(hints);
        assertThat(setter(TransportOptions.class, "setVerifyHost", boolean.class))
                .accepts(hints);
    }

    @Test
    void theyHoldTheProxiesThatSpringsCacheMakes() throws Exception {
        CachingConnectionFactory cache =
                new CachingConnectionFactory(new WatchedConnectionFactory(OneBroker.uri(), new BrokerConnections()));
        try (Connection connection = cache.createConnection();
                Session session = connection.createSession()) {
            for (Object proxy : List.of(connection, session)) {
                assertThat(Proxy.isProxyClass(proxy.getClass())).isTrue();
                assertThat(RuntimeHintsPredicates.proxies()
                                .forInterfaces(proxy.getClass().getInterfaces()))
                        .accepts(hints);
            }
        } finally {
            cache.destroy();
        }
    }

    private static Predicate<RuntimeHints> setter(Class<?> type, String name, Class<?> argument)
            throws NoSuchMethodException {
        return RuntimeHintsPredicates.reflection().onMethodInvocation(type.getMethod(name, argument));
    }
}
