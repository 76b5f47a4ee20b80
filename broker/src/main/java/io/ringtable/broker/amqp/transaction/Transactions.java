package io.ringtable.broker.amqp.transaction;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.HandOff;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.work.Work;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.transactions.TransactionErrors;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Keeps the open transactions of one connection: any of its links may take part in any of them.
 * <p>
 * Thread: the connection's event loop.
 */
public final class Transactions {
    private final OpenConnection connection;
    private final AmqpCounters counters;
    private final ConnectionMemory memory;
    private final HandOff handOff;
    private final Shard shard;
    private final int most;
    private final long bytesMax;
    private final long idleMs;
    private final Map<Long, LocalTransaction> open = new HashMap<>(); // by number: Binary's hash code changes
    private final Set<LocalTransaction> committing = new HashSet<>(); // their clients wait for the answer
    private long lastId;
    private boolean watching; // a check for resting transactions is on its way

    public Transactions(
            OpenConnection connection,
            AmqpProperties settings,
            AmqpCounters counters,
            ConnectionMemory memory,
            HandOff handOff,
            Shard shard) {
        this.connection = connection;
        this.counters = counters;
        this.memory = memory;
        this.handOff = handOff;
        this.shard = shard;
        this.most = settings.transactionsMax();
        this.bytesMax = settings.transactionBytesMax().toBytes();
        this.idleMs = settings.transactionIdleTimeout().toMillis();
    }

    OpenConnection connection() {
        return connection;
    }

    AmqpCounters counters() {
        return counters;
    }

    HandOff handOff() {
        return handOff;
    }

    /** Hands a transaction to the committer of its home. @return false if that has no room */
    boolean submit(Home home, Work work) {
        return handOff.to(home).submit(shard.atHome(home, work));
    }

    /** Says why no transaction has both addresses, with the code: no flush has two homes (ADR 50). */
    static String refusal(Address first, Home home, Address other, Home otherHome) {
        return first.name().equals(other.name())
                ? "RT-4523 " + first + " has parts, of which the transaction has those in shard " + home.number()
                        + " and in shard " + otherHome.number()
                        + ", and a transaction has one home. Give its messages one group or x-opt-partition-key, and"
                        + " receive one message in each transaction"
                : "RT-4480 " + first + " lives in shard " + home.number() + " and " + other + " in shard "
                        + otherHome.number()
                        + ", and a transaction has one home. Give both names one affinity by a policy before they are"
                        + " created, or use a transaction for each";
    }

    /** Tells whether a transaction that has not ended holds anything of a shard. @param shard its number */
    public boolean use(int shard) {
        return Stream.concat(open.values().stream(), committing.stream())
                .anyMatch(transaction -> transaction.uses(shard));
    }

    /** Tells whether such transactions wait for the committer alone: their clients have said all. */
    public boolean areCommitting(int shard) {
        return Stream.concat(open.values().stream(), committing.stream())
                .filter(transaction -> transaction.uses(shard))
                .allMatch(LocalTransaction::isComplete);
    }

    /** Gives up the large bodies of messages that will not be stored. */
    void abandon(List<Message> messages) {
        shard.abandon(messages);
    }

    /** Returns how many transactions may be open. */
    int most() {
        return most;
    }

    /** Returns how many bytes all transactions may hold. */
    long bytesMax() {
        return bytesMax;
    }

    public boolean isFull() {
        return open.size() >= most;
    }

    public LocalTransaction declare() {
        lastId++;
        Binary id = new Binary(ByteBuffer.allocate(Long.BYTES).putLong(lastId).array());
        LocalTransaction transaction = new LocalTransaction(this, lastId, id);
        open.put(lastId, transaction);
        return transaction;
    }

    /** Finds a transaction; null if none has that id, or its client has asked for its end. */
    public LocalTransaction find(Binary id) {
        return id == null || id.getLength() != Long.BYTES
                ? null
                : open.get(id.asByteBuffer().getLong());
    }

    public LocalTransaction find(TransactionalState state) {
        return find(state.getTxnId());
    }

    public static ErrorCondition unknown(Binary id) {
        return Conditions.of(
                TransactionErrors.UNKNOWN_ID,
                "RT-4070 there is no transaction " + id + " on this connection, or it has ended: declare another");
    }

    /** Returns how many transactions are open. */
    public int count() {
        return open.size();
    }

    /** Shows each open transaction, in no order. */
    public void forEach(Consumer<LocalTransaction> each) {
        open.values().forEach(each);
    }

    /**
     * Rolls a transaction back though its client has not asked; the client hears why when it asks for the end.
     *
     * @return false if there is no such transaction, or its client has asked for its end
     */
    public boolean rollBack(long number, ErrorCondition why) {
        LocalTransaction transaction = open.get(number);
        if (transaction == null) {
            return false;
        }
        transaction.giveUp(why);
        return true;
    }

    /** Removes a transaction whose client has asked for its end: {@link #find} no longer finds it. */
    void commits(LocalTransaction transaction) {
        open.remove(transaction.number());
        committing.add(transaction);
    }

    /** Removes a transaction that has ended. */
    void ended(LocalTransaction transaction) {
        open.remove(transaction.number());
        committing.remove(transaction);
    }

    /** Counts bytes that a transaction takes. @return false if all transactions together hold more than they may */
    public boolean hold(int more) {
        memory.inTransactions(more);
        return memory.inTransactions() <= bytesMax;
    }

    public void letGo(long fewer) {
        memory.inTransactions(-fewer);
    }

    /** Checks resting transactions at intervals, from the first that holds something until none does. */
    public void watch() {
        if (!watching && idleMs > 0) {
            watching = true;
            connection.mailbox().later(this::endThoseThatRest, idleMs / 4 + 1);
        }
    }

    private void endThoseThatRest() {
        watching = false;
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
