package shop;

import io.ringtable.spring.RingtableOperations;
import jakarta.persistence.EntityManager;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Takes orders: the row and the message come together, or neither does. */
@RestController
public class OrderDesk {
    @Autowired EntityManager rows;
    @Autowired RingtableOperations messages;

    @PostMapping("/orders")
    @Transactional
    public Long order(@RequestBody String title) {
        BookOrder order = new BookOrder(title);
        rows.persist(order);
        messages.convertAndSendInTransaction("queue://orders", order.id);
        return order.id;
    }
}
