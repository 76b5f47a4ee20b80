package io.ringtable.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.spring.boot.RingtableConnectionDetails;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The environment that a container gets, and the way of an application to it; no test here needs Docker. */
class RingtableContainerTest {

    /** Is where a container would be that Docker has started. */
    static final class Started extends RingtableContainer {
        boolean started;

        @Override
        public void start() {
            started = true;
        }

        @Override
        public void stop() {
            started = false;
        }

        @Override
        public boolean isRunning() {
            return started;
        }

        @Override
        public String getHost() {
            return "docker.example";
        }

        @Override
        public Integer getMappedPort(int port) {
            return 30_000 + port;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        @ServiceConnection
        Started broker() {
            Started broker = new Started();
            broker.withUser("shop", "hush");
            return broker;
        }
    }

    @Test
    void aServiceConnectionLeadsTheApplicationToTheContainer() {
        try (ConfigurableApplicationContext application = SpringApplication.run(Application.class)) {
            RingtableConnectionDetails details = application.getBean(RingtableConnectionDetails.class);

            assertThat(application.getBean(Started.class).started).isTrue();
            assertThat(details.getUris()).containsExactly("amqp://docker.example:35672");
            assertThat(details.getUser()).isEqualTo("shop");
            assertThat(details.getPassword()).isEqualTo("hush");
        }
    }

    @Test
    void theBrokerLetsItsUserInFromOutside() {
        RingtableContainer container = new RingtableContainer().withUser("shop", "hush");

        container.configure();

        assertThat(container.getEnvMap())
                .containsEntry("RINGTABLE_AMQP_HOST", "0.0.0.0")
                .containsEntry("RINGTABLE_SECURITY_USERS_0_NAME", "shop")
                .containsEntry("RINGTABLE_SECURITY_USERS_0_PASSWORD", "{noop}hush")
                .containsEntry("SERVER_ADDRESS", "0.0.0.0")
                .containsEntry("RINGTABLE_SECURITY_ALLOW_REMOTE_HTTP", "true");
        assertThat(container.getExposedPorts()).containsExactlyInAnyOrder(5672, 8161);
    }

    @Test
    void tellsWhereItsHttpIs() {
        assertThat(new Started().getHttpUrl()).isEqualTo("http://docker.example:38161");
    }

    @Test
    void refusesAnotherImage() {
        assertThatCode(() -> new RingtableContainer("ringtable/ringtable:0.1.0").close())
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> new RingtableContainer("rabbitmq:4"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ringtable/ringtable");
    }
}
