package io.ringtable.broker.amqp.transaction;

/** Is what a transaction has at another node, which makes it durable by itself. Thread: the connection's event loop. */
public interface RemotePart {
    /** Commits. Nothing joins the part from now on. @param answer hears whether all of it is durable */
    void commit(LocalTransaction.Discharged answer);

    /** Rolls back; the other node needs no answer. */
    void rollBack();

    /** Says where the part is, for people. */
    @Override
    String toString();
}
