package io.ringtable.spring.boot.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.spring.boot.OneBroker;
import io.ringtable.spring.boot.RingtableConnectionAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Says when the client connects, with which settings, and when it is closed. */
@ExtendWith(OneBroker.class)
@Timeout(120)
class ClientBeanTest {
    private final ApplicationContextRunner empty = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    RingtableConnectionAutoConfiguration.class,
                    RingtableClientAutoConfiguration.class));

    private final ApplicationContextRunner runner =
            empty.withPropertyValues("ringtable.client.uris=" + OneBroker.uri());

    @Test
    void itConnectsWhenSomethingAsksForItAndIsClosedWithTheApplication() {
        List<RingtableClient> clients = new ArrayList<>();
        runner.run(context -> {
            assertThat(context.getBeanFactory().containsSingleton("ringtableClient"))
                    .isFalse();
            clients.add(context.getBean(RingtableClient.class));
            assertThat(clients.get(0).isConnected()).isTrue();
        });
        assertThat(clients.get(0).closed()).isCompleted();
    }

    @Test
    void itsIdKeepsDurableSubscriptionsAndCustomizersHaveTheLastWord() {
        runner.withPropertyValues("ringtable.client.client-id=overruled")
                .withBean(RingtableClientCustomizer.class, () -> builder -> builder.clientId("bean-test"))
                .run(context -> {
                    RingtableClient client = context.getBean(RingtableClient.class);
                    SubscriptionOptions durable = SubscriptionOptions.to(Address.of("topic://sdk-durable"))
                            .durable("kept");
                    client.receiver(durable).close();
                    try (Publisher publisher = client.publisher("topic://sdk-durable")) {
                        publisher.publishAndWait(Message.text("while nobody hears"));
                    }
                    try (Receiver receiver = client.receiver(durable)) {
                        assertThat(receiver.receive(OneBroker.SOON)
                                        .orElseThrow()
                                        .text())
                                .isEqualTo("while nobody hears");
                    }
                });
    }

    @Test
    void whatCannotWorkIsRefusedWithTheCure() {
        refuses("RT-5002", "ringtable.client.uris=amqp://127.0.0.1:1");
        refuses("RT-5001", "ringtable.client.uris=http://127.0.0.1");
        refuses("set ringtable.client.password", "ringtable.client.user=somebody");
        refuses("RT-5001 reconnect longestDelay=PT0.01S < firstDelay", "ringtable.client.reconnect.longest-delay=10ms");
        refuses("RT-5001 in-flight limit of 0 messages", "ringtable.client.in-flight.messages=0");
    }

    @Test
    void aStartThatItEndsSaysWhyInOneLine() {
        empty.withPropertyValues("ringtable.client.uris=amqp://127.0.0.1:1")
                .withInitializer(context -> context.addBeanFactoryPostProcessor(
                        beans -> beans.getBeanDefinition("ringtableClient").setLazyInit(false)))
                .run(context -> assertThat(new RingtableFailureAnalyzer()
                                .analyze(context.getStartupFailure())
                                .getDescription())
                        .startsWith("RT-5002 ")
                        .contains("127.0.0.1:1"));
    }

    private void refuses(String message, String property) {
        empty.withPropertyValues(property)
                .run(context -> assertThatThrownBy(() -> context.getBean(RingtableClient.class))
                        .hasMessageContaining(message));
    }
}
