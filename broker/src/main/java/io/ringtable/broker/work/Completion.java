package io.ringtable.broker.work;

import io.ringtable.broker.message.Refusal;

/**
 * Who waits for a piece of work to become durable. Exactly one of the two is called, once.
 * <p>
 * Thread: the committer's, after the dispatcher was handed the messages of the same flush. Implementations put the outcome
 * into their connection's mailbox and return; they never block. The caller wakes {@link #mailbox()} once for all
 * outcomes of a flush.
 */
public interface Completion {

    /** Durable, with everything else of its work. */
    void accepted();

    /** Nothing of its work is durable. */
    void refused(Refusal refusal);

    Mailbox mailbox();
}
