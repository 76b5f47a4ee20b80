package io.ringtable.client;

/**
 * Bounds the messages that one publisher may have in flight: handed in and not yet answered by the broker. The limit
 * bounds the memory that waits for a slow or lost broker, and the messages that a reconnect sends again.
 *
 * @param messages number of messages, at least 1
 * @param bytes bytes of encoded messages, at least 1; a single message may be larger and then goes alone
 */
public record InFlightLimit(int messages, long bytes) {

    /** Allows 10,000 messages or 16 MiB, whichever is reached first. */
    public static final InFlightLimit DEFAULT = new InFlightLimit(10_000, 16L * 1024 * 1024);

    /** @throws RingtableException RT-5001 if a bound is below 1 */
    public InFlightLimit {
        if (messages < 1 || bytes < 1) {
            throw RingtableException.configuration(
                    "in-flight limit of " + messages + " messages and " + bytes + " bytes", "use 1 or more");
        }
    }
}
