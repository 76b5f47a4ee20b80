package io.ringtable.broker.amqp.link;

import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** A connection as its links see it. Thread: its event loop. */
public interface OpenConnection {
    /** Whether both ends are open, so that frames may be written. */
    boolean isRunning();

    /** Whether the broker stops: publishers get no more credit. */
    boolean isStopping();

    /** Links that are attached. */
    int linkCount();

    /** Whether deliveries may be written: the client takes what it was sent. */
    boolean canWrite();

    /** How other threads reach it. */
    ConnectionMailbox mailbox();

    /** The client's container id; empty if it has none. */
    String containerId();

    /** The name that the client logged in with; empty where everybody may connect. */
    String user();

    /** Who answers for what the connection takes: its user or, where nobody logs in, its host. */
    String owner();

    void attached(AmqpLink link);

    /** The link has let go of everything. */
    void ended(AmqpLink link);

    /**
     * Closes with a condition.
     *
     * @param lost the client may have seen deliveries and did not say what became of them
     */
    void close(ErrorCondition condition, boolean lost);

    /** Closes, since something of ours went wrong while the connection was served. */
    void fail(Throwable cause);
}
