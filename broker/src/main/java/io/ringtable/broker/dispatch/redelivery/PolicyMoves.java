package io.ringtable.broker.dispatch.redelivery;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.dispatch.subscription.Subscriptions;
import io.ringtable.broker.message.Refusal;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves a message from its subscription to the queue that its policy names: of dead letters, or of expired messages. A
 * message that cannot be moved stays, and rests a while.
 * <p>
 * Thread: dispatcher.
 */
public final class PolicyMoves {
    private static final Logger LOG = LoggerFactory.getLogger(PolicyMoves.class);

    private final DeadLetters deadLetters;
    private final Subscriptions subscriptions;
    private final ServiceQueue serviceQueue;
    private final MoveBackOff moveBackOff;
    private final Executor dispatcher;

    /** @param dispatcher runs what the committer answers on the dispatcher's thread */
    public PolicyMoves(
            DeadLetters deadLetters,
            Subscriptions subscriptions,
            ServiceQueue serviceQueue,
            MoveBackOff moveBackOff,
            Executor dispatcher) {
        this.deadLetters = deadLetters;
        this.subscriptions = subscriptions;
        this.serviceQueue = serviceQueue;
        this.moveBackOff = moveBackOff;
        this.dispatcher = dispatcher;
    }

    /**
     * Returns whether one more message of the subscription may begin to move. Otherwise many are on their way, whose
     * letters are in memory; when one of them has ended, the subscription is served again.
     */
    public static boolean mayMove(SubscriptionState state) {
        return state.moves().mayBegin();
    }

    /** Returns whether the policy names a queue other than the delivery's own: what dies there stays there. */
    public static boolean isElsewhere(String queue, Delivery delivery) {
        return !queue.isEmpty() && !delivery.subscription().address().name().equals(queue);
    }

    /**
     * Moves a message to another queue.
     *
     * @param moved called when the move is durable
     * @param kept called if the message cannot be moved, with the end of its rest in ms since the epoch
     */
    public void move(
            Delivery last, String queue, String reason, Runnable moved, BiConsumer<SubscriptionState, Long> kept) {
        SubscriptionState state = subscriptions.find(last.subscription());
        if (state == null) {
            return; // unsubscribed meanwhile: nothing owes it
        }
        state.owed().leaves(last.sequence());
        state.moves().begin(last.message().bytes());
        deadLetters.move(
                queue,
                last,
                last.subscription().isStored() ? last.settlement() : null,
                reason,
                refusal -> dispatcher.execute(() -> moved(last, reason, refusal, moved, kept)));
    }

    private void moved(
            Delivery last, String reason, Refusal refusal, Runnable moved, BiConsumer<SubscriptionState, Long> kept) {
        SubscriptionState state = subscriptions.find(last.subscription());
        if (state != null) {
            state.moves().end(last.message().bytes());
        }
        if (refusal == null) {
            moved.run();
            moveBackOff.over(last.subscription().address());
            if (state != null) {
                state.isOver(last.sequence());
                serviceQueue.add(state);
            }
            return;
        }
        LOG.debug("{} keeps message {} ({}): {}", last.subscription(), last.sequence(), reason, refusal);
        if (state != null) {
            state.owed().hasLeft(last.sequence());
            kept.accept(state, moveBackOff.restUntil(last.subscription().address(), refusal.toString()));
            serviceQueue.add(state);
        }
    }
}
