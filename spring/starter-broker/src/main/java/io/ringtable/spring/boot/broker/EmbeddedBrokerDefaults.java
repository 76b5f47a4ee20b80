package io.ringtable.spring.boot.broker;

import io.ringtable.broker.config.startup.UnknownPropertyCheck;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Lets an embedded broker listen on a free port of loopback, unless the application names one. So two applications on
 * one machine do not meet. The application's own clients learn the port from the broker. Refuses properties that the
 * broker does not have.
 */
@Order(Ordered.LOWEST_PRECEDENCE)
final class EmbeddedBrokerDefaults implements EnvironmentPostProcessor {

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        environment
                .getPropertySources()
                .addLast(new MapPropertySource("defaults of the embedded broker", Map.of("ringtable.amqp.port", "0")));
        if (environment.getProperty("ringtable.embedded.enabled", Boolean.class, true)) {
            application.addInitializers(UnknownPropertyCheck.ofGroups());
        }
    }
}
