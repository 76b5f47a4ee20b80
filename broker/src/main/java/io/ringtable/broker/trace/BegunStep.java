package io.ringtable.broker.trace;

import io.ringtable.broker.message.Message;

/**
 * Holds when a step of a sampled message began. Exists while the step lasts, and for sampled messages only.
 * <p>
 * Immutable.
 *
 * @param at {@link System#nanoTime}
 */
public record BegunStep(TraceContext context, long at) {

    /** Begins a step now. @return null if nobody records the trace of the message */
    public static BegunStep of(Message message) {
        return message.traceAt() == 0 ? null : new BegunStep(TraceContext.of(message), System.nanoTime());
    }
}
