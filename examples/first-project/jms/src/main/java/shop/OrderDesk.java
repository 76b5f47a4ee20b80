package shop;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Takes orders: the caller hears of it once the order is on the broker's disk. */
@RestController
public class OrderDesk {
    @Autowired JmsTemplate messages;

    @PostMapping("/orders")
    public void order(@RequestBody String title) {
        messages.convertAndSend("orders", title);
    }
}
