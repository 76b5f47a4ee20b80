package io.ringtable.broker.config.startup;

import io.ringtable.broker.config.PropertyNames;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Refuses a property under {@code ringtable.} that does not exist, or no longer exists, wherever it is set: file,
 * command line, system property or environment variable. A misspelt limit that is silently ignored would show in the
 * worst hour. An application that embeds the broker has properties of the client there as well: of those, the check
 * asks about the broker's groups only.
 */
public final class UnknownPropertyCheck implements ApplicationContextInitializer<ConfigurableApplicationContext> {
    private static final Logger log = LoggerFactory.getLogger(UnknownPropertyCheck.class);

    /** Prefixes of environment variables that the command line and the tests read, and the broker does not. */
    private static final String[] OTHERS = {"RINGTABLE_CLI_", "RINGTABLE_TEST_", "RINGTABLE_JAVA_"};

    private final PropertyNames known = PropertyNames.ofBroker();
    private final List<String> prefixes;

    private UnknownPropertyCheck(List<String> prefixes) {
        this.prefixes = prefixes;
    }

    /** Checks everything under {@code ringtable.}, for a process that is the broker and nothing else. */
    public static UnknownPropertyCheck ofAll() {
        return new UnknownPropertyCheck(List.of(PropertyNames.PREFIX));
    }

    /** Checks everything under {@code ringtable.amqp.}, {@code ringtable.store.} and the broker's other groups. */
    public static UnknownPropertyCheck ofGroups() {
        return new UnknownPropertyCheck(PropertyNames.groups());
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        for (PropertySource<?> source : context.getEnvironment().getPropertySources()) {
            // Spring Boot attaches a source that repeats all the others.
            if (source instanceof EnumerablePropertySource<?> names
                    && !source.getName().equals("configurationProperties")) {
                check(names);
            }
        }
    }

    private void check(EnumerablePropertySource<?> source) {
        for (String name : source.getPropertyNames()) {
            if (!isOurs(name)) {
                continue;
            }
            known.requireKnown(name, source.getName());
            if (source instanceof CommandLinePropertySource<?> && PropertyNames.isPassword(name)) {
                log.warn(
                        "RT-1022 {} is given on the command line, where every user of this machine can read it: set it"
                                + " in application.yaml or in the environment",
                        name);
            }
        }
    }

    private boolean isOurs(String name) {
        for (String other : OTHERS) {
            if (name.startsWith(other)) {
                return false;
            }
        }
        String lower = name.toLowerCase(Locale.ROOT);
        return prefixes.stream()
                .anyMatch(prefix -> lower.startsWith(prefix + ".") || lower.startsWith(prefix.replace('.', '_') + "_"));
    }
}
