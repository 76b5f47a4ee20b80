package io.ringtable.cli.bridge;

import java.util.Set;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** Tells the errors of a broker that pass from those that do not. */
final class Refusals {
    /** Conditions that another attempt would meet again. */
    private static final Set<String> FINAL = Set.of(
            "amqp:unauthorized-access",
            "amqp:not-allowed",
            "amqp:not-found",
            "amqp:not-implemented",
            "amqp:invalid-field",
            "amqp:decode-error",
            "amqp:link:message-size-exceeded",
            "amqp:precondition-failed");

    private Refusals() {}

    /**
     * @param what was refused or ended
     * @param condition what the broker says; may be null
     */
    static BridgeFailure of(String what, ErrorCondition condition) {
        boolean known = condition != null && condition.getCondition() != null;
        String name = known ? condition.getCondition().toString() : "no reason given";
        String text = known && condition.getDescription() != null ? ": " + condition.getDescription() : "";
        return FINAL.contains(name)
                ? new BridgeFailure(
                        BridgeFailure.Reason.FINAL,
                        "RT-6023",
                        what + " is refused (" + name + text + "): check the address and the user's rights")
                : new BridgeFailure(BridgeFailure.Reason.PASSING, "RT-6022", what + " ended (" + name + text + ")");
    }
}
