package io.ringtable.wire;

import org.apache.qpid.protonj2.types.Symbol;

/**
 * Holds the names that a Ringtable broker understands beyond AMQP's own symbols and those of JMS; docs/protocol.md
 * describes them. {@link BatchFormat} has the symbol of batches.
 * <p>
 * Thread: any; constants.
 */
public final class RingtableSymbols {
    /** Property of a publisher's attach: the name of its producer, a string. */
    public static final Symbol PRODUCER = Symbol.valueOf("ringtable:producer");

    /** Property of an attach with {@link #PRODUCER}, and of its answer: the producer's incarnation, a long. */
    public static final Symbol PRODUCER_INCARNATION = Symbol.valueOf("ringtable:producer-incarnation");

    /** Property of the answer: the number of the producer's last stored message, a long. */
    public static final Symbol PRODUCER_LAST_NUMBER = Symbol.valueOf("ringtable:producer-last-number");

    /** Property of a publisher's attach, and of its answer: how many duplicate ids an address remembers, an int. */
    public static final Symbol DUPLICATE_IDS = Symbol.valueOf("ringtable:duplicate-ids");

    /** Property of a sender's attach: closing the link deletes the address. Its values are the two strings below. */
    public static final Symbol DELETE = Symbol.valueOf("ringtable:delete");

    /** Value of {@link #DELETE}: deletes the address only if it is unused. */
    public static final String DELETE_IF_UNUSED = "if-unused";

    /** Value of {@link #DELETE}: deletes the address with everything that is owed on it. */
    public static final String DELETE_ALWAYS = "always";

    /** Descriptor of a source's filter: the past time, timestamp or string, at which a durable subscription begins. */
    public static final Symbol SINCE = Symbol.valueOf("ringtable:since:timestamp");

    /** Condition of a message that the application has rejected; its description is the application's reason. */
    public static final Symbol REJECTED_BY_APPLICATION = Symbol.valueOf("ringtable:rejected-by-application");

    /**
     * Capability of an open frame between nodes, and property of it and of its answer: the version of the relay's
     * terms, a uint.
     */
    public static final Symbol RELAY = Symbol.valueOf("ringtable:relay");

    /** Property of an open frame with {@link #RELAY}, and of its answer: the id of the node that sends it, a string. */
    public static final Symbol NODE = Symbol.valueOf("ringtable:node");

    /** Property of an attach on a relay: whose link it is, a map. */
    public static final Symbol CLIENT = Symbol.valueOf("ringtable:client");

    /**
     * Property of a publisher's attach on a relay: the shard whose part of the address the link goes to, an int. -1 =
     * the address has no parts, as far as the other node knows.
     */
    public static final Symbol PART = Symbol.valueOf("ringtable:part");

    /**
     * Property of a publisher's attach on a relay, and of its answer, a string. The value names the producer that the
     * other node holds for the link. With {@link #PRODUCER_INCARNATION} the link comes back to it.
     */
    public static final Symbol RELAY_PRODUCER = Symbol.valueOf("ringtable:relay-producer");

    /**
     * Property of an attach on a relay without a source: the durable subscription goes, since its client makes another
     * one of that name elsewhere. The value says whether the other one is shared, a boolean.
     */
    public static final Symbol MAKES_WAY = Symbol.valueOf("ringtable:makes-way");

    /**
     * Property of an attach on a relay: the link is to the parts that the node has of the address. Other nodes serve
     * the client's link from the other parts.
     */
    public static final Symbol PARTS = Symbol.valueOf("ringtable:parts");

    /**
     * Property of the answer to an attach with {@link #PARTS}, a boolean: the node has the old home of a topic that
     * moves. Messages of that home come first.
     */
    public static final Symbol OLD_HOME = Symbol.valueOf("ringtable:old-home");

    /**
     * Property of a flow frame on a relay, a boolean. The frame answers a drain, and the subscription gets more of what
     * was published before it began.
     */
    public static final Symbol REPLAYS = Symbol.valueOf("ringtable:replays");

    /** Condition of a detach on a relay: another node takes over the shard, and the link may be attached there. */
    public static final Symbol HANDED_OVER = Symbol.valueOf("ringtable:handed-over");

    /**
     * Property of a client's open frame, a boolean, or its hostname. In a cluster the broker sends the client to the
     * node that has the first address which it names.
     */
    public static final Symbol REDIRECT = Symbol.valueOf("ringtable:redirect");

    /** Hostname in the open frame of a client that was sent to the node which it connects to: it is not sent again. */
    public static final String REDIRECTED = "ringtable:redirected";

    private RingtableSymbols() {}
}
