package io.ringtable.cli.run;

import io.ringtable.client.Address;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.Subscription;
import io.ringtable.client.SubscriptionOptions;
import java.util.concurrent.CountDownLatch;

/**
 * Counts the messages of one durable subscriber of the demonstration, and checks their order.
 * <p>
 * Thread: the subscription's handler thread counts; others read after {@link #done} or for display.
 */
final class DemoSubscriber implements AutoCloseable {
    private final String name;
    private final RingtableClient client;
    private final Subscription subscription;
    private final CountDownLatch done = new CountDownLatch(1);
    private final int expected;
    private volatile int received; // written by the handler's thread, read by the display
    private volatile long lastNanos;
    private boolean inOrder = true;
    private int previous = -1;

    DemoSubscriber(String url, Address topic, String name, int expected) {
        this.name = name;
        this.expected = expected;
        client = RingtableClient.builder()
                .uri(url)
                .clientId("ringtable-demo-" + name)
                .name("demo-" + name)
                .connect();
        subscription = client.subscribe(SubscriptionOptions.to(topic).durable(name), this::onMessage);
    }

    private void onMessage(ReceivedMessage message) {
        int number = (Integer) message.property(DemoCommand.ROW);
        inOrder &= number > previous || message.isRedelivered();
        previous = number;
        lastNanos = System.nanoTime();
        received = received + 1;
        if (received == expected) {
            done.countDown();
        }
    }

    String name() {
        return name;
    }

    int received() {
        return received;
    }

    boolean isInOrder() {
        return inOrder;
    }

    CountDownLatch done() {
        return done;
    }

    /** Returns the messages per second from the given instant to the last message. */
    double ratePerSecond(long beganNanos) {
        return received / Math.max((lastNanos - beganNanos) / 1e9, 1e-9);
    }

    /** Leaves nothing behind: deletes the durable subscription. */
    @Override
    public void close() {
        subscription.close();
        client.unsubscribe(name);
        client.close();
    }
}
