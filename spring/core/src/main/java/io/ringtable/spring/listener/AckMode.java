package io.ringtable.spring.listener;

/** Says when a message that a listener's method gets counts as dealt with. */
public enum AckMode {

    /**
     * Acknowledges when the method has returned and its reply is stored. The effects of the method happen at least
     * once: a message comes again if the application dies before the broker has heard of it.
     */
    AUTO,

    /**
     * Leaves the settlement to the application, by an {@link Acknowledgment} or by the SDK's message, from any thread.
     * Messages that are not settled count against the prefetch.
     */
    MANUAL,

    /**
     * Acknowledges in the broker's database, in the same transaction as the effects of the method, so they happen
     * exactly once. The container begins the transaction, and the method takes part.
     */
    TRANSACTIONAL
}
