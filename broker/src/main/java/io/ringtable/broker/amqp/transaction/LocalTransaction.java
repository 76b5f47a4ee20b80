package io.ringtable.broker.amqp.transaction;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.HandOff;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Deduplication;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Settle;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Outcome;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transactions.TransactionErrors;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * A local transaction (AMQP 1.0 section 4.4): messages and settlements of any links of one connection, gathered in memory and
 * handed to the committer as one {@link Work} when it is discharged, so that one flush holds all of them or none.
 * <p>
 * Its messages hold their places in the quotas of their addresses, and its deliveries stay away from other consumers, as long as it
 * lasts: bounded in bytes, and in time once it rests. Thread: the connection's event loop, but for {@link #accepted} and
 * {@link #refused}, which put it into the mailbox.
 */
public final class LocalTransaction implements Completion, ConnectionMailbox.Event, HandOff.Waiting {
    /** How its discharge ended. */
    @FunctionalInterface
    public interface Discharged {
        /** @param failure null if everything in it is durable */
        void discharged(ErrorCondition failure);
    }

    private final Transactions transactions;
    private final long number;
    private final Binary id;
    private final TransactionalState accepted; // the same one each time, so that ranges of it make one frame
    private final List<Message> messages = new ArrayList<>();
    private final List<DuplicateId> ids = new ArrayList<>(); // as Deduplication has them: empty until a message has one
    private final List<Enlisted> deliveries = new ArrayList<>();
    private final List<Runnable> onCommit = new ArrayList<>(); // outcomes other than accepted
    private final List<Runnable> onRollBack = new ArrayList<>();
    private long bytes; // of messages, published and received
    private int arriving; // transfers that wait for their address or a place in it
    private ErrorCondition failure; // it can only be rolled back
    private Discharged discharge; // null until it is asked for
    private Refusal refusal; // the committer's
    private long usedAt; // System.nanoTime

    /** @param id the number as the client is told it */
    LocalTransaction(Transactions transactions, long number, Binary id) {
        this.transactions = transactions;
        this.number = number;
        this.id = id;
        this.accepted = state(Accepted.getInstance());
    }

    /** Unique on its connection. */
    public long number() {
        return number;
    }

    public Binary id() {
        return id;
    }

    /** What a client is told of a transfer or an acceptance inside it (AMQP 1.0 section 4.5.5). */
    public TransactionalState answer(ErrorCondition refusal) {
        return refusal == null ? accepted : state(new Rejected(refusal));
    }

    private TransactionalState state(Outcome outcome) {
        TransactionalState state = new TransactionalState();
        state.setTxnId(id);
        state.setOutcome(outcome);
        return state;
    }

    private ConnectionMailbox itsMailbox() {
        return transactions.connection().mailbox();
    }

    private DispatcherMailbox dispatcher() {
        return transactions.dispatcher();
    }

    // ---- what takes part

    /** A transfer has begun its way; {@link #arrived} or {@link #notArrived} ends it. */
    public void arriving() {
        arriving++;
        used();
    }

    /** Its messages are the transaction's now, with one place each in the quota of their address. */
    public void arrived(List<Message> arrived, List<DuplicateId> theirIds) {
        if (!ids.isEmpty() || !theirIds.isEmpty()) {
            ids.addAll(Collections.nCopies(messages.size() - ids.size(), null));
            ids.addAll(theirIds.isEmpty() ? Collections.nCopies(arrived.size(), null) : theirIds);
        }
        messages.addAll(arrived);
        arrived.forEach(message -> hold(message.bytes()));
        if (failure != null) {
            dropMessages();
        }
        arrivedAny();
    }

    /** It was refused or lost: the rest cannot become durable without it. */
    public void notArrived(ErrorCondition why) {
        fail(why);
        arrivedAny();
    }

    private void arrivedAny() {
        arriving--;
        if (discharge != null && arriving == 0) {
            commitOrRollBack();
        }
    }

    /** A consumer accepts what it was given. */
    public void enlist(Consumer link, Delivery delivery) {
        used();
        Enlisted enlisted = dispatcher().enlist(link, delivery);
        if (enlisted == null) {
            fail(rolledBack("RT-4071 message " + delivery.sequence() + " of " + delivery.subscription()
                    + " went back before it was accepted: it comes again"));
        } else {
            deliveries.add(enlisted);
            hold(enlisted.bytes());
        }
    }

    /** A consumer says something else of what it was given, which holds if the transaction is committed. */
    public void enlist(Runnable whenCommitted, Runnable whenRolledBack) {
        used();
        onCommit.add(whenCommitted);
        onRollBack.add(whenRolledBack);
    }

    private void hold(int more) {
        bytes += more;
        if (!transactions.hold(more)) {
            fail(rolledBack("RT-4072 the transactions of this connection hold more than amqp.transaction-bytes-max="
                    + transactions.bytesMax()
                    + " bytes: commit more often or raise it"));
        }
    }

    private void used() {
        usedAt = System.nanoTime();
        transactions.watch();
    }

    /** Holds something: another thing than an empty one, which may rest as long as it likes. */
    boolean isHolding() {
        return !messages.isEmpty() || !deliveries.isEmpty() || !onCommit.isEmpty() || arriving > 0;
    }

    /** Since something was put into it, in ns. */
    long restingNanos(long now) {
        return now - usedAt;
    }

    // ---- its end

    /** It can only be rolled back from now on, for the first reason given; its messages let go of their places. */
    public void fail(ErrorCondition why) {
        if (failure == null) {
            failure = why;
        }
        dropMessages();
    }

    private void dropMessages() {
        for (Message message : messages) {
            message.address().quota().release(1, message.bytes());
            letGo(message.bytes());
        }
        transactions.stager().abandon(Message.bodyIds(messages));
        messages.clear();
        ids.clear();
    }

    /**
     * The client asks for the end; answered once, when all of it is durable or rolled back. Nothing takes part in it any more:
     * what came later would be in no flush.
     */
    public void commit(Discharged answer) {
        discharge = answer;
        transactions.ended(this);
        if (arriving == 0) {
            commitOrRollBack();
        }
    }

    private void commitOrRollBack() {
        if (failure != null) {
            giveBack(true);
            end(failure);
        } else if (messages.isEmpty() && settlements().isEmpty()) {
            applied();
        } else {
            advance();
        }
    }

    private List<Settle> settlements() {
        List<Settle> settlements = new ArrayList<>(deliveries.size());
        for (Enlisted enlisted : deliveries) {
            Settle settlement = enlisted.settlement();
            if (settlement != null) {
                settlements.add(settlement);
            }
        }
        return settlements;
    }

    /** Hands it to the committer, or waits until that has room. */
    @Override
    public void advance() {
        HandOff handOff = transactions.handOff();
        handOff.waitsNoMore(this);
        if (!handOff.submit(
                new Work(List.copyOf(messages), settlements(), Deduplication.ids(new ArrayList<>(ids)), this))) {
            handOff.waits(this);
        }
    }

    @Override
    public void accepted() {
        itsMailbox().put(this);
    }

    @Override
    public void refused(Refusal why) {
        refusal = why;
        itsMailbox().put(this);
    }

    @Override
    public Mailbox mailbox() {
        return itsMailbox();
    }

    @Override
    public void onEventLoop() {
        if (refusal == null) {
            applied();
        } else if (refusal.reason() == Refusal.Reason.UNAVAILABLE) {
            // Whether it is durable is not known: no answer, the client reconnects and finds what is owed.
            close();
            transactions.connection().close(Conditions.of(refusal), true);
        } else {
            giveBack(true);
            end(rolledBack(refusal.toString()));
        }
        transactions.handOff().answered();
    }

    private void applied() {
        deliveries.forEach(dispatcher()::committed);
        onCommit.forEach(Runnable::run);
        transactions.counters().transactionsCommitted.increment();
        end(null);
    }

    private void end(ErrorCondition why) {
        if (why != null) {
            transactions.counters().transactionsRolledBack.increment();
        }
        close();
        discharge.discharged(why);
    }

    /** The client asks for it. */
    public void rollBack() {
        undo("RT-4075 rolled back by its client", true);
    }

    /** Its client is gone: rolled back, unless it is on its way to the committer already. */
    public void abort() {
        if (discharge == null) {
            undo("RT-4073 its coordinator link has ended", false);
        }
    }

    private void undo(String why, boolean failed) {
        fail(rolledBack(why));
        giveBack(failed);
        transactions.counters().transactionsRolledBack.increment();
        close();
    }

    /** It rested too long: others get what it holds, its client hears of it when it asks for the end. */
    void timeOut(long idleMs) {
        fail(Conditions.of(
                TransactionErrors.TRANSACTION_TIMEOUT,
                "RT-4074 the transaction rested for more than amqp.transaction-idle-timeout=" + idleMs
                        + " ms and was rolled back: commit sooner or raise it"));
        giveBack(false);
    }

    /** @param failed whether the client has said so: then it counts */
    private void giveBack(boolean failed) {
        for (Enlisted enlisted : deliveries) {
            dispatcher().rolledBack(enlisted, failed);
            letGo(enlisted.bytes());
        }
        deliveries.clear();
        onRollBack.forEach(Runnable::run);
        onCommit.clear();
        onRollBack.clear();
    }

    private void letGo(int fewer) {
        bytes -= fewer;
        transactions.letGo(fewer);
    }

    private void close() {
        transactions.letGo(bytes);
        bytes = 0;
        transactions.ended(this);
    }

    public static ErrorCondition rolledBack(String why) {
        return Conditions.of(TransactionErrors.TRANSACTION_ROLLBACK, why);
    }
}
