package io.ringtable.spring.boot.guide.jms;

import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;

@SpringBootApplication
public class Shop {
    @JmsListener(destination = "orders")
    void ship(String article) {
        System.out.println("shipping " + article);
    }

    @Bean
    CommandLineRunner order(JmsTemplate jms) {
        return args -> jms.convertAndSend("orders", "an atlas");
    }

    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }
}
