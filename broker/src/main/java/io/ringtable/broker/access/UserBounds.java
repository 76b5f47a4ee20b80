package io.ringtable.broker.access;

/**
 * Holds what one user may have and do with all of its connections together.
 *
 * @param connectionsMax that are open at once; 0 = no bound, as in the next two
 * @param messagesPerSecond that it publishes
 * @param bytesPerSecond of messages that it publishes
 */
public record UserBounds(int connectionsMax, int messagesPerSecond, long bytesPerSecond) {
    /** Bounds nothing. */
    public static final UserBounds NONE = new UserBounds(0, 0, 0);
}
