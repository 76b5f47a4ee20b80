package io.ringtable.broker.overflow;

import io.ringtable.broker.message.Refusal;
import java.util.List;
import java.util.function.Consumer;

/**
 * Takes large bodies before their work is submitted.
 * <p>
 * Thread: any; every call is queued for the stager's thread.
 */
public interface StagerMailbox {

    /**
     * Stores a large body before its work is submitted.
     *
     * @param done called on the stager's thread, with null or with the reason of the failure
     */
    void stage(long bodyId, byte[] body, Consumer<Refusal> done);

    /** Gives up body ids, stored or not, whose work will not be submitted. */
    void abandon(List<Long> bodyIds);
}
