package io.ringtable.spring.boot.app;

import static io.ringtable.spring.boot.OneBroker.SOON;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.AckMode;
import jakarta.persistence.EntityManager;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.stereotype.Component;
import org.springframework.validation.annotation.Validated;

/** Listeners of the SDK, each an annotated method and nothing else. */
@Component
public class SdkListeners {
    private final EntityManager entities;
    private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();

    SdkListeners(EntityManager entities) {
        this.entities = entities;
    }

    @RingtableListener("queue://sdk-orders")
    @SendTo("queue://sdk-confirmed")
    Order order(Order order) {
        heard.add(order);
        return new Order(order.articleName(), order.count() + 1);
    }

    @RingtableListener("queue://sdk-checked")
    void checked(@Valid @Payload Order order) {
        heard.add(order);
    }

    /** Fails on the first delivery, after it has stored. */
    @RingtableListener(addresses = "queue://sdk-transactional", ackMode = AckMode.TRANSACTIONAL)
    void transactional(Order order, ReceivedMessage message) {
        entities.persist(new Booking(order.articleName()));
        if (message.deliveryCount() == 1) {
            throw new IllegalStateException("as the test asks");
        }
    }

    public Object next() throws InterruptedException {
        return heard.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** An order in the form that the application's Jackson gives it. */
    @Validated
    public record Order(@NotBlank String articleName, int count) {}
}
