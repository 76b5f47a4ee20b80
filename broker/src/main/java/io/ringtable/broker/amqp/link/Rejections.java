package io.ringtable.broker.amqp.link;

import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Source;

/** Whether a client that sends hears of refusals by the rejected outcome; otherwise its link is detached with the reason. */
public final class Rejections {
    private Rejections() {}

    /** Its source names the outcomes that it takes (AMQP 1.0 section 3.5.3); one that names none is given any. */
    public static boolean areTakenBy(Receiver receiver) {
        Source source = receiver.getRemoteSource();
        Symbol[] outcomes = source == null ? null : source.getOutcomes();
        return outcomes == null || outcomes.length == 0 || NodeName.has(outcomes, Rejected.DESCRIPTOR_SYMBOL);
    }
}
