package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.NodeName;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * How a link names a subscription of a topic. One that is not shared has the link's own name. The links of a shared one
 * have its name up to {@code |}, behind which every link of a connection differs: {@code sub}, {@code sub|2},
 * {@code sub|global}, {@code sub|global2}, {@code sub|volatile1}, {@code sub|global-volatile1}.
 *
 * @param clientId container id; empty for a global one, which belongs to no client
 */
record SubscriptionName(String clientId, String name, boolean shared, boolean global) {
    public static final Symbol SHARED = Symbol.valueOf("shared");
    static final Symbol GLOBAL = Symbol.valueOf("global");

    private static final char DELIMITER = '|';

    /** @param capabilities of the source, or those desired by a link without a source */
    public static SubscriptionName of(String link, Symbol[] capabilities, String containerId) {
        boolean shared = NodeName.has(capabilities, SHARED);
        boolean global = NodeName.has(capabilities, GLOBAL);
        int end = shared ? link.indexOf(DELIMITER) : -1;
        return new SubscriptionName(global ? "" : containerId, end < 0 ? link : link.substring(0, end), shared, global);
    }

    /** Null if it names one. */
    public ErrorCondition refusal() {
        if (global && !shared) {
            return Conditions.invalid("RT-4064", "only a shared subscription is global: ask for both or for neither");
        }
        if (name.isEmpty()) {
            return Conditions.invalid("RT-4064", "the name of a subscription is empty");
        }
        if (clientId.isEmpty() && !global) {
            return Conditions.invalid(
                    "RT-4057",
                    "a durable or shared subscription that is not global needs a container id: set a client id");
        }
        return null;
    }
}
