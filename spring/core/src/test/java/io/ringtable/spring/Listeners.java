package io.ringtable.spring;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.RingtableClient;
import io.ringtable.spring.annotation.EnableRingtable;
import io.ringtable.spring.listener.RingtableListenerContainerFactory;
import io.ringtable.spring.listener.RingtableListenerEndpointRegistry;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** An application with listeners, as one without Spring Boot writes it. */
public final class Listeners implements AutoCloseable {
    private final AnnotationConfigApplicationContext context;

    @Configuration(proxyBeanMethods = false)
    @EnableRingtable
    static class Application {

        @Bean
        RingtableTemplate ringtableTemplate(RingtableClient client) {
            return new RingtableTemplate(client);
        }
    }

    private Listeners(AnnotationConfigApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts an application on the shared client.
     *
     * @param address what {@code ${address}} stands for in annotations
     */
    public static Listeners start(String address, Object bean) {
        return start(SharedBroker.client(), Map.of("address", address), bean, factory -> {});
    }

    public static Listeners start(String address, Object bean, Consumer<RingtableListenerContainerFactory> settings) {
        return start(SharedBroker.client(), Map.of("address", address), bean, settings);
    }

    /** Starts an application whose container factory is made when a listener asks for it. */
    public static Listeners startLazily(
            String address, Object bean, Consumer<RingtableListenerContainerFactory> settings) {
        return start(SharedBroker.client(), Map.of("queue", address), bean, settings, true);
    }

    public static Listeners start(
            RingtableClient client,
            Map<String, Object> properties,
            Object bean,
            Consumer<RingtableListenerContainerFactory> settings) {
        return start(client, properties, bean, settings, false);
    }

    @SuppressWarnings("unchecked")
    private static Listeners start(
            RingtableClient client,
            Map<String, Object> properties,
            Object bean,
            Consumer<RingtableListenerContainerFactory> settings,
            boolean lazily) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.registerBean(RingtableClient.class, () -> client, definition -> definition.setDestroyMethodName(""));
        context.registerBean(
                RingtableListenerContainerFactory.BEAN_NAME,
                RingtableListenerContainerFactory.class,
                () -> {
                    RingtableListenerContainerFactory factory = new RingtableListenerContainerFactory(client);
                    settings.accept(factory);
                    return factory;
                },
                definition -> definition.setLazyInit(lazily));
        context.registerBean("listeners", (Class<Object>) bean.getClass(), () -> bean);
        context.register(Application.class);
        try {
            context.refresh();
        } catch (RuntimeException refused) {
            context.close();
            throw refused;
        }
        return new Listeners(context);
    }

    public RingtableTemplate template() {
        return context.getBean(RingtableTemplate.class);
    }

    public RingtableListenerEndpointRegistry registry() {
        return context.getBean(RingtableListenerEndpointRegistry.class);
    }

    /** Returns the address of its first listener. */
    public String address() {
        return registry()
                .containers()
                .iterator()
                .next()
                .endpoint()
                .subscriptions()
                .get(0)
                .address()
                .toString();
    }

    /** Takes the next message of an address, acknowledged. */
    public ReceivedMessage received(String address) {
        return template()
                .receive(address, SharedBroker.SOON, message -> message)
                .orElseThrow();
    }

    @Override
    public void close() {
        context.close();
    }
}
