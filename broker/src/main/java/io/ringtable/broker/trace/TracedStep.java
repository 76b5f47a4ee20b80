package io.ringtable.broker.trace;

import java.util.Objects;

/**
 * Says what the broker did for a sampled message, and how long it took.
 * <p>
 * Immutable.
 *
 * @param begun {@link System#nanoTime}
 * @param ended {@link System#nanoTime}
 * @param address name of the queue or the topic
 * @param subscription name of the subscription; {@link #NO_SUBSCRIPTION} if the step concerns none with a name
 * @param bytes of the encoded message
 * @param outcome of a delivery, as AMQP names it; null for other steps
 * @param error why the step failed, one of few values; null if it did not
 */
public record TracedStep(
        Kind kind,
        TraceContext context,
        long begun,
        long ended,
        String address,
        String subscription,
        int bytes,
        String outcome,
        String error) {

    /** Names a step as its span does. */
    public enum Kind {
        /** From the transfer's arrival to its outcome. */
        PUBLISH,
        /** The flush that stored the message: from its hand-over to the store until it was durable. */
        COMMIT,
        /** From the delivery's first byte to the outcome that the consumer gives. */
        DELIVER,
        /** From the dispatcher's word that the message is over for a subscription until that is durable. */
        SETTLE
    }

    public static final String NO_SUBSCRIPTION = "";

    public TracedStep {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(context, "context");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(subscription, "subscription");
    }
}
