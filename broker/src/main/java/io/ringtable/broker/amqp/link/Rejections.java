package io.ringtable.broker.amqp.link;

import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Source;

/**
 * Tells whether a publisher hears of refusals by the rejected outcome. If not, its link is detached with the reason.
 */
public final class Rejections {
    private Rejections() {}

    /**
     * Reads the outcomes that the publisher's source takes (AMQP 1.0 section 3.5.3); a source that names none takes
     * any.
     */
    public static boolean areTakenBy(Receiver receiver) {
        Source source = receiver.getRemoteSource();
        Symbol[] outcomes = source == null ? null : source.getOutcomes();
        return outcomes == null || outcomes.length == 0 || NodeName.has(outcomes, Rejected.DESCRIPTOR_SYMBOL);
    }
}
