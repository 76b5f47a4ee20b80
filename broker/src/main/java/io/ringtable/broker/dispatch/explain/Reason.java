package io.ringtable.broker.dispatch.explain;

/** Names why a subscription is given nothing now, or one message of it, with the cure. */
public enum Reason {
    /** Means that nothing holds it up. */
    DELIVERING("nothing to do"),
    /** Means that the subscription owes nothing. */
    NOTHING_OWED("publish to its address; a topic's subscription owes only what is published after it began"),
    /** Means that nobody is attached. */
    NO_CONSUMER("start a consumer of it, or delete what nobody needs"),
    /** Means that the consumers' clients have given no credit, or that it is used up. */
    NO_CREDIT("let the application receive, or give its receiver a larger prefetch"),
    /** Means that a consumer holds as many unsettled bytes as it may. */
    CONSUMER_FULL("let the consumer settle what it has, or raise ringtable.dispatch.unsettled-bytes-max"),
    /** Means that a connection holds its share of all unsettled bytes. */
    CONNECTION_FULL("let the connection settle what it has, or raise ringtable.dispatch.memory-bytes-max"),
    /** Means that no consumer's selector wants it. */
    SELECTOR("attach a consumer whose selector wants it, or move the message"),
    /** Means that its group belongs to another consumer, or waits for an earlier message. */
    GROUP("let that consumer settle, or close it so that its groups go to others"),
    /** Means that the consumers gave it back and do not want it again. */
    NOT_HERE("attach another consumer"),
    /** Means that its publisher wants it delivered later. */
    DELAY("wait, or publish without a delay"),
    /** Means that it rests after a failed delivery. */
    REST("wait; the redelivery delay of the address's policy says how long"),
    /** Means that another consumer is served, as the address is exclusive. */
    EXCLUSIVE("let the served consumer receive, or close it so that the next one is served"),
    /** Means that others come first. */
    BEHIND("wait until the messages before it are given"),
    /** Means that a consumer has it and has not settled it. */
    AT_CONSUMER("let that consumer settle it, or close its link so that it comes back"),
    /** Means that a transaction holds it. */
    IN_TRANSACTION("let the application commit, or roll the transaction back"),
    /** Means that it is on its way to the queue that a policy names, or is being removed. */
    MOVING("wait a moment"),
    /** Means that it should leave to the queue that a policy names, and cannot. */
    MOVE_STUCK("make room in that queue: the broker tries again by itself"),
    /** Means that the subscription waits for an operator. */
    PARKED("restore the message, or delete or renew the subscription, as the log says"),
    /** Means that it lies in the store and is being read back. */
    READ_BACK("wait a moment; if it lasts, look whether the database answers"),
    /** Means that its time has passed: no consumer gets it. */
    EXPIRED("nothing to do: it goes when its turn comes"),
    /** Means that it was settled a moment ago. */
    SETTLED("nothing to do"),
    /** Means that the subscription keeps messages for later ones, and nobody reads it. */
    RETAINED("nothing to do: the topic's retention ends it");

    private final String cure;

    Reason(String cure) {
        this.cure = cure;
    }

    /** Returns what to do, in a few words. */
    public String cure() {
        return cure;
    }
}
