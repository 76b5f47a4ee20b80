package io.ringtable.spring.boot.app;

import io.ringtable.client.Message;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.jdbc.TransactionalAcknowledger;
import io.ringtable.client.jdbc.TransactionalPublisher;
import jakarta.persistence.EntityManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Rows and messages in one transaction, as an application writes it. */
@Service
public class Bookings {
    private final EntityManager entities;
    private final TransactionalPublisher publisher;
    private final TransactionalAcknowledger acknowledger;

    Bookings(EntityManager entities, TransactionalPublisher publisher, TransactionalAcknowledger acknowledger) {
        this.entities = entities;
        this.publisher = publisher;
        this.acknowledger = acknowledger;
    }

    /** Stores the booking and tells of it; fails afterwards if it is to. */
    @Transactional
    public void book(String name, String address, boolean fails) {
        entities.persist(new Booking(name));
        publisher.publish(address, Message.json(new Booked(name)));
        if (fails) {
            throw new IllegalStateException("as the test asks");
        }
    }

    /** Takes the message and stores it; fails afterwards on the first deliveries. */
    @Transactional
    public void take(ReceivedMessage message, int failures) {
        acknowledger.acknowledge(message);
        entities.persist(new Booking(message.text()));
        entities.flush();
        if (message.deliveryCount() <= failures) {
            throw new IllegalStateException("as the test asks");
        }
    }

    @Transactional(readOnly = true)
    public long count(String name) {
        return entities.createQuery("select count(b) from Booking b where b.name = :name", Long.class)
                .setParameter("name", name)
                .getSingleResult();
    }

    @Transactional(readOnly = true)
    public long owed(String queue) {
        return ((Number) entities.createNativeQuery("SELECT count(*) FROM ringtable.owed WHERE address = :name")
                        .setParameter("name", queue)
                        .getSingleResult())
                .longValue();
    }

    /** The body that subscribers read, in the form that the application's Jackson gives it. */
    public record Booked(String bookingName) {}
}
