package io.ringtable.broker.config;

import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Refuses a property under {@code ringtable.} that does not exist, wherever it is set: file, command line, system
 * property or environment variable. Operators would notice a misspelt limit that is silently ignored in the worst hour.
 */
public final class UnknownPropertyCheck implements ApplicationContextInitializer<ConfigurableApplicationContext> {
    private static final Logger log = LoggerFactory.getLogger(UnknownPropertyCheck.class);

    /** Prefixes of environment variables that the command line and the tests read: no properties of the broker. */
    private static final String[] OTHERS = {"RINGTABLE_CLI_", "RINGTABLE_TEST_", "RINGTABLE_JAVA_"};

    private final PropertyNames known = PropertyNames.ofBroker();

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        for (PropertySource<?> source : context.getEnvironment().getPropertySources()) {
            // Spring Boot attaches a source that shows all the others once more.
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
            if (!known.isKnown(name)) {
                throw new ConfigurationRefused(
                        "RT-1001",
                        "unknown property " + name + " (" + source.getName() + "): did you mean " + known.nearest(name)
                                + "? Correct or remove it");
            }
            if (source instanceof CommandLinePropertySource<?> && isPassword(name)) {
                log.warn(
                        "RT-1022 {} is given on the command line, where every user of this machine can read it: set it"
                                + " in application.yaml or in the environment",
                        name);
            }
        }
    }

    private static boolean isOurs(String name) {
        for (String other : OTHERS) {
            if (name.startsWith(other)) {
                return false;
            }
        }
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.startsWith(PropertyNames.PREFIX + ".") || lower.startsWith(PropertyNames.PREFIX + "_");
    }

    static boolean isPassword(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith("password");
    }
}
