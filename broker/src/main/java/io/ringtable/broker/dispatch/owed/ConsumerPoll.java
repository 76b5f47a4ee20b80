package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.agent.Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks every consumer whether it may have a message, in as many slices as that takes.
 * <p>
 * Thread: dispatcher.
 */
final class ConsumerPoll {
    private final Ready ready;
    private final List<? extends Recipient> consumers;
    private final List<Recipient> wanting = new ArrayList<>();
    private boolean isTakenSoon;
    private int next;

    /** @param consumers who come and who go end it */
    ConsumerPoll(Ready ready, List<? extends Recipient> consumers) {
        this.ready = ready;
        this.consumers = consumers;
    }

    boolean isAbout(Ready other) {
        return ready == other;
    }

    /** Asks one at the least. @return false if the slice was over before the answer was known */
    boolean goOn(Slice slice) {
        for (boolean begun = false; !isTakenSoon && next < consumers.size(); begun = true) {
            if (begun && slice.isOver()) {
                return false;
            }
            Recipient consumer = consumers.get(next++);
            if (consumer.mayHave(ready, slice)) {
                wanting.add(consumer);
                isTakenSoon = consumer.hasCredit();
            }
        }
        return true;
    }

    /** Somebody who has credit may have it. */
    boolean isTakenSoon() {
        return isTakenSoon;
    }

    /** Who may have it, if it is not taken soon. */
    List<Recipient> wanting() {
        return wanting;
    }
}
