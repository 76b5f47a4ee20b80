package io.ringtable.examples.bookshop;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.stereotype.Component;

/** Asks for a price, orders, waits for the deliveries, and then for the reminder that it put off. */
@Component
class OrderDesk implements ApplicationRunner {
    private static final List<String> BOOKS =
            List.of("an atlas", "a cookbook", "a dictionary", "a glass paperweight", "a novel", "poems");

    static final Duration LATER = Duration.ofSeconds(3);

    private final JmsTemplate jms;
    private final JmsTemplate later;
    private final Couriers couriers;
    private final Reminders reminders;

    OrderDesk(JmsTemplate jms, ConnectionFactory connections, Couriers couriers, Reminders reminders) {
        this.jms = jms;
        this.later = new JmsTemplate(connections);
        this.later.setDeliveryDelay(LATER.toMillis());
        this.couriers = couriers;
        this.reminders = reminders;
    }

    @Override
    public void run(ApplicationArguments arguments) throws Exception {
        subscribe();
        System.out.println("order desk: an atlas costs " + priceOf("an atlas"));
        later.convertAndSend("reminders", "how is the atlas?");
        System.out.println("order desk: in " + LATER.toSeconds() + " seconds, ask how the atlas is");
        BOOKS.forEach(book -> jms.convertAndSend("orders", book));
        System.out.println("order desk: " + BOOKS.size() + " articles are ordered");
        couriers.awaitDelivery(BOOKS.size());
        System.out.println("order desk: all " + BOOKS.size() + " are delivered");
        reminders.awaitReminder();
    }

    /** Creates the subscription first: listeners begin in the background, and would miss earlier parcels. */
    private void subscribe() {
        jms.execute(session -> {
            session.createSharedDurableConsumer(session.createTopic("parcels"), "couriers")
                    .close();
            return null;
        });
    }

    /** Requests a price and waits for the reply, over a temporary queue. */
    private String priceOf(String title) throws JMSException {
        Message reply = jms.sendAndReceive("catalogue", session -> session.createTextMessage(title));
        if (reply == null) {
            throw new IllegalStateException("no price came in time");
        }
        return reply.getBody(String.class);
    }
}
