package io.ringtable.spring.boot.jms;

import io.ringtable.spring.boot.RingtableClientProperties;
import io.ringtable.spring.boot.RingtableConnectionAutoConfiguration;
import io.ringtable.spring.boot.RingtableConnectionDetails;
import io.ringtable.spring.boot.health.BrokerConnections;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.ExceptionListener;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.messaginghub.pooled.jms.JmsPoolConnectionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jms.ConnectionFactoryUnwrapper;
import org.springframework.boot.jms.autoconfigure.DefaultJmsListenerContainerFactoryConfigurer;
import org.springframework.boot.jms.autoconfigure.JmsAutoConfiguration;
import org.springframework.boot.jms.autoconfigure.JmsPoolConnectionFactoryFactory;
import org.springframework.boot.jms.autoconfigure.JmsProperties;
import org.springframework.boot.jms.autoconfigure.JndiConnectionFactoryAutoConfiguration;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.jms.connection.CachingConnectionFactory;
import org.springframework.jms.support.destination.DestinationResolver;

/**
 * Makes the JMS connection factory over Qpid JMS, unless the application has one. Three forms, as Spring Boot has them
 * for other brokers: with Spring's cache (the default), pooled ({@code ringtable.client.pool.enabled}), or bare
 * ({@code spring.jms.cache.enabled=false}).
 */
@AutoConfiguration(
        before = JmsAutoConfiguration.class,
        after = {JndiConnectionFactoryAutoConfiguration.class, RingtableConnectionAutoConfiguration.class})
@ConditionalOnClass({ConnectionFactory.class, JmsConnectionFactory.class, CachingConnectionFactory.class})
@ConditionalOnMissingBean(ConnectionFactory.class)
@EnableConfigurationProperties(JmsProperties.class)
@ImportRuntimeHints(QpidRuntimeHints.class)
public class RingtableJmsAutoConfiguration {

    @Bean
    QpidConnectionFactories ringtableQpidConnectionFactories(
            RingtableClientProperties properties,
            RingtableConnectionDetails details,
            BrokerConnections connections,
            ObjectProvider<QpidConnectionFactoryCustomizer> customizers) {
        return new QpidConnectionFactories(
                properties, details, connections, customizers.orderedStream().toList());
    }

    /** Resolves {@code queue://} and {@code topic://}; Spring Boot gives it to templates and listeners. */
    @Bean
    @ConditionalOnMissingBean(DestinationResolver.class)
    AddressDestinationResolver ringtableDestinationResolver() {
        return new AddressDestinationResolver();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "ringtable.client.pool.enabled", havingValue = false, matchIfMissing = true)
    static class Unpooled {

        /** Keeps one connection with its sessions and producers. */
        @Bean
        @ConditionalOnBooleanProperty(name = "spring.jms.cache.enabled", matchIfMissing = true)
        CachingConnectionFactory jmsConnectionFactory(QpidConnectionFactories qpid, JmsProperties jms) {
            JmsProperties.Cache cache = jms.getCache();
            CachingConnectionFactory factory = new CachingConnectionFactory(qpid.create());
            factory.setCacheConsumers(cache.isConsumers());
            factory.setCacheProducers(cache.isProducers());
            factory.setSessionCacheSize(cache.getSessionCacheSize());
            return factory;
        }

        @Bean("jmsConnectionFactory")
        @ConditionalOnBooleanProperty(name = "spring.jms.cache.enabled", havingValue = false)
        JmsConnectionFactory bareJmsConnectionFactory(QpidConnectionFactories qpid) {
            return qpid.create();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty("ringtable.client.pool.enabled")
    static class Pooled {

        @Bean(destroyMethod = "stop")
        JmsPoolConnectionFactory jmsConnectionFactory(
                QpidConnectionFactories qpid, RingtableClientProperties properties) {
            return new JmsPoolConnectionFactoryFactory(properties.pool()).createPooledConnectionFactory(qpid.create());
        }
    }

    /** Replaces Spring Boot's container factory of this name, unless the application has one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(name = "jmsListenerContainerFactory")
    static class Listeners {

        /** Leaves Spring's cache aside, as containers have a cache of their own. */
        @Bean
        AddressListenerContainerFactory jmsListenerContainerFactory(
                DefaultJmsListenerContainerFactoryConfigurer boot,
                ConnectionFactory connections,
                ObjectProvider<ExceptionListener> exceptionListener,
                Environment environment) {
            AddressListenerContainerFactory factory = new AddressListenerContainerFactory();
            boot.configure(factory, ConnectionFactoryUnwrapper.unwrapCaching(connections));
            factory.setTemplateConnectionFactory(connections);
            // Spring's cache is an ExceptionListener too, and would drop its connection when a listener's fails.
            if (exceptionListener.getIfUnique() == connections) {
                factory.setExceptionListener(null);
            }
            if (Threading.VIRTUAL.isActive(environment)) {
                factory.setTaskExecutor(new VirtualThreadTaskExecutor("jms-listener-"));
            }
            return factory;
        }
    }
}
