package io.ringtable.broker.amqp.link;

import io.ringtable.broker.agent.LongestTurn;
import java.util.concurrent.atomic.LongAdder;

/**
 * What happened at the AMQP border since the start; only {@link #connections}, {@link #links},
 * {@link #parked} and {@link #heldBytes} go down as well.
 * <p>
 * Thread: any.
 */
public final class AmqpCounters {
    /** Connections open now. */
    public final LongAdder connections = new LongAdder();
    /** Connections accepted since the start. */
    public final LongAdder connectionsOpened = new LongAdder();
    /** Links of every state now: from a client's attach, refused or not, to its detach. */
    public final LongAdder links = new LongAdder();
    /** Logins refused: wrong name or password, or a mechanism that is not offered. */
    public final LongAdder loginsFailed = new LongAdder();
    /** Logins whose password was hashed: what they cost. */
    public final LongAdder loginsHashed = new LongAdder();
    /** Logins put off without a hash: too many failed before, or too many wait. */
    public final LongAdder loginsPutOff = new LongAdder();
    /** Connections closed for a violation of the protocol: malformed frames, random bytes, exceeded windows. */
    public final LongAdder protocolErrors = new LongAdder();
    /** Messages received, each of a batch counted; accepted or not. */
    public final LongAdder messagesIn = new LongAdder();

    public final LongAdder bytesIn = new LongAdder();
    /** Deliveries completely written. */
    public final LongAdder messagesOut = new LongAdder();

    public final LongAdder bytesOut = new LongAdder();
    /** Messages refused with an outcome. */
    public final LongAdder rejected = new LongAdder();
    /** Local transactions whose commit became durable; empty ones too. */
    public final LongAdder transactionsCommitted = new LongAdder();
    /** Local transactions rolled back: by their client, with their link, for resting too long or because they could not be committed. */
    public final LongAdder transactionsRolledBack = new LongAdder();
    /** Times a publishing link was left without credit: address full, hand-off full or memory short. */
    public final LongAdder creditStalls = new LongAdder();
    /** Messages waiting for a place in a full address now. */
    public final LongAdder parked = new LongAdder();
    /** Of a connection on its event loop: what arrived together, or what other threads told it. */
    public final LongestTurn longestTurn = new LongestTurn();
    /** Bytes of messages that connections hold in every form now, told in steps of 64 KiB a connection. */
    public final LongAdder heldBytes = new LongAdder();
    /** Connections closed because their client did not read. */
    public final LongAdder stalledConnections = new LongAdder();
}
