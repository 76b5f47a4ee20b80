package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.dispatch.consumer.Delivery;
import java.util.List;

/** A consumer of a subscription, as what the subscription owes has to know it. Thread: dispatcher. */
public interface Recipient {

    /**
     * Whether the message is for this consumer, whatever its credit.
     *
     * @param slice of which the question takes its part
     */
    boolean mayHave(Ready ready, Slice slice);

    /** Whether it could take a message now. */
    boolean hasCredit();

    /** Everything that it was given and is not done with, in order. */
    List<Delivery> unsettled();
}
