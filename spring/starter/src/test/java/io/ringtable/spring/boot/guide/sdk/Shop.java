package io.ringtable.spring.boot.guide.sdk;

import io.ringtable.spring.RingtableTemplate;
import io.ringtable.spring.annotation.RingtableListener;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
public class Shop {
    record Order(String article, int copies) {}

    @RingtableListener("queue://orders")
    void ship(Order order) {
        System.out.println("shipping " + order);
    }

    @Bean
    CommandLineRunner order(RingtableTemplate ringtable) {
        return args -> ringtable.convertAndSend("queue://orders", new Order("an atlas", 2));
    }

    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }
}
