package io.ringtable.broker.amqp.transaction;

/** Is what a transaction has at another node, which makes it durable by itself. Thread: the connection's event loop. */
public interface RemotePart {
    /** Commits. Nothing joins the part from now on. @param answer hears whether all of it is durable */
    void commit(LocalTransaction.Discharged answer);

    /**
     * Rolls back. Nothing joins the part from now on.
     *
     * @param then runs once the other node has back what the part had, or is lost. A client that went on before could
     *     be served others of a group first, which it gives back
     */
    void rollBack(Runnable then);

    /** Says where the part is, for people. */
    @Override
    String toString();
}
