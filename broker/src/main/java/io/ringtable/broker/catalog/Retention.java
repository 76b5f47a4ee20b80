package io.ringtable.broker.catalog;

/**
 * Says how much a topic keeps of what was published to it, consumed or not. Both bounds hold if both are given.
 *
 * @param ageMs age in ms at which a message goes; 0 = no bound
 * @param bytesMax most bytes of all messages together, beyond which the oldest go; 0 = no bound
 */
public record Retention(long ageMs, long bytesMax) {
    public static final Retention NONE = new Retention(0, 0);

    /** Answers whether the topic keeps anything. */
    public boolean keeps() {
        return ageMs > 0 || bytesMax > 0;
    }
}
