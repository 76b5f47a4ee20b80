package io.ringtable.broker.dispatch.owed;

/** Names the places in which a message can be that a subscription owes and no consumer has. */
public enum OwedPlace {
    /** Means that it waits in memory. */
    MEMORY,
    /** Means that it lies in the store, and is read back when it is next. */
    STORE,
    /** Means that it was evicted: it is read back when a consumer that may have it has credit. */
    SET_ASIDE,
    /** Means that it lies in a stretch of the backlog that nobody has read yet. */
    UNREAD,
    /** Means that its time has not come. */
    DELAYED,
    /** Means that a transaction holds it. */
    TRANSACTION,
    /** Means that it is on its way to the queue that a policy names, or that an operator removes it. */
    MOVING,
    /** Means that it is not here: a consumer has it, or it was settled a moment ago. */
    NOWHERE
}
