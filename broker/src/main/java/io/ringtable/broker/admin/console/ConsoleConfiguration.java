package io.ringtable.broker.admin.console;

import io.ringtable.broker.admin.StatusController;
import io.ringtable.broker.config.ConsoleProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.login.WaitingLogins;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.metrics.CommitMeters;
import io.ringtable.broker.metrics.StatusSampler;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.CacheControl;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Serves the console below {@value #BASE}. {@link ConsoleSecurity} says who may see it, and what its pages may do in a
 * browser.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "ringtable.console.enabled", matchIfMissing = true)
public class ConsoleConfiguration {
    static final String BASE = "/console";

    /** Comes before the chain for everything else. */
    @Bean
    @Order(0)
    SecurityFilterChain consoleSecurity(
            WaitingLogins logins, SecurityProperties security, ConsoleProperties console, Management management) {
        return new ConsoleSecurity(logins, security, console, management).chain();
    }

    @Bean
    WebMvcConfigurer consoleAssets() {
        return new WebMvcConfigurer() {
            @Override
            public void addResourceHandlers(ResourceHandlerRegistry registry) {
                registry.setOrder(Ordered.HIGHEST_PRECEDENCE); // before the page that says that there is no such page
                registry.addResourceHandler(ConsoleSecurity.ASSETS + "**")
                        .addResourceLocations("classpath:/io/ringtable/broker/console/assets/")
                        .setCacheControl(CacheControl.noCache()); // kept, and asked for anew: an update counts at once
            }
        };
    }

    @Bean
    ConsolePages consolePages(Management management, WaitingLogins logins, ObjectProvider<BuildProperties> build) {
        BuildProperties properties = build.getIfAvailable();
        return new ConsolePages(
                management, logins::isNeeded, properties == null ? "(not packaged)" : properties.getVersion());
    }

    @Bean
    EntryPages consoleEntryPages(ConsolePages pages, WaitingLogins logins) {
        return new EntryPages(pages, logins);
    }

    @Bean
    OverviewPages consoleOverviewPages(
            ConsolePages pages, StatusController status, StatusSampler sampler, CommitMeters meters) {
        return new OverviewPages(pages, status, sampler, meters);
    }

    @Bean
    AddressPages consoleAddressPages(ConsolePages pages) {
        return new AddressPages(pages);
    }

    @Bean
    SubscriptionPages consoleSubscriptionPages(ConsolePages pages) {
        return new SubscriptionPages(pages);
    }

    @Bean
    ConnectionPages consoleConnectionPages(ConsolePages pages) {
        return new ConnectionPages(pages);
    }

    @Bean
    MessagePages consoleMessagePages(ConsolePages pages) {
        return new MessagePages(pages);
    }

    @Bean
    DeadLetterPages consoleDeadLetterPages(ConsolePages pages) {
        return new DeadLetterPages(pages);
    }

    @Bean
    JobPages consoleJobPages(ConsolePages pages) {
        return new JobPages(pages);
    }
}
