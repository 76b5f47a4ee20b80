package io.ringtable.cli.bridge;

import java.time.Duration;

/**
 * Says what a bridge is to move.
 *
 * @param name under which messages are recognised; the same each time that the bridge is started again
 * @param recognition how a message is recognised that comes again after an interruption
 * @param count number of messages after which the bridge ends; {@link Long#MAX_VALUE} = no bound
 * @param patience how long the bridge waits for a next message before it ends; null = for ever
 * @param window the most messages that the source has sent and whose end it has not confirmed
 */
public record BridgeTask(
        BridgeEnd from, BridgeEnd to, String name, Recognition recognition, long count, Duration patience, int window) {

    /** Says how a message is recognised that comes again after an interruption. */
    public enum Recognition {
        /** Recognises a message by what the source or its publisher names it; refuses one that has no name. */
        BY_ID,
        /** Recognises a message without a name by its bytes. */
        BY_CONTENT,
        /** Recognises none: a message may come twice after an interruption. */
        NONE
    }
}
