package io.ringtable.examples.orders;

import io.ringtable.spring.RingtableOperations;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Takes orders: the row and the message come together, or neither does. */
@RestController
public class OrderDesk {
    private static final int TITLE_MAX = 100;

    private final BookOrders orders;
    private final RingtableOperations ringtable;

    public OrderDesk(BookOrders orders, RingtableOperations ringtable) {
        this.orders = orders;
        this.ringtable = ringtable;
    }

    /** Takes an order, and answers its number. */
    @PostMapping("/orders")
    @Transactional
    public Long order(@RequestBody String title) {
        BookOrder order = orders.save(new BookOrder(title));
        ringtable.convertAndSendInTransaction("queue://orders", order.getId());
        if (title.length() > TITLE_MAX) { // late on purpose: row and message are there already, and both go
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "no book has such a title");
        }
        return order.getId();
    }
}
