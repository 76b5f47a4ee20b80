package io.ringtable.spring.boot.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.spring.boot.OneBroker;
import io.ringtable.spring.boot.RingtableConnectionAutoConfiguration;
import io.ringtable.spring.boot.RingtableConnectionDetails;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.ExceptionListener;
import java.util.List;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.messaginghub.pooled.jms.JmsPoolConnectionFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jms.autoconfigure.JmsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.config.SimpleJmsListenerEndpoint;
import org.springframework.jms.connection.CachingConnectionFactory;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.listener.DefaultMessageListenerContainer;

/** The connection factory that the properties ask for, each one used against the broker. */
@ExtendWith(OneBroker.class)
@Timeout(120)
class ConnectionFactoryTest {
    private final ApplicationContextRunner empty = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    RingtableConnectionAutoConfiguration.class,
                    RingtableJmsAutoConfiguration.class,
                    JmsAutoConfiguration.class));

    private final ApplicationContextRunner runner =
            empty.withPropertyValues("ringtable.client.uris=" + OneBroker.uri());

    @Test
    void itIsSpringsCacheWithTheSizesOfSpringBootsProperties() {
        runner.withPropertyValues("spring.jms.cache.session-cache-size=7", "spring.jms.cache.producers=false")
                .run(context -> {
                    CachingConnectionFactory factory = context.getBean(CachingConnectionFactory.class);
                    assertThat(factory.getSessionCacheSize()).isEqualTo(7);
                    assertThat(factory.isCacheProducers()).isFalse();
                    assertThat(factory.isCacheConsumers())
                            .as("a cached consumer goes on taking messages")
                            .isFalse();
                    roundTrip(context.getBean(JmsTemplate.class));
                });
    }

    @Test
    void itIsBareWithoutTheCache() {
        runner.withPropertyValues("spring.jms.cache.enabled=false").run(context -> {
            assertThat(context.getBean(ConnectionFactory.class)).isInstanceOf(JmsConnectionFactory.class);
            roundTrip(context.getBean(JmsTemplate.class));
        });
    }

    @Test
    void itIsPooledOnDemandWithTheSizesOfItsProperties() {
        runner.withPropertyValues("ringtable.client.pool.enabled=true", "ringtable.client.pool.max-connections=3")
                .run(context -> {
                    JmsPoolConnectionFactory pool = context.getBean(JmsPoolConnectionFactory.class);
                    assertThat(pool.getMaxConnections()).isEqualTo(3);
                    roundTrip(context.getBean(JmsTemplate.class));
                    assertThat(pool.getNumConnections()).isBetween(1, 3);
                });
    }

    @Test
    void anApplicationsOwnConnectionFactoryIsTheOnlyOne() {
        runner.withUserConfiguration(OwnFactory.class)
                .run(context -> assertThat(context)
                        .hasSingleBean(ConnectionFactory.class)
                        .doesNotHaveBean(AddressDestinationResolver.class));
    }

    @Test
    void connectionDetailsReplaceThePropertiesAndCustomizersHaveTheLastWord() {
        empty.withPropertyValues("ringtable.client.uris=amqp://nowhere.invalid", "ringtable.client.user=nobody")
                .withBean(RingtableConnectionDetails.class, () -> () -> List.of(OneBroker.uri()))
                .withBean(QpidConnectionFactoryCustomizer.class, () -> factory -> factory.setQueuePrefix("mine-"))
                .run(context -> {
                    JmsConnectionFactory factory = target(context.getBean(CachingConnectionFactory.class));
                    assertThat(factory.getUsername()).isNull();
                    assertThat(factory.getQueuePrefix()).isEqualTo("mine-");
                    roundTrip(context.getBean(JmsTemplate.class));
                });
    }

    @Test
    void timeOutsAndOptionsReachQpid() {
        runner.withPropertyValues(
                        "ringtable.client.connect-timeout=3s",
                        "ringtable.client.request-timeout=4s",
                        "ringtable.client.publish-timeout=5s",
                        "ringtable.client.close-timeout=6s",
                        "ringtable.client.jms.options[jms.prefetchPolicy.all]=17",
                        "ringtable.client.jms.options[amqp.idleTimeout]=20000")
                .run(context -> {
                    JmsConnectionFactory factory = target(context.getBean(CachingConnectionFactory.class));
                    assertThat(factory.getConnectTimeout()).isEqualTo(3_000);
                    assertThat(factory.getRequestTimeout()).isEqualTo(4_000);
                    assertThat(factory.getSendTimeout()).isEqualTo(5_000);
                    assertThat(factory.getCloseTimeout()).isEqualTo(6_000);
                    assertThat(factory.getRemoteURI())
                            .startsWith("failover:(" + OneBroker.uri() + ")?")
                            .contains("failover.nested.amqp.idleTimeout=20000");
                    roundTrip(context.getBean(JmsTemplate.class));
                });
    }

    @Test
    void listenersTellTheApplicationsExceptionListenerAndNotTheCache() {
        ExceptionListener mine = failure -> {};
        runner.run(context -> assertThat(container(context).getExceptionListener())
                .as("the cache would drop its connection")
                .isNull());
        runner.withBean(ExceptionListener.class, () -> mine)
                .run(context ->
                        assertThat(container(context).getExceptionListener()).isSameAs(mine));
    }

    private static DefaultMessageListenerContainer container(ApplicationContext context) {
        SimpleJmsListenerEndpoint endpoint = new SimpleJmsListenerEndpoint();
        endpoint.setDestination("jms-exceptions");
        endpoint.setMessageListener(message -> {});
        return context.getBean(AddressListenerContainerFactory.class).createListenerContainer(endpoint);
    }

    @Test
    void aSecondBrokerServesWhereTheFirstIsAway() {
        empty.withPropertyValues("ringtable.client.uris=amqp://127.0.0.1:1," + OneBroker.uri())
                .run(context -> roundTrip(context.getBean(JmsTemplate.class)));
    }

    @Test
    void whoeverConnectsHearsThatNoBrokerAnswers() {
        empty.withPropertyValues("ringtable.client.uris=amqp://127.0.0.1:1").run(context -> {
            JmsTemplate template = context.getBean(JmsTemplate.class);
            assertThatThrownBy(() -> template.convertAndSend("jms-nowhere", "x"))
                    .cause()
                    .hasMessageContaining("127.0.0.1:1");
        });
    }

    @Test
    void whatCannotWorkIsRefusedWithTheCure() {
        refuses(
                "RT-5001 a URI in ringtable.client.uris with the scheme 'failover'",
                "ringtable.client.uris=failover:(amqp://a)");
        refuses("in ringtable.client.uris has options in it", "ringtable.client.uris=amqp://a?jms.username=b");
        refuses("has a password in it", "ringtable.client.uris=amqp://a:secret@b");
        refuses("has 'prefetch', which is no option", "ringtable.client.jms.options.prefetch=1");
    }

    private void refuses(String message, String property) {
        empty.withPropertyValues(property)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining(message)
                        .hasMessageStartingWith("RT-5001")
                        .hasMessageNotContaining("secret"));
    }

    private static JmsConnectionFactory target(CachingConnectionFactory factory) {
        return (JmsConnectionFactory) factory.getTargetConnectionFactory();
    }

    private static void roundTrip(JmsTemplate template) {
        template.convertAndSend("jms-round-trip", "one");
        template.setReceiveTimeout(OneBroker.SOON.toMillis());
        assertThat(template.receiveAndConvert("jms-round-trip")).isEqualTo("one");
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnFactory {
        @Bean
        ConnectionFactory mine() {
            return new JmsConnectionFactory(OneBroker.uri());
        }
    }
}
