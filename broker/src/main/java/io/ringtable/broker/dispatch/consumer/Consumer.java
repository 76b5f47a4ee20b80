package io.ringtable.broker.dispatch.consumer;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Mailbox;

/**
 * A link that receives from a subscription.
 * <p>
 * Thread: the dispatcher calls; implementations put the event into their connection's mailbox and return. The
 * dispatcher wakes {@link #mailbox()} once for all events of a pass.
 */
public interface Consumer {

    /** What it wants of a queue, the same at every call; null = every message. */
    Selector selector();

    /** Within the credit given; in order of calls. */
    void deliver(Delivery delivery);

    /**
     * Answers a drain: everything that was ready has been delivered; the credit up to {@code limit} that was not used
     * is void.
     */
    void drained(long limit);

    /** The consumer is detached by the broker; nothing more is called. */
    void ended(Refusal refusal);

    Mailbox mailbox();
}
