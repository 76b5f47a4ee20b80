package io.ringtable.spring.example;

import io.ringtable.client.RingtableClient;
import io.ringtable.spring.RingtableTemplate;
import io.ringtable.spring.annotation.EnableRingtable;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.RingtableListenerContainerFactory;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.SendTo;

@Configuration
@EnableRingtable
public class Shop {

    public record Order(String item, int count) {}

    public record Invoice(String item, int cents) {}

    @Bean
    RingtableClient ringtableClient(@Value("${broker:amqp://localhost:5672}") String uri) {
        return RingtableClient.connect(uri);
    }

    @Bean
    RingtableTemplate ringtableTemplate(RingtableClient client) {
        return new RingtableTemplate(client);
    }

    @Bean
    RingtableListenerContainerFactory ringtableListenerContainerFactory(
            RingtableClient client, RingtableTemplate template) {
        RingtableListenerContainerFactory factory = new RingtableListenerContainerFactory(client);
        factory.setReplyTemplate(template);
        return factory;
    }

    @RingtableListener(addresses = "queue://orders", concurrency = "1-4")
    @SendTo("queue://invoices")
    public Invoice bill(Order order) {
        return new Invoice(order.item(), order.count() * 999);
    }

    public static void main(String[] args) {
        try (var context = new AnnotationConfigApplicationContext(Shop.class)) {
            RingtableTemplate template = context.getBean(RingtableTemplate.class);
            template.convertAndSend("queue://orders", new Order("book", 2));
            System.out.println(template.receiveAndConvert("queue://invoices", Invoice.class, Duration.ofSeconds(5)));
        }
    }
}
