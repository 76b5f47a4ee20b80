package io.ringtable.broker.catalog;

/**
 * How much of what was published to a topic is kept, whoever has consumed it. Both bounds hold where both are given.
 *
 * @param ageMs what was published so many ms ago goes; 0 = however long ago it was
 * @param bytesMax the oldest go while the messages have more bytes together; 0 = however many they have
 */
public record Retention(long ageMs, long bytesMax) {
    public static final Retention NONE = new Retention(0, 0);

    /** Whether anything is kept. */
    public boolean keeps() {
        return ageMs > 0 || bytesMax > 0;
    }
}
