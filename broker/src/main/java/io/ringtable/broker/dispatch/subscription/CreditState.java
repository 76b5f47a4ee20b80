package io.ringtable.broker.dispatch.subscription;

/** Tells whether a consumer could take a message now. */
public enum CreditState {
    /** Means that it could. */
    FREE,
    /** Means that its client gave no credit, or that it is used up. */
    NO_CREDIT,
    /** Means that it holds as many unsettled bytes as one consumer may. */
    CONSUMER_FULL,
    /** Means that its connection holds its share of the bytes that all connections may hold. */
    CONNECTION_FULL
}
