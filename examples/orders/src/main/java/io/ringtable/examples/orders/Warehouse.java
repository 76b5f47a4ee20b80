package io.ringtable.examples.orders;

import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.AckMode;
import org.springframework.stereotype.Component;

/** Ships orders: the shipment and the acknowledgement are one transaction, so no order is shipped twice. */
@Component
public class Warehouse {
    private final BookOrders orders;

    public Warehouse(BookOrders orders) {
        this.orders = orders;
    }

    @RingtableListener(value = "queue://orders", ackMode = AckMode.TRANSACTIONAL)
    void ship(Long id) {
        orders.findById(id).orElseThrow().ship();
    }
}
