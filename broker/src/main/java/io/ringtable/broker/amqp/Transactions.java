package io.ringtable.broker.amqp;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.transactions.TransactionErrors;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * The open transactions of one connection: any of its links may take part in any of them.
 * <p>
 * Thread: the connection's event loop.
 */
final class Transactions {
    private final AmqpConnection connection;
    private final Map<Long, LocalTransaction> open =
            new HashMap<>(); // by number: Binary's first hash code is another than its second
    private long lastId;
    private long bytes; // held by all of them
    private boolean watching; // a check for those that rest is on its way

    Transactions(AmqpConnection connection) {
        this.connection = connection;
    }

    AmqpConnection connection() {
        return connection;
    }

    boolean isFull() {
        return open.size() >= connection.settings().transactionsMax();
    }

    LocalTransaction declare() {
        lastId++;
        Binary id = new Binary(ByteBuffer.allocate(Long.BYTES).putLong(lastId).array());
        LocalTransaction transaction = new LocalTransaction(this, lastId, id);
        open.put(lastId, transaction);
        return transaction;
    }

    /** Null if there is none of that id, or its client has asked for its end. */
    LocalTransaction find(Binary id) {
        return id == null || id.getLength() != Long.BYTES
                ? null
                : open.get(id.asByteBuffer().getLong());
    }

    LocalTransaction find(TransactionalState state) {
        return find(state.getTxnId());
    }

    static ErrorCondition unknown(Binary id) {
        return Conditions.of(
                TransactionErrors.UNKNOWN_ID,
                "RT-4070 there is no transaction " + id + " on this connection, or it has ended: declare another");
    }

    /** Nobody finds it any more. */
    void ended(LocalTransaction transaction) {
        open.remove(transaction.number());
    }

    /** @return false if all of them hold more than they may */
    boolean hold(int more) {
        bytes += more;
        connection.intake().changed();
        return bytes <= connection.settings().transactionBytesMax();
    }

    void letGo(long fewer) {
        bytes -= fewer;
        connection.intake().changed();
    }

    /** Held by all of them. */
    long bytes() {
        return bytes;
    }

    /** Looks after those that rest, from the first that holds something until none does. */
    void watch() {
        if (!watching && connection.settings().transactionIdleMs() > 0) {
            watching = true;
            connection
                    .mailbox()
                    .later(this::endThoseThatRest, connection.settings().transactionIdleMs() / 4 + 1);
        }
    }

    private void endThoseThatRest() {
        watching = false;
        long idleMs = connection.settings().transactionIdleMs();
        long now = System.nanoTime();
        for (LocalTransaction transaction : List.copyOf(open.values())) {
            if (transaction.isHolding()) {
                if (transaction.restingNanos(now) > TimeUnit.MILLISECONDS.toNanos(idleMs)) {
                    transaction.timeOut(idleMs);
                } else {
                    watch();
                }
            }
        }
    }
}
