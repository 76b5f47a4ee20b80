package io.ringtable.broker.dispatch.consumer;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Mailbox;

/**
 * Receives from a subscription, for a link.
 * <p>
 * Thread: the dispatcher calls; implementations put the event into their connection's mailbox and return. The
 * dispatcher wakes {@link #mailbox()} once for all events of a pass.
 */
public interface Consumer {

    /** Returns the messages that it wants of a queue, the same at every call; null = every message. */
    Selector selector();

    /** Decides about single messages of a subscription. Thread: dispatcher; an answer changes from yes to no only. */
    @FunctionalInterface
    interface Choice {
        boolean mayHave(Message message, long sequence);
    }

    /** Returns what decides instead of a selector, the same at every call; null = the selector does. */
    default Choice choice() {
        return null;
    }

    /** Takes a delivery within the credit given; the link sends deliveries in the order of the calls. */
    void deliver(Delivery delivery);

    /**
     * Answers a drain, after every ready message has been delivered. The unused credit up to {@code limit} is void.
     */
    void drained(long limit);

    /**
     * Answers {@link DispatcherMailbox#recall}, which not every consumer asks for, behind every delivery of the credit
     * that was taken back.
     */
    default void recalled() {}

    /** Hears that the broker has detached the consumer; no call follows. */
    void ended(Refusal refusal);

    Mailbox mailbox();

    /** Names the consumer for people: its link, its connection. Thread: any. */
    default String description() {
        return "a consumer";
    }
}
