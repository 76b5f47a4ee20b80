package io.ringtable.acceptance.freeze;

import io.ringtable.acceptance.harness.BrokerProcess;
import java.io.UncheckedIOException;

/**
 * Attaches a publisher to a topic without subscriptions, at the active node. While that node is frozen, the other node
 * makes a durable subscription. Only then messages go into the frozen node's socket: each accepted one is owed.
 */
final class LateSubscription implements Trap {
    private static final int CREDIT = 1_000;

    private final Account account;
    private final String topic;
    private final int messages;
    private final RawPublisher publisher;
    private RawReceiver subscriber; // null until it is sprung
    private int tries;

    LateSubscription(BrokerProcess active, Account account, String name, int messages) {
        this.account = account;
        this.topic = "late-" + name;
        this.messages = messages;
        this.publisher = RawPublisher.to(active.amqpPort(), account, "topic", topic, "publisher-of-" + topic);
    }

    @Override
    public void spring(BrokerProcess serving) {
        subscriber = subscribe(serving);
        try {
            for (int i = 0; i < messages; i++) {
                publisher.send(topic + "/" + i);
            }
        } catch (UncheckedIOException ended) {
            // A node that runs, cut off from its database, may have closed the connection already: it says nothing
            // then.
        }
    }

    private RawReceiver subscribe(BrokerProcess serving) {
        return RawReceiver.ofTopic(serving.amqpPort(), account, topic, "reader-of-" + topic, CREDIT);
    }

    @Override
    public void hearOut() {
        Patience.until(
                "the end of the late publisher's connection", publisher::isEnded, () -> publisher.read(Patience.TICK));
    }

    /** Reads up to a message that was sent after everything else. */
    @Override
    public void settle(BrokerProcess serving) {
        if (subscriber == null) {
            return;
        }
        if (subscriber.isEnded()) { // its node was replaced meanwhile
            subscriber.close();
            subscriber = subscribe(serving);
        }
        String last = topic + "/last-" + tries++;
        RawPublisher.sendLast(serving.amqpPort(), account, "topic", topic, last);
        subscriber.takeUpTo(last);
    }

    int accepted() {
        return publisher.accepted();
    }

    @Override
    public void close() {
        publisher.close();
        if (subscriber != null) {
            subscriber.close();
        }
    }
}
