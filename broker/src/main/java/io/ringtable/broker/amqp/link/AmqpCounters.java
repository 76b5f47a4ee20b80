package io.ringtable.broker.amqp.link;

import io.ringtable.broker.agent.LongestTurn;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what happens at the AMQP border. Only {@link #connections}, {@link #handshakes}, {@link #links},
 * {@link #relays}, {@link #relayedLinks}, {@link #parked} and {@link #heldBytes} go down as well.
 * <p>
 * Thread: any.
 */
public final class AmqpCounters {
    /** Counts connections open now. */
    public final LongAdder connections = new LongAdder();
    /** Counts connections accepted since the start. */
    public final LongAdder connectionsOpened = new LongAdder();
    /** Is the number of the connection that was accepted last, since the broker was made. */
    public final AtomicLong lastConnection = new AtomicLong();
    /** Counts connections that have not sent their open frame yet. */
    public final LongAdder handshakes = new LongAdder();
    /** Counts connections closed before their open frame, since too many were on their way. */
    public final LongAdder handshakesClosed = new LongAdder();
    /** Counts connections refused at their open frame, since all, or those of their user, are too many. */
    public final LongAdder connectionsRefused = new LongAdder();
    /** Counts how often a connection was left without credit, since its user has used up its rate. */
    public final LongAdder rateStalls = new LongAdder();
    /** Counts links of every state now: from a client's attach, refused or not, to its detach. */
    public final LongAdder links = new LongAdder();
    /** Counts relays to other nodes that are open now. */
    public final LongAdder relays = new LongAdder();
    /** Counts links of this node's clients that are passed on to other nodes now. */
    public final LongAdder relayedLinks = new LongAdder();
    /** Counts refused logins: wrong name or password, or a mechanism that the broker does not offer. */
    public final LongAdder loginsFailed = new LongAdder();
    /** Counts logins whose password the broker hashed, which is what logins cost. */
    public final LongAdder loginsHashed = new LongAdder();
    /** Counts logins put off without a hash: too many failed before, or too many wait. */
    public final LongAdder loginsPutOff = new LongAdder();
    /** Counts what users were refused for want of a permission: attaches, messages, links that were open. */
    public final LongAdder permissionsRefused = new LongAdder();
    /** Counts connections closed for a violation of the protocol: malformed frames, random bytes, exceeded windows. */
    public final LongAdder protocolErrors = new LongAdder();
    /** Counts messages received, each of a batch, accepted or not. */
    public final LongAdder messagesIn = new LongAdder();

    public final LongAdder bytesIn = new LongAdder();
    /** Counts deliveries completely written. */
    public final LongAdder messagesOut = new LongAdder();

    public final LongAdder bytesOut = new LongAdder();
    /** Counts messages refused with an outcome. */
    public final LongAdder rejected = new LongAdder();
    /** Counts local transactions whose commit became durable, empty ones too. */
    public final LongAdder transactionsCommitted = new LongAdder();
    /**
     * Counts local transactions rolled back: by their client, with their link, after too long a rest, or for a failed
     * commit.
     */
    public final LongAdder transactionsRolledBack = new LongAdder();
    /** Counts how often a publishing link was left without credit: address full, hand-off full or memory short. */
    public final LongAdder creditStalls = new LongAdder();
    /** Counts messages that wait for a place in a full address now. */
    public final LongAdder parked = new LongAdder();
    /**
     * Holds the longest turn of a connection on its event loop: of what arrived together, or what other threads told
     * it.
     */
    public final LongestTurn longestTurn = new LongestTurn();
    /**
     * Counts bytes of messages that connections hold in every form now; each connection tells them in steps of 64 KiB.
     */
    public final LongAdder heldBytes = new LongAdder();
    /** Counts connections closed because their client did not read. */
    public final LongAdder stalledConnections = new LongAdder();
}
