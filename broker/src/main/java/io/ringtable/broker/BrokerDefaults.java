package io.ringtable.broker;

import io.ringtable.broker.config.startup.UnknownPropertyCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.ClassPathResource;

/**
 * Gives the executable broker its defaults and its check of properties. Leaves every other application alone: this jar
 * is on the class path of applications that embed the broker, and their {@code application.yaml} is theirs.
 * <p>
 * Thread: the main thread, before the context exists.
 */
@Order(Ordered.LOWEST_PRECEDENCE)
final class BrokerDefaults implements EnvironmentPostProcessor {
    private static final ClassPathResource DEFAULTS = new ClassPathResource("application.yaml", BrokerDefaults.class);

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (!application.getAllSources().contains(BrokerApplication.class)) {
            return;
        }
        try {
            new YamlPropertySourceLoader()
                    .load("defaults of the broker", DEFAULTS)
                    .forEach(environment.getPropertySources()::addLast);
        } catch (IOException e) {
            throw new UncheckedIOException("RT-1150 the broker's jar cannot be read: copy it anew", e);
        }
        application.addInitializers(UnknownPropertyCheck.ofAll());
    }
}
