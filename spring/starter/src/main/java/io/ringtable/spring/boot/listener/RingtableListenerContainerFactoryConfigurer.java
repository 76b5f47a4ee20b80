package io.ringtable.spring.boot.listener;

import io.micrometer.observation.ObservationRegistry;
import io.ringtable.client.jdbc.TransactionalAcknowledger;
import io.ringtable.spring.RingtableOperations;
import io.ringtable.spring.boot.RingtableClientProperties;
import io.ringtable.spring.listener.Concurrency;
import io.ringtable.spring.listener.RingtableErrorHandler;
import io.ringtable.spring.listener.RingtableListenerContainerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.validation.Validator;

/**
 * Sets up a container factory as the starter sets up its own, for applications that need a second one:
 *
 * <pre>{@code
 * @Bean
 * RingtableListenerContainerFactory slow(
 *         RingtableClient client, RingtableListenerContainerFactoryConfigurer configurer) {
 *     RingtableListenerContainerFactory factory = new RingtableListenerContainerFactory(client);
 *     configurer.configure(factory);
 *     factory.setPrefetch(1);
 *     return factory;
 * }
 * }</pre>
 */
public final class RingtableListenerContainerFactoryConfigurer {
    private final RingtableClientProperties.Listener properties;
    private final MessageConverter converter;
    private final Environment environment;
    private final BeanFactory beans;

    RingtableListenerContainerFactoryConfigurer(
            RingtableClientProperties properties,
            MessageConverter converter,
            Environment environment,
            BeanFactory beans) {
        this.properties = properties.listener();
        this.converter = converter;
        this.environment = environment;
        this.beans = beans;
    }

    /** @throws io.ringtable.client.RingtableException RT-5040 if a property is out of its range */
    public void configure(RingtableListenerContainerFactory factory) {
        factory.setMessageConverter(converter);
        factory.setConcurrency(Concurrency.of(properties.concurrency()));
        factory.setPrefetch(properties.prefetch());
        factory.setBatchSize(properties.batchSize());
        factory.setAutoStartup(properties.autoStartup());
        factory.setShutdownTimeout(properties.shutdownTimeout());
        factory.setRecoveryInterval(properties.recoveryInterval());
        if (Threading.VIRTUAL.isActive(environment)) {
            factory.setTaskExecutor(new VirtualThreadTaskExecutor("ringtable-listener-"));
        }
        beans.getBeanProvider(RingtableOperations.class).ifUnique(factory::setReplyTemplate);
        beans.getBeanProvider(ObservationRegistry.class).ifUnique(factory::setObservationRegistry);
        beans.getBeanProvider(RingtableErrorHandler.class).ifUnique(factory::setErrorHandler);
        beans.getBeanProvider(Validator.class).ifUnique(factory::setValidator);
        beans.getBeanProvider(TransactionalAcknowledger.class)
                .ifUnique(acknowledger -> beans.getBeanProvider(PlatformTransactionManager.class)
                        .ifUnique(manager -> factory.setTransactions(manager, acknowledger)));
    }
}
