package io.ringtable.spring.boot.small;

import io.ringtable.spring.RingtableTemplate;
import io.ringtable.spring.annotation.RingtableListener;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;

/** Says hello to itself by JMS and by the SDK, and ends; also from code that Spring generated ahead of time. */
@SpringBootApplication
public class SmallApplication implements CommandLineRunner {
    private final JmsTemplate jms;
    private final RingtableTemplate ringtable;
    private final CountDownLatch heard = new CountDownLatch(2);

    SmallApplication(JmsTemplate jms, RingtableTemplate ringtable) {
        this.jms = jms;
        this.ringtable = ringtable;
    }

    public static void main(String[] args) {
        SpringApplication.run(SmallApplication.class, args).close();
    }

    @JmsListener(destination = "small-jms")
    void jms(String text) {
        System.out.println("jms: " + text);
        heard.countDown();
    }

    @RingtableListener("queue://small-sdk")
    void sdk(Greeting greeting) {
        System.out.println("sdk: " + greeting.text());
        heard.countDown();
    }

    @Override
    public void run(String... args) throws InterruptedException {
        jms.convertAndSend("small-jms", "hello");
        ringtable.convertAndSend("queue://small-sdk", new Greeting("hello"));
        if (!heard.await(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("not all was heard in time");
        }
    }

    /** A body in JSON. */
    record Greeting(String text) {}
}
