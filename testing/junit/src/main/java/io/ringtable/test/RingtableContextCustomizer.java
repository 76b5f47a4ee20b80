package io.ringtable.test;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.ClassUtils;

/**
 * Makes a broker a bean of a test's context, and leads the context's clients to it. Two tests with equal customizers
 * share a context, and so its broker.
 *
 * @param properties of the broker
 */
record RingtableContextCustomizer(Map<String, String> properties) implements ContextCustomizer {
    private static final String DETAILS = "io.ringtable.spring.boot.RingtableConnectionDetails";

    @Override
    public void customizeContext(
            ConfigurableApplicationContext context, MergedContextConfiguration mergedConfiguration) {
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("broker of the test", Map.of("ringtable.embedded.enabled", "false")));
        BeanDefinitionRegistry beans = (BeanDefinitionRegistry) context.getBeanFactory();
        beans.registerBeanDefinition("ringtableSharedBroker", sharedBroker(context.getBeanFactory()));
        beans.registerBeanDefinition("ringtableTestBroker", testBroker());
        if (ClassUtils.isPresent(DETAILS, context.getClassLoader())) {
            beans.registerBeanDefinition("ringtableTestConnectionDetails", Clients.details());
        }
    }

    private BeanDefinition sharedBroker(ConfigurableListableBeanFactory beans) {
        RootBeanDefinition definition =
                new RootBeanDefinition(SharedBroker.class, () -> new SharedBroker(TestBroker.start(resolved(beans))));
        definition.setDestroyMethodName("close");
        return definition;
    }

    /** Replaces placeholders and expressions, so that a property may come from the context's own data source. */
    private Map<String, String> resolved(ConfigurableListableBeanFactory beans) {
        Map<String, String> resolved = new LinkedHashMap<>();
        BeanExpressionResolver expressions = beans.getBeanExpressionResolver();
        properties.forEach((name, value) -> {
            String filled = beans.resolveEmbeddedValue(value);
            Object found =
                    expressions == null ? filled : expressions.evaluate(filled, new BeanExpressionContext(beans, null));
            resolved.put(name, String.valueOf(found));
        });
        return resolved;
    }

    private static BeanDefinition testBroker() {
        RootBeanDefinition definition = new RootBeanDefinition(TestBroker.class);
        definition.setFactoryBeanName("ringtableSharedBroker");
        definition.setFactoryMethodName("broker");
        definition.setDestroyMethodName(""); // the other one ends it
        return definition;
    }

    /** Is touched only where the starter is. */
    private static final class Clients {
        static BeanDefinition details() {
            RootBeanDefinition definition = new RootBeanDefinition(TestConnectionDetails.class);
            definition
                    .getConstructorArgumentValues()
                    .addGenericArgumentValue(new RuntimeBeanReference("ringtableTestBroker"));
            return definition;
        }
    }
}
