package shop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jms.annotation.JmsListener;

/** Ships orders. */
@SpringBootApplication
public class Warehouse {
    final List<String> shipped = new CopyOnWriteArrayList<>();

    @JmsListener(destination = "orders")
    void ship(String title) {
        shipped.add(title);
        System.out.println("shipped " + title);
    }

    public static void main(String[] args) {
        SpringApplication.run(Warehouse.class, args);
    }
}
