package io.ringtable.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;

/** A Spring Boot application against the broker of its test. */
@SpringBootTest(properties = "ringtable.client.uris=amqp://nowhere.invalid:1")
@AutoConfigureRingtable(properties = "ringtable.dispatch.deliveries-max=1")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AutoConfigureRingtableTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {
        @Bean
        Warehouse warehouse() {
            return new Warehouse();
        }
    }

    static class Warehouse {
        @JmsListener(destination = "queue://orders")
        void send(String title) {
            if (title.isEmpty()) {
                throw new IllegalArgumentException("an order names a book");
            }
        }
    }

    @Autowired
    private TestBroker bean;

    @Autowired
    private JmsTemplate jms;

    @BeforeEach
    void startsWithoutMessages(TestBroker broker) {
        assertThat(broker.url()).isEqualTo(bean.url());
        assertThat(broker.published("queue://orders")).isEmpty();
        assertThat(broker.published("queue://invoices")).isEmpty();
        broker.awaitEmpty("queue://orders"); // its listener keeps it
    }

    @Test
    @Order(1)
    void theApplicationUsesTheBrokerOfTheTest(TestBroker broker, URI url) {
        jms.convertAndSend("queue://orders", "one book");
        jms.convertAndSend("queue://invoices", "nobody reads this");

        broker.awaitConsumed("queue://orders", 1);
        assertThat(broker.awaitPublished("queue://orders").text()).isEqualTo("one book");
        assertThat(url).isEqualTo(bean.url());
    }

    @Test
    @Order(2)
    void theNextTestFindsTheListenerAndNoMessages(@Autowired TestBroker broker) {
        broker.awaitEmpty("queue://invoices"); // emptied, as the application's cached publisher keeps it
        jms.convertAndSend("queue://orders", "another book");

        broker.awaitConsumed("queue://orders", 1);
    }

    @Test
    @Order(3)
    void takesThePropertiesOfTheAnnotation(TestBroker broker) {
        jms.convertAndSend("queue://orders", "");

        DeadLetter letter = broker.awaitDeadLetter("queue://orders");

        assertThat(letter.message().text()).isEmpty();
        assertThat(List.of(letter.from(), letter.deliveries())).containsExactly("orders", 1);
    }
}
