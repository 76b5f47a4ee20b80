package io.ringtable.broker.dispatch.subscription;

/** Tells whether a message is for a consumer, whatever its credit. */
public enum Fitness {
    /** Means that the consumer may have it. */
    FITS,
    /** Means that the consumer gave it back and does not want it again. */
    NOT_HERE,
    /** Means that another consumer has its group, or that an earlier message of the group holds it up. */
    GROUP,
    /** Means that the consumer's selector does not want it. */
    SELECTOR
}
