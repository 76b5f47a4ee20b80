package io.ringtable.wire;

import org.apache.qpid.protonj2.types.Symbol;

/**
 * Names what a Ringtable broker understands beyond AMQP's own symbols and those of JMS; docs/protocol.md says what each
 * does. That of batches is {@link BatchFormat#CAPABILITY}.
 * <p>
 * Thread: any; constants.
 */
public final class RingtableSymbols {
    /** Property of a publisher's attach: the name of its producer, a string. */
    public static final Symbol PRODUCER = Symbol.valueOf("ringtable:producer");

    /**
     * Property of an attach with {@link #PRODUCER} and of its answer: which opening of the producer this is, a long.
     */
    public static final Symbol PRODUCER_INCARNATION = Symbol.valueOf("ringtable:producer-incarnation");

    /** Property of the answer: number of the producer's last message that is stored, a long. */
    public static final Symbol PRODUCER_LAST_NUMBER = Symbol.valueOf("ringtable:producer-last-number");

    /** Property of a sender's attach whose closing deletes the address; one of the two strings that follow. */
    public static final Symbol DELETE = Symbol.valueOf("ringtable:delete");

    /** Value of {@link #DELETE}: only an address that nobody uses. */
    public static final String DELETE_IF_UNUSED = "if-unused";

    /** Value of {@link #DELETE}: the address with everything that is owed on it. */
    public static final String DELETE_ALWAYS = "always";

    /** Descriptor of a source's filter: when in the past a durable subscription begins, a timestamp or a string. */
    public static final Symbol SINCE = Symbol.valueOf("ringtable:since:timestamp");

    /** Condition of a message that the application has rejected; its description is the application's reason. */
    public static final Symbol REJECTED_BY_APPLICATION = Symbol.valueOf("ringtable:rejected-by-application");

    private RingtableSymbols() {}
}
