package io.ringtable.broker.dispatch;

import java.util.concurrent.CompletionStage;

/**
 * Attaches a consumer to the parts of its topic that other nodes have (ADR 82).
 * <p>
 * Thread: any.
 */
@FunctionalInterface
public interface PartsElsewhere {
    /** Attaches at all of those nodes. @return fails with a refusal if one of them refuses, or cannot be reached */
    CompletionStage<Void> attach();
}
