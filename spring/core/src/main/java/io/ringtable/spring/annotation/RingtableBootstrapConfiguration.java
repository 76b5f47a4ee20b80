package io.ringtable.spring.annotation;

import io.ringtable.spring.listener.RingtableListenerEndpointRegistry;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** Defines what {@link EnableRingtable} needs: the registry of listeners, and what finds them. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class RingtableBootstrapConfiguration {

    /** The name of the bean that finds listeners; another {@link EnableRingtable} defines no second one. */
    public static final String PROCESSOR_BEAN_NAME = "ringtableListenerAnnotationBeanPostProcessor";

    /** The name of the bean that holds the listeners. */
    public static final String REGISTRY_BEAN_NAME = "ringtableListenerEndpointRegistry";

    @Bean(PROCESSOR_BEAN_NAME)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RingtableListenerAnnotationBeanPostProcessor ringtableListenerAnnotationBeanPostProcessor() {
        return new RingtableListenerAnnotationBeanPostProcessor();
    }

    @Bean(REGISTRY_BEAN_NAME)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RingtableListenerEndpointRegistry ringtableListenerEndpointRegistry() {
        return new RingtableListenerEndpointRegistry();
    }
}
