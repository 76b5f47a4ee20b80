package io.ringtable.spring.annotation;

import io.ringtable.spring.internal.SpringErrors;
import io.ringtable.spring.listener.RingtableListenerContainerFactory;
import io.ringtable.spring.listener.RingtableListenerEndpoint;
import io.ringtable.spring.listener.RingtableListenerEndpointRegistry;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.StringUtils;

/**
 * Finds methods with {@link RingtableListener} and registers them with the {@link RingtableListenerEndpointRegistry},
 * once all singletons are there; those of beans that come later at once.
 */
public class RingtableListenerAnnotationBeanPostProcessor
        implements BeanPostProcessor, Ordered, BeanFactoryAware, SmartInitializingSingleton {

    private final Set<Class<?>> without = ConcurrentHashMap.newKeySet();
    private final List<Found> found = new ArrayList<>(); // under this
    private boolean complete; // under this: all singletons are there
    private ConfigurableBeanFactory beans;

    private record Found(Object bean, String beanName, Method method, RingtableListener listener) {}

    /** Comes after what wraps beans in proxies, so that the proxy is called. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public void setBeanFactory(BeanFactory factory) {
        beans = (ConfigurableBeanFactory) factory;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        if (bean instanceof AopInfrastructureBean
                || without.contains(type)
                || !AnnotationUtils.isCandidateClass(
                        type, List.of(RingtableListener.class, RingtableListeners.class))) {
            return bean;
        }
        Map<Method, Set<RingtableListener>> methods =
                MethodIntrospector.selectMethods(type, RingtableListenerAnnotationBeanPostProcessor::listeners);
        if (methods.isEmpty()) {
            without.add(type);
        }
        methods.forEach((method, listeners) -> {
            Method callable = AopUtils.selectInvocableMethod(method, bean.getClass());
            listeners.forEach(listener -> add(new Found(bean, beanName, callable, listener)));
        });
        return bean;
    }

    private void add(Found one) {
        synchronized (this) {
            if (!complete) {
                found.add(one);
                return;
            }
        }
        register(one);
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<Found> all;
        synchronized (this) {
            complete = true;
            all = List.copyOf(found);
            found.clear();
        }
        all.forEach(this::register);
    }

    private void register(Found one) {
        RingtableListenerEndpointRegistry registry = beans.getBean(
                RingtableBootstrapConfiguration.REGISTRY_BEAN_NAME, RingtableListenerEndpointRegistry.class);
        RingtableListenerEndpoint endpoint = new ListenerAnnotationReader(new EmbeddedValueResolver(beans))
                .read(one.bean(), one.method(), one.listener(), id(one, registry));
        registry.register(endpoint, factory(one));
    }

    /** Names a listener that has no id after its method; the second annotation of a method is told from the first. */
    private static String id(Found one, RingtableListenerEndpointRegistry registry) {
        String base = one.beanName() + "." + one.method().getName();
        String id = base;
        for (int n = 2; registry.contains(id); n++) {
            id = base + "#" + n;
        }
        return id;
    }

    private RingtableListenerContainerFactory factory(Found one) {
        String name = StringUtils.hasText(one.listener().containerFactory())
                ? new EmbeddedValueResolver(beans)
                        .resolveStringValue(one.listener().containerFactory())
                : RingtableListenerContainerFactory.BEAN_NAME;
        try {
            return beans.getBean(name, RingtableListenerContainerFactory.class);
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException absent) {
            throw SpringErrors.noContainerFactory(
                    "listener " + one.beanName() + "." + one.method().getName(), name, absent);
        }
    }

    /** @return null if the method has none */
    private static Set<RingtableListener> listeners(Method method) {
        Set<RingtableListener> all = AnnotatedElementUtils.getMergedRepeatableAnnotations(
                method, RingtableListener.class, RingtableListeners.class);
        return all.isEmpty() ? null : all;
    }
}
