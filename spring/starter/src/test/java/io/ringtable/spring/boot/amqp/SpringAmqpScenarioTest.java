package io.ringtable.spring.boot.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.RingtableClient;
import io.ringtable.spring.boot.OneBroker;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.amqp.client.AmqpClient;
import org.springframework.amqp.client.SingleAmqpConnectionFactory;
import org.springframework.amqp.client.annotation.AmqpListener;
import org.springframework.amqp.client.config.AmqpDefaultConfiguration;
import org.springframework.amqp.client.config.EnableAmqp;
import org.springframework.amqp.client.config.MethodAmqpMessageListenerContainerFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Spring's own client of AMQP 1.0, without anything of ours. */
@ExtendWith(OneBroker.class)
@Timeout(120)
class SpringAmqpScenarioTest {

    @Test
    void itsClientSendsAndReceivesAndItsListenerHears() throws Exception {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Application.class)) {
            AmqpClient client = context.getBean(AmqpClient.class);
            assertThat(client.to("queue://spring-amqp-pulled")
                            .body("one")
                            .send()
                            .get(60, TimeUnit.SECONDS))
                    .as("the broker has stored it")
                    .isTrue();
            assertThat(client.from("queue://spring-amqp-pulled")
                            .timeout(OneBroker.SOON)
                            .receive()
                            .get(60, TimeUnit.SECONDS)
                            .getBody())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("one");
            client.to("queue://spring-amqp").body("two").send().get(60, TimeUnit.SECONDS);
            Application application = context.getBean(Application.class);
            assertThat(application.texts.poll(60, TimeUnit.SECONDS)).isEqualTo("two");
        }
    }

    @Test
    void itReadsBodiesOfBytesOnly() throws Exception {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Application.class);
                RingtableClient sdk = RingtableClient.connect(OneBroker.uri());
                Publisher publisher = sdk.publisher("queue://spring-amqp-bodies")) {
            AmqpClient client = context.getBean(AmqpClient.class);
            publisher.publishAndWait(Message.bytes("bytes".getBytes(StandardCharsets.UTF_8)));
            assertThat(client.from("queue://spring-amqp-bodies")
                            .timeout(OneBroker.SOON)
                            .receive()
                            .get(60, TimeUnit.SECONDS)
                            .getBody())
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("bytes");
            publisher.publishAndWait(Message.text("text"));
            assertThatThrownBy(() -> client.from("queue://spring-amqp-bodies")
                            .timeout(OneBroker.SOON)
                            .receive()
                            .get(60, TimeUnit.SECONDS))
                    .hasStackTraceContaining("Only binary data is supported");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAmqp
    static class Application {
        final BlockingQueue<String> texts = new LinkedBlockingQueue<>();

        @Bean
        SingleAmqpConnectionFactory connections() {
            URI broker = URI.create(OneBroker.uri());
            return new SingleAmqpConnectionFactory().setHost(broker.getHost()).setPort(broker.getPort());
        }

        @Bean
        AmqpClient client(SingleAmqpConnectionFactory connections) {
            return AmqpClient.create(connections);
        }

        @Bean(AmqpDefaultConfiguration.DEFAULT_AMQP_LISTENER_CONTAINER_FACTORY_BEAN_NAME)
        MethodAmqpMessageListenerContainerFactory listeners(SingleAmqpConnectionFactory connections) {
            return new MethodAmqpMessageListenerContainerFactory(connections);
        }

        @AmqpListener(addresses = "queue://spring-amqp")
        void hear(String text) {
            texts.add(text);
        }
    }
}
