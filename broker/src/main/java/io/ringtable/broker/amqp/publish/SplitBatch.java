package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.Conditions;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Gathers what becomes of a batch whose messages go to several parts of a queue, each part's as a work of its own. The
 * transfer has one outcome, once all have theirs: it is accepted if all messages are durable.
 * <p>
 * Thread: the connection's event loop.
 */
final class SplitBatch {
    private final int messages;
    private int without; // publications that have no outcome yet
    private int accepted; // messages
    private ErrorCondition refusal; // the first; null = none

    SplitBatch(int publications, int messages) {
        this.without = publications;
        this.messages = messages;
    }

    /**
     * Hears what became of one part's messages.
     *
     * @param condition null if they are accepted
     * @return whether it was the last
     */
    boolean ended(int count, ErrorCondition condition) {
        if (condition == null) {
            accepted += count;
        } else if (refusal == null) {
            refusal = condition;
        }
        return --without == 0;
    }

    /** Returns why the batch is refused, and how much of it is stored nevertheless; null if all of it is accepted. */
    ErrorCondition refusal() {
        return refusal == null || accepted == 0
                ? refusal
                : Conditions.of(
                        refusal.getCondition(),
                        refusal.getDescription() + "; " + accepted + " of the " + messages
                                + " messages of its batch are stored, in other parts of the queue");
    }
}
