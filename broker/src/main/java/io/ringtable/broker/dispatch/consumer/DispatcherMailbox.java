package io.ringtable.broker.dispatch.consumer;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.work.Completion;
import java.util.List;

/**
 * The door to the dispatcher: consumers, their credit, and what becomes of their deliveries.
 * <p>
 * Thread: any, but all calls for one consumer come from one thread (its event loop) and are obeyed in order. Nothing
 * here blocks. What was delivered is named back by the very {@link Delivery} object.
 */
public interface DispatcherMailbox {

    /**
     * Begins to read a subscription, with no credit. Refusals (in use, deleted) come as {@link Consumer#ended}.
     *
     * @param consumer competes with the others of the subscription, in rounds
     */
    void attach(Consumer consumer, Subscription subscription);

    /**
     * Shows the consumer what is ready now, in order, and takes nothing; with no credit to begin with. A delivery of it
     * needs no outcome. Refusals (deleted) come as {@link Consumer#ended}; {@link #detach} ends it.
     */
    void browse(Consumer consumer, Subscription subscription);

    /**
     * Sets how far the consumer may be served.
     *
     * @param limit total number of deliveries allowed since attach: AMQP's delivery-count + link-credit, widened to a
     *     long, so that credit and deliveries may cross on the way
     * @param drain deliver what is ready, then answer {@link Consumer#drained}
     */
    void credit(Consumer consumer, long limit, boolean drain);

    /** Settled as accepted; {@code completion} (may be null) hears when that is durable. */
    void accepted(Consumer consumer, Delivery delivery, Completion completion);

    /**
     * Takes a delivery that the consumer accepts inside a transaction; answers at once. It stays away from every
     * consumer, also when this one ends, until the transaction does.
     *
     * @return null if it is the consumer's no more: it went back when its consumer ended
     */
    Enlisted enlist(Consumer consumer, Delivery delivery);

    /** Its transaction is durable, and so is its settlement. */
    void committed(Enlisted enlisted);

    /**
     * Its transaction was rolled back: goes back to its place, flagged.
     *
     * @param failed counts, as in {@link #modified}; false if the client is gone and did not say so
     */
    void rolledBack(Enlisted enlisted, boolean failed);

    /** Goes back to its place, uncounted (AMQP 1.0 section 3.4.4). */
    void released(Consumer consumer, Delivery delivery);

    /**
     * Goes back to its place (AMQP 1.0 section 3.4.5).
     *
     * @param failed counts; at the configured number of failures it moves to the dead-letter queue
     * @param notHere never to this consumer again
     */
    void modified(Consumer consumer, Delivery delivery, boolean failed, boolean notHere);

    /** Moves to the dead-letter queue at once, with the consumer's reason (may be null). */
    void rejected(Consumer consumer, Delivery delivery, String reason);

    /**
     * Ends a consumer. Whatever it was given and has not settled goes back to its place, uncounted, also what was still
     * on its way to it; nothing that is said of a delivery after this counts.
     *
     * @param unsettled deliveries it had and did not settle: those that the client may have seen
     * @param lost the connection is gone: what the client may have seen is flagged when it comes again
     */
    void detach(Consumer consumer, List<Delivery> unsettled, boolean lost);
}
