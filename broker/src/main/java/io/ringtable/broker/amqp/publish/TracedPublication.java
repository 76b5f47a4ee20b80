package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.trace.BegunStep;
import io.ringtable.broker.trace.TracedStep;

/**
 * Remembers a sampled message while it is being published: the committer may let go of the message before.
 *
 * @param bytes of the encoded message
 */
record TracedPublication(BegunStep begun, String address, int bytes) {

    /** @param error null if the message is accepted */
    TracedStep ended(String error) {
        return new TracedStep(
                TracedStep.Kind.PUBLISH,
                begun.context(),
                begun.at(),
                System.nanoTime(),
                address,
                TracedStep.NO_SUBSCRIPTION,
                bytes,
                null,
                error);
    }
}
