package io.ringtable.test;

import io.ringtable.client.RingtableClient;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.springframework.boot.convert.DurationStyle;

/**
 * Gives tests a broker in this process. {@link RingtableTest} registers it and says with which properties; without that
 * annotation the broker has its defaults.
 * <p>
 * With {@link AutoConfigureRingtable} the broker is that of the test's Spring context. Otherwise one broker starts for
 * all classes that ask for the same properties, and stops after the last test of all.
 * Mends, after each test, what the test broke, and takes away its addresses.
 */
public final class RingtableExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(RingtableExtension.class);
    /** Names the parameter of JUnit for how long a {@link TestBroker} waits, unless a test says otherwise. */
    private static final String TIMEOUT = "ringtable.test.timeout";

    private static final Set<Class<?>> PARAMETERS =
            Set.of(TestBroker.class, RingtableClient.class, TestAddresses.class, URI.class);

    private static Duration duration(String text) {
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new ExtensionConfigurationException(
                    "RT-7008 " + TIMEOUT + "=" + text + " is no duration: write 30s, for example", e);
        }
    }

    private record Key(Map<String, String> properties, boolean own) {}

    @Override
    public void beforeEach(ExtensionContext context) {
        shared(context).begin();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        RingtableClient client = context.getStore(NAMESPACE).remove(RingtableClient.class, RingtableClient.class);
        if (client != null) {
            client.close(); // first: an address with links is emptied, not deleted
        }
        shared(context).end(addresses(context).names());
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return PARAMETERS.contains(parameter.getParameter().getType()) && !SpringBroker.resolves(parameter, context);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        if (type == TestAddresses.class) {
            return addresses(context);
        }
        TestBroker shared = shared(context).broker();
        TestBroker broker = context.getConfigurationParameter(TIMEOUT)
                .map(text -> shared.within(duration(text)))
                .orElse(shared);
        if (type == RingtableClient.class) {
            return context.getStore(NAMESPACE)
                    .computeIfAbsent(RingtableClient.class, key -> broker.connect(), RingtableClient.class);
        }
        return type == URI.class ? broker.url() : broker;
    }

    private static TestAddresses addresses(ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(TestAddresses.class, key -> new TestAddresses(), TestAddresses.class);
    }

    private static SharedBroker shared(ExtensionContext context) {
        if (SpringBroker.isAskedFor(context)) {
            return SpringBroker.of(context);
        }
        Optional<RingtableTest> asked = asked(context);
        Map<String, String> properties =
                properties(asked.map(RingtableTest::properties).orElse(new String[0]));
        boolean own = asked.map(RingtableTest::own).orElse(false);
        // A class's store shows what lies in the store of all, so the key tells the two apart.
        return (own ? outermost(context) : context.getRoot())
                .getStore(NAMESPACE)
                .computeIfAbsent(
                        new Key(properties, own),
                        absent -> new SharedBroker(TestBroker.start(properties)),
                        SharedBroker.class);
    }

    private static Optional<RingtableTest> asked(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(
                context.getRequiredTestClass(), RingtableTest.class, context.getEnclosingTestClasses());
    }

    /** Returns the context of the test class, or of the class around it if it is nested. */
    private static ExtensionContext outermost(ExtensionContext context) {
        ExtensionContext outermost = context;
        while (outermost.getParent().flatMap(ExtensionContext::getTestClass).isPresent()) {
            outermost = outermost.getParent().get();
        }
        return outermost;
    }

    /** Reads {@code name=value}. */
    static Map<String, String> properties(String[] pairs) {
        Map<String, String> properties = new LinkedHashMap<>();
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new ExtensionConfigurationException("RT-7007 properties = \"" + pair
                        + "\" has no name and value: write \"ringtable.dispatch.deliveries-max=2\"");
            }
            properties.put(
                    pair.substring(0, equals).strip(),
                    pair.substring(equals + 1).strip());
        }
        return properties;
    }
}
