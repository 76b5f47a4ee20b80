package io.ringtable.broker.work;

import io.ringtable.broker.message.Refusal;

/**
 * Hears the outcome of a piece of work: the committer calls exactly one of the two methods, once.
 * <p>
 * Thread: committer, after the dispatcher got the messages of the same flush. Implementations put the outcome into
 * their connection's mailbox and return; they never block. The committer wakes {@link #mailbox()} once for all outcomes
 * of a flush.
 */
public interface Completion {

    /** Hears that the work is durable, all of it. */
    void accepted();

    /** Hears that nothing of the work is durable. */
    void refused(Refusal refusal);

    Mailbox mailbox();
}
