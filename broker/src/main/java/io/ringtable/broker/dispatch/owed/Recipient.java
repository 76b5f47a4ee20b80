package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.dispatch.consumer.Delivery;
import java.util.List;

/** Shows a consumer to what its subscription owes. Thread: dispatcher. */
public interface Recipient {

    /**
     * Returns whether the message is for this consumer, whatever its credit.
     *
     * @param slice counts the steps that the answer takes
     */
    boolean mayHave(Ready ready, Slice slice);

    /** Returns whether the consumer could take a message now. */
    boolean hasCredit();

    /** Returns the deliveries that the consumer has not settled, in order. */
    List<Delivery> unsettled();
}
