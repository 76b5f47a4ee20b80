package shop;

import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.AckMode;
import jakarta.persistence.EntityManager;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Ships orders: the shipment and the acknowledgement are one transaction. */
@SpringBootApplication
public class Warehouse {
    @Autowired EntityManager rows;

    @RingtableListener(value = "queue://orders", ackMode = AckMode.TRANSACTIONAL)
    void ship(Long id) {
        rows.find(BookOrder.class, id).shipped++;
    }

    public static void main(String[] args) {
        SpringApplication.run(Warehouse.class, args);
    }
}
