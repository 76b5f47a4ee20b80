package io.ringtable.broker.home.move;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.AddressMove;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;

/**
 * Knows which addresses move, and what their consumers may read meanwhile. The directory has the same moves.
 * <p>
 * Thread: any reads; whoever takes the next step of a move writes.
 */
public final class CurrentMoves {
    private final ConcurrentMap<String, Step> steps = new ConcurrentHashMap<>();

    /**
     * Says how far a move is.
     *
     * @param isOpen whether the next home has the address, and takes its messages
     * @param isNextRead whether all consumers get what the next home has
     * @param isLeft whether consumers get nothing more from the old home, which is empty
     * @param word what the homes of a topic say of what it keeps
     * @param isReceived whether this process has given the topic to its next home, with all its consumers
     * @param emptied the old home's subscriptions, by id, that have nothing ready: their consumers get what the next
     *     home has
     * @param over those of them in memory that have nothing left
     */
    record Step(
            AddressMove move,
            boolean isOpen,
            boolean isNextRead,
            boolean isLeft,
            boolean isReceived,
            RetentionWord word,
            Set<Long> emptied,
            Set<Long> over) {
        static Step begun(AddressMove move) {
            return new Step(
                    move,
                    false,
                    false,
                    false,
                    false,
                    RetentionWord.NONE,
                    ConcurrentHashMap.newKeySet(),
                    ConcurrentHashMap.newKeySet());
        }

        Step open() {
            return new Step(move, true, isNextRead, isLeft, isReceived, word, emptied, over);
        }

        Step nextRead() {
            return new Step(move, isOpen, true, isLeft, isReceived, word, emptied, over);
        }

        Step left(boolean value) {
            return new Step(move, isOpen, isNextRead || value, value, isReceived, word, emptied, over);
        }

        Step says(RetentionWord now) {
            return new Step(move, isOpen, isNextRead, isLeft, isReceived, now, emptied, over);
        }

        Step received() {
            return new Step(move, isOpen, isNextRead, isLeft, true, word, emptied, over);
        }
    }

    /** Returns the move of that address; null if it stays where it is. */
    public AddressMove of(String name) {
        Step step = step(name);
        return step == null ? null : step.move();
    }

    /** Tells whether any address moves. */
    public boolean isAny() {
        return !steps.isEmpty();
    }

    /** Tells whether any old home has more to give than what it keeps for later subscriptions. */
    boolean isAnyOwing() {
        return steps.values().stream().anyMatch(step -> !step.word().onlyKeeps());
    }

    /**
     * Tells whether consumers of the queue get nothing of that shard now. The old home has to be emptied first.
     */
    public boolean isHeldBack(String queue, int shard) {
        Step step = step(queue);
        return step != null
                && (shard == step.move().to() && !step.isNextRead()
                        || shard == step.move().from() && step.isLeft());
    }

    // ---- topics

    /** Tells whether consumers get nothing more from the old home of the topic. */
    public boolean isLeft(String topic) {
        Step step = step(topic);
        return step != null && step.isLeft();
    }

    /** Tells whether consumers of the old home have been attached in the next one, later ones are too. */
    public boolean isReceived(String topic) {
        Step step = step(topic);
        return step != null && step.isReceived();
    }

    /** Hears that. */
    public void received(String topic) {
        steps.computeIfPresent(topic, (name, step) -> step.received());
    }

    /**
     * Tells whether consumers that read nothing in the old home here wait with the next one. They do as long as the old
     * one may have something ready.
     */
    public boolean isNextWaiting(String topic) {
        Step step = step(topic);
        return step != null && !step.isNextRead() && !step.word().onlyKeeps();
    }

    /** Tells whether a consumer waits with what the next home has. @param old its subscription in the old home */
    public boolean isHeldBack(String topic, Subscription old) {
        Step step = step(topic);
        return step != null && !step.isNextRead() && !step.emptied().contains(old.id());
    }

    /** Hears that a subscription in the old home has nothing ready. */
    public void emptied(String topic, Subscription old) {
        Step step = step(topic);
        if (step != null) {
            step.emptied().add(old.id());
        }
    }

    /** Tells whether the old home has nothing left of a subscription that lives in memory. */
    public boolean isOver(String topic, Subscription old) {
        Step step = step(topic);
        return step != null && step.over().contains(old.id());
    }

    /** Hears that. */
    public void over(String topic, Subscription old) {
        Step step = step(topic);
        if (step != null) {
            step.over().add(old.id());
        }
    }

    // ---- for those who take the steps

    Step step(String name) {
        return steps.isEmpty() ? null : steps.get(name); // most of the time nothing moves
    }

    Collection<Step> all() {
        return steps.values();
    }

    void put(Step step) {
        steps.put(step.move().name(), step);
    }

    /** Changes what is known of a move, unless it has ended meanwhile. */
    void update(AddressMove move, UnaryOperator<Step> change) {
        steps.computeIfPresent(move.name(), (name, step) -> step.move().equals(move) ? change.apply(step) : step);
    }

    void remove(String name) {
        steps.remove(name);
    }
}
