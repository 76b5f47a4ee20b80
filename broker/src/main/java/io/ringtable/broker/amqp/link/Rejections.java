package io.ringtable.broker.amqp.link;

import java.util.Map;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Tells whether a publisher hears of refusals by the rejected outcome. If not, its link is detached with the reason.
 */
public final class Rejections {
    private static final Symbol DELIVERY_TAG = Symbol.valueOf("delivery-tag");

    private Rejections() {}

    /** Makes a condition that names its transfer (Anonymous Terminus for Message Routing 1.0 section 2.2.2). */
    public static ErrorCondition of(IncomingDelivery delivery, ErrorCondition refusal) {
        return Conditions.of(
                refusal.getCondition(),
                refusal.getDescription(),
                Map.of(DELIVERY_TAG, new Binary(delivery.getTag().tagBytes())));
    }

    /**
     * Tells whether the condition is about room: a client that does not wait for outcomes then loses messages, and goes
     * on.
     */
    public static boolean isAboutRoom(ErrorCondition condition) {
        return condition.getCondition().equals(AmqpError.RESOURCE_LIMIT_EXCEEDED);
    }

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
