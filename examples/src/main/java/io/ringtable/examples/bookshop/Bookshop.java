package io.ringtable.examples.bookshop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the bookshop, which ends when all orders are delivered. */
@SpringBootApplication
public class Bookshop {
    public static void main(String[] args) {
        System.exit(SpringApplication.exit(SpringApplication.run(Bookshop.class, args)));
    }
}
