package io.ringtable.broker.overflow;

/**
 * Says which messages need a body in overflow, and gives those bodies their ids.
 * <p>
 * Thread: any; answers on the caller's thread.
 */
public interface BodyIds {

    /** Returns the length of the longest encoded message, in bytes, that fits into its slot. */
    int inlineBytesMax();

    /** Returns an id for {@link StagerMailbox#stage}, never used before. */
    long nextBodyId();

    /** Returns a new id for the body if it has to be in overflow; 0 if it fits into its slot. */
    default long idFor(byte[] encoded) {
        return encoded.length > inlineBytesMax() ? nextBodyId() : 0;
    }
}
