package io.ringtable.broker.dispatch.consumer;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.work.Completion;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Takes to the dispatcher what consumers say: that they come and go, their credit, and what becomes of their
 * deliveries.
 * <p>
 * Thread: any, but all calls for one consumer come from one thread (its event loop) and are obeyed in order. No method
 * blocks. Callers name a delivery by the {@link Delivery} object that they were given.
 */
public interface DispatcherMailbox {

    /**
     * Begins to read a subscription, with no credit. Refusals (in use, deleted) come as {@link Consumer#ended}.
     *
     * @param consumer competes with the others of the subscription, in rounds
     */
    void attach(Consumer consumer, Subscription subscription);

    /**
     * Shows the consumer what is ready now, in order, and takes nothing. The browser has no credit to begin with, and
     * its deliveries need no outcome. A refusal (deleted) comes as {@link Consumer#ended}; {@link #detach} ends the
     * browser.
     */
    void browse(Consumer consumer, Subscription subscription);

    /**
     * Sets how far the consumer may be served.
     *
     * @param limit total number of deliveries allowed since attach: AMQP's delivery-count + link-credit, as a long, so
     *     that credit and deliveries may cross on the way
     * @param drain deliver what is ready, then answer {@link Consumer#drained}
     */
    void credit(Consumer consumer, long limit, boolean drain);

    /**
     * Takes all credit back, of a consumer that does not browse. It gives back all deliveries that it was handed and
     * has not written. Nothing is to overtake them, so it asks for credit again only after {@link Consumer#recalled}. A
     * drain without an answer gets none.
     */
    void recall(Consumer consumer);

    /** Settles a delivery as accepted. The {@code completion} (may be null) hears when the settlement is durable. */
    void accepted(Consumer consumer, Delivery delivery, Completion completion);

    /**
     * Takes a delivery that the consumer accepts inside a transaction; answers at once. Until the transaction ends no
     * consumer gets the delivery, even if this one goes.
     *
     * @return null if the consumer has it no more: the delivery went back when the consumer ended
     */
    Enlisted enlist(Consumer consumer, Delivery delivery);

    /** Ends a delivery whose transaction is durable, and its settlement with it. */
    void committed(Enlisted enlisted);

    /**
     * Returns a delivery to its place, flagged, as its transaction was rolled back.
     *
     * @param failed counts, as in {@link #modified}; false if the client is gone and did not say so
     */
    void rolledBack(Enlisted enlisted, boolean failed);

    /** Returns a delivery to its place, uncounted (AMQP 1.0 section 3.4.4). */
    void released(Consumer consumer, Delivery delivery);

    /**
     * Returns a delivery to its place (AMQP 1.0 section 3.4.5).
     *
     * @param failed counts; at the configured number of failures the message moves to the dead-letter queue
     * @param notHere never to this consumer again
     */
    void modified(Consumer consumer, Delivery delivery, boolean failed, boolean notHere);

    /** Moves a delivery to the dead-letter queue at once, with the consumer's reason (may be null). */
    void rejected(Consumer consumer, Delivery delivery, String reason);

    /**
     * Ends a consumer. All its unsettled deliveries go back to their places, uncounted, also those that were still on
     * their way. Outcomes that the caller reports later have no effect.
     *
     * @param unsettled deliveries that the client may have seen, and has not settled
     * @param lost whether the connection is gone: then what the client may have seen is flagged when it comes again
     */
    void detach(Consumer consumer, List<Delivery> unsettled, boolean lost);

    /**
     * Counts the messages of the subscription that wait for their time, unless others are ready, delivered or on their
     * way to another queue. Messages that nobody has read from the store count as ready. Completes on the dispatcher's
     * thread.
     *
     * @return -1 if there are others, also of a volatile subscription whose topic has messages to be given out. The
     *     dispatcher may not have heard yet of what is owed; of a closed address it has
     */
    CompletionStage<Long> owedForLaterOnly(Subscription subscription);

    /**
     * Tells whether the consumer that speaks through this reads from the shard of that number as well, beside that of
     * its own subscription.
     */
    default boolean reads(int shard) {
        return false;
    }
}
