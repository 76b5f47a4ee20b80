package io.ringtable.examples.bookshop;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.stereotype.Component;

/**
 * Packs orders, on two or three threads that compete for the queue. An order and its parcel are one transaction: if
 * packing fails, there is no parcel, and the order comes again.
 */
@Component
class Warehouse {
    @JmsListener(destination = "orders", containerFactory = "packers", concurrency = "2-3")
    @SendTo("topic://parcels")
    String pack(@Payload String title, Message order) throws JMSException {
        int attempt = order.getIntProperty("JMSXDeliveryCount");
        if (title.contains("glass") && attempt == 1) {
            throw new IllegalStateException(title + " fell");
        }
        System.out.println("warehouse: packed " + title + (attempt == 1 ? "" : ", attempt " + attempt));
        return title;
    }
}
