package io.ringtable.spring.boot.app;

import static io.ringtable.spring.boot.OneBroker.SOON;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.support.JmsMessageHeaderAccessor;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.stereotype.Component;

/** Listeners of every kind that the documents name, each without a container factory of its own. */
@Component
public class JmsListeners {
    /** Makes {@link #fallible} fail on the first delivery. */
    public static final String FAIL_ONCE = "fail once";

    private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> fallible = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> topic = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> shared = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> threads = new LinkedBlockingQueue<>();
    private final JmsTemplate template;

    JmsListeners(JmsTemplate template) {
        this.template = template;
    }

    @JmsListener(destination = "jms-orders")
    void orders(String text) {
        queue.add(text);
    }

    @JmsListener(destination = "queue://jms-fallible")
    void fallible(String text, JmsMessageHeaderAccessor headers) {
        Object attempt = headers.getHeader("JMSXDeliveryCount");
        fallible.add(text + " " + attempt);
        if (text.equals(FAIL_ONCE) && Integer.valueOf(1).equals(attempt)) {
            throw new IllegalStateException("as the test asks");
        }
    }

    /** Sends by the template before it fails, on the first delivery. */
    @JmsListener(destination = "jms-forward")
    void forward(String text, JmsMessageHeaderAccessor headers) {
        Object attempt = headers.getHeader("JMSXDeliveryCount");
        template.convertAndSend("jms-forwarded", text + " " + attempt);
        if (Integer.valueOf(1).equals(attempt)) {
            throw new IllegalStateException("as the test asks");
        }
    }

    @JmsListener(destination = "jms-requests")
    @SendTo("topic://jms-news")
    String request(String text) {
        return "news of " + text;
    }

    @JmsListener(id = "news", destination = "topic://jms-news")
    void news(String text) {
        topic.add(text);
    }

    @JmsListener(id = "courier-1", destination = "topic://jms-parcels", subscription = "couriers")
    void courier1(String text) {
        shared.add(text);
    }

    @JmsListener(id = "courier-2", destination = "topic://jms-parcels", subscription = "couriers")
    void courier2(String text) {
        shared.add(text);
    }

    @JmsListener(id = "threads", destination = "topic://jms-threads", concurrency = "2-2")
    void threads(String text) {
        threads.add(text);
    }

    public String nextOfQueue() throws InterruptedException {
        return next(queue);
    }

    public String nextFallible() throws InterruptedException {
        return next(fallible);
    }

    public String nextOfTopic() throws InterruptedException {
        return next(topic);
    }

    public String nextShared() throws InterruptedException {
        return next(shared);
    }

    public String nextOfThreads() throws InterruptedException {
        return next(threads);
    }

    private static String next(BlockingQueue<String> texts) throws InterruptedException {
        return texts.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
    }
}
