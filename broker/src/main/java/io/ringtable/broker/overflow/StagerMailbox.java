package io.ringtable.broker.overflow;

import io.ringtable.broker.message.Refusal;
import java.util.List;
import java.util.function.Consumer;

/**
 * Takes large bodies before their work is submitted. Thread: any; every call is queued for the stager's thread.
 */
public interface StagerMailbox {

    /**
     * Stores a large body before its work is submitted.
     *
     * @param done called with null, or with why it failed, on the stager's thread
     */
    void stage(long bodyId, byte[] body, Consumer<Refusal> done);

    /** Lets go of body ids, stored or not, whose work will not be submitted. */
    void abandon(List<Long> bodyIds);
}
