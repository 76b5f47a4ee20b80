package io.ringtable.spring.boot.listener;

import io.micrometer.observation.ObservationRegistry;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.jdbc.TransactionalPublisher;
import io.ringtable.spring.RingtableOperations;
import io.ringtable.spring.RingtableTemplate;
import io.ringtable.spring.annotation.EnableRingtable;
import io.ringtable.spring.annotation.RingtableBootstrapConfiguration;
import io.ringtable.spring.boot.RingtableClientProperties;
import io.ringtable.spring.boot.client.RingtableClientAutoConfiguration;
import io.ringtable.spring.boot.transaction.RingtableTransactionAutoConfiguration;
import io.ringtable.spring.listener.RingtableListenerContainerFactory;
import io.ringtable.spring.support.RingtableMessageConverters;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.messaging.converter.MessageConverter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes {@link RingtableTemplate} and what {@code @RingtableListener} needs. Beans with a client are made when
 * something asks for them, so that an application that uses only JMS never connects with the SDK.
 */
@AutoConfiguration(after = {RingtableClientAutoConfiguration.class, RingtableTransactionAutoConfiguration.class})
public class RingtableListenerAutoConfiguration {
    private static final String CONVERTER = "ringtableMessageConverter";

    /** Converts payloads of template and listeners; not for what else asks for a converter, as WebSocket does. */
    @Bean(name = CONVERTER, defaultCandidate = false)
    @ConditionalOnMissingBean(name = CONVERTER)
    MessageConverter ringtableMessageConverter(ObjectProvider<JsonMapper> json) {
        return RingtableMessageConverters.standard(json.getIfUnique(JsonMapper::shared));
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean(RingtableOperations.class)
    RingtableTemplate ringtableTemplate(
            RingtableClient client,
            RingtableClientProperties properties,
            @Qualifier(CONVERTER) MessageConverter converter,
            ObjectProvider<TransactionalPublisher> transactional,
            ObjectProvider<ObservationRegistry> observations) {
        RingtableTemplate template = new RingtableTemplate(client);
        template.setMessageConverter(converter);
        template.setProducerId(properties.template().producerId());
        template.setSendTimeout(properties.template().sendTimeout());
        transactional.ifUnique(template::setTransactionalPublisher);
        observations.ifUnique(template::setObservationRegistry);
        return template;
    }

    @Bean
    @ConditionalOnMissingBean
    RingtableListenerContainerFactoryConfigurer ringtableListenerContainerFactoryConfigurer(
            RingtableClientProperties properties,
            @Qualifier(CONVERTER) MessageConverter converter,
            Environment environment,
            BeanFactory beans) {
        return new RingtableListenerContainerFactoryConfigurer(properties, converter, environment, beans);
    }

    @Bean(RingtableListenerContainerFactory.BEAN_NAME)
    @Lazy
    @ConditionalOnMissingBean(name = RingtableListenerContainerFactory.BEAN_NAME)
    RingtableListenerContainerFactory ringtableListenerContainerFactory(
            RingtableClient client, RingtableListenerContainerFactoryConfigurer configurer) {
        RingtableListenerContainerFactory factory = new RingtableListenerContainerFactory(client);
        configurer.configure(factory);
        return factory;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRingtable
    @ConditionalOnMissingBean(name = RingtableBootstrapConfiguration.PROCESSOR_BEAN_NAME)
    static class Annotations {}
}
