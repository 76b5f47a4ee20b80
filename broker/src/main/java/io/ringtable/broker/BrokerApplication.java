package io.ringtable.broker;

import io.ringtable.broker.config.startup.ApplicationConfiguration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.annotation.Import;

/** Starts the executable jar: the broker with its configuration, health, status and metrics. */
@SpringBootConfiguration(proxyBeanMethods = false)
@Import({ApplicationConfiguration.class, BrokerConfiguration.class, BrokerProcessConfiguration.class})
public class BrokerApplication {
    public static void main(String[] args) {
        SpringApplication.run(BrokerApplication.class, args);
    }
}
