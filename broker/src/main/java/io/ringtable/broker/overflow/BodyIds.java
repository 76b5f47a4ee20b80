package io.ringtable.broker.overflow;

/**
 * Says which messages need a body in overflow, and gives those bodies their ids. Thread: any; answered on the caller's.
 */
public interface BodyIds {

    /** Longest encoded message, in bytes, that fits into its slot. */
    int inlineBytesMax();

    /** A body id for {@link StagerMailbox#stage}; never reused. */
    long nextBodyId();
}
