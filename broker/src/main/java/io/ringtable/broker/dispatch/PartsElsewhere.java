package io.ringtable.broker.dispatch;

import java.util.concurrent.CompletionStage;

/**
 * Attaches a consumer to the parts of its topic that other nodes have (ADR 82).
 * <p>
 * Thread: any.
 */
@FunctionalInterface
public interface PartsElsewhere {
    /**
     * Attaches at all of those nodes. For a node without a part of its own, the first of them answers before another
     * one is asked. May be called again after a failure.
     *
     * @return fails with a refusal if one of them refuses, or cannot be reached
     */
    CompletionStage<Void> attach();

    /** Tells, once that has failed, whether any of those nodes may have attached the consumer. */
    default boolean mayHaveAttached() {
        return true;
    }
}
