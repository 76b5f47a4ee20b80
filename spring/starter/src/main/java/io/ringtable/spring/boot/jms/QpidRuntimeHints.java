package io.ringtable.spring.boot.jms;

import jakarta.jms.Connection;
import jakarta.jms.QueueConnection;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import jakarta.jms.TopicConnection;
import jakarta.jms.TopicSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.policy.JmsDefaultDeserializationPolicy;
import org.apache.qpid.jms.policy.JmsDefaultMessageIDPolicy;
import org.apache.qpid.jms.policy.JmsDefaultPrefetchPolicy;
import org.apache.qpid.jms.policy.JmsDefaultPresettlePolicy;
import org.apache.qpid.jms.policy.JmsDefaultRedeliveryPolicy;
import org.apache.qpid.jms.provider.amqp.AmqpProvider;
import org.apache.qpid.jms.provider.failover.FailoverProvider;
import org.apache.qpid.jms.transports.TransportOptions;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.jms.connection.SessionProxy;

/**
 * Tells a native image what Qpid JMS and Spring's connection cache look up by name. Both look up protocols and logins
 * in files of their own, options by setters, and proxies of connections and sessions.
 */
final class QpidRuntimeHints implements RuntimeHintsRegistrar {
    private static final String SERVICES = "META-INF/services/org/apache/qpid/jms/**";

    /** Objects that options of a URI are set on. */
    private static final List<Class<?>> WITH_OPTIONS = List.of(
            JmsConnectionFactory.class,
            WatchedConnectionFactory.class,
            JmsDefaultDeserializationPolicy.class,
            JmsDefaultMessageIDPolicy.class,
            JmsDefaultPrefetchPolicy.class,
            JmsDefaultPresettlePolicy.class,
            JmsDefaultRedeliveryPolicy.class,
            AmqpProvider.class,
            FailoverProvider.class,
            TransportOptions.class);

    @Override
    public void registerHints(RuntimeHints hints, ClassLoader loader) {
        hints.resources().registerPattern(SERVICES);
        for (Resource service : services(loader)) {
            hints.reflection()
                    .registerType(
                            TypeReference.of(implementation(service)), MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
        }
        WITH_OPTIONS.forEach(type -> hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS));
        hints.proxies().registerJdkProxy(Connection.class, QueueConnection.class, TopicConnection.class);
        hints.proxies().registerJdkProxy(SessionProxy.class, QueueSession.class, TopicSession.class);
        hints.proxies().registerJdkProxy(SessionProxy.class, Session.class);
    }

    /** Finds the files that Qpid reads, each of which names one class. */
    private static List<Resource> services(ClassLoader loader) {
        try {
            Resource[] found = new PathMatchingResourcePatternResolver(loader).getResources("classpath*:" + SERVICES);
            return List.of(found).stream().filter(Resource::isReadable).toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String implementation(Resource service) {
        try {
            return PropertiesLoaderUtils.loadProperties(service).getProperty("class");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
