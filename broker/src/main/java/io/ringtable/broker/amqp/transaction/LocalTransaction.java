package io.ringtable.broker.amqp.transaction;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.HandOff;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.status.TransactionStatus;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Deduplication;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Settle;
import io.ringtable.broker.work.Work;
import java.time.Instant;
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
 * Gathers a local transaction (AMQP 1.0 section 4.4) in memory: messages and settlements of any links of one
 * connection. The committer gets all of it as one {@link Work} at the discharge, so that one flush holds all of it or
 * nothing.
 * <p>
 * While the transaction lasts, its messages hold their places in the quotas of their addresses, and its deliveries stay
 * away from other consumers. A transaction is bounded in bytes, and in time once it rests. Thread: the connection's
 * event loop, except {@link #accepted} and {@link #refused}, which put it into the mailbox.
 * <p>Longer than others, because each end of a transaction undoes what each kind of part has done.
 */
public final class LocalTransaction implements Completion, ConnectionMailbox.Event, HandOff.Waiting {
    /** Hears how the discharge ended. */
    @FunctionalInterface
    public interface Discharged {
        /** Ends the discharge. @param failure null if everything in the transaction is durable */
        void discharged(ErrorCondition failure);
    }

    private final Transactions transactions;
    private final long number;
    private final Binary id;
    private final Instant since = Instant.now();
    private final TransactionalState accepted; // always the same object, so that a range of deliveries makes one frame
    private final List<Message> messages = new ArrayList<>();
    private final List<DuplicateId> ids = new ArrayList<>(); // as Deduplication has them: empty until a message has one
    private final List<Enlisted> deliveries = new ArrayList<>();
    private final List<Runnable> onCommit = new ArrayList<>(); // outcomes other than accepted
    private final List<Runnable> onRollBack = new ArrayList<>();
    private Address first; // the first stored address that takes part; null = none yet
    private Home home; // of that address, or else of the first message; null = none yet
    private long bytes; // of messages, published and received
    private RemotePart elsewhere; // what another node has of the transaction; null = nothing
    private int arriving; // transfers that wait until they are read, for their address or a place in it
    private ErrorCondition failure; // the transaction can only roll back
    private Discharged discharge; // null until the client asks
    private Refusal refusal; // the committer's
    private long usedAt; // System.nanoTime

    /** Begins a transaction. @param id the number as the client knows it */
    LocalTransaction(Transactions transactions, long number, Binary id) {
        this.transactions = transactions;
        this.number = number;
        this.id = id;
        this.accepted = state(Accepted.getInstance());
    }

    /** Returns the number, unique on its connection. */
    public long number() {
        return number;
    }

    public Binary id() {
        return id;
    }

    /** Returns when the client declared the transaction. */
    public Instant since() {
        return since;
    }

    /** Describes the transaction to operators. @param connection id of the connection */
    public TransactionStatus status(String connection) {
        return new TransactionStatus(
                connection + ".t" + number,
                connection,
                since,
                messages.size(),
                bytes,
                deliveries.size() + onCommit.size(),
                failure == null ? null : failure.getDescription());
    }

    /** Returns the answer to a transfer or an acceptance inside the transaction (AMQP 1.0 section 4.5.5). */
    public TransactionalState answer(ErrorCondition refusal) {
        return refusal == null ? accepted : state(new Rejected(refusal));
    }

    private TransactionalState state(Outcome outcome) {
        TransactionalState state = new TransactionalState();
        state.setTxnId(id);
        state.setOutcome(outcome);
        return state;
    }

    // ---- what takes part

    /** Counts a transfer that has begun; {@link #arrived} or {@link #notArrived} must follow. */
    public void arriving() {
        arriving++;
        used();
    }

    /**
     * Takes over a transfer's messages, with one place each in the quota of their address.
     *
     * @param itsHome the home of that address
     */
    public void arrived(Home itsHome, List<Message> arrived, List<DuplicateId> theirIds) {
        if (!ids.isEmpty() || !theirIds.isEmpty()) {
            ids.addAll(Collections.nCopies(messages.size() - ids.size(), null));
            ids.addAll(theirIds.isEmpty() ? Collections.nCopies(arrived.size(), null) : theirIds);
        }
        messages.addAll(arrived);
        arrived.forEach(message -> {
            hold(message.bytes());
            takesPart(message.address(), itsHome);
        });
        if (failure != null) {
            dropMessages();
        }
        arrivedAny();
    }

    /** Fails the transaction, since a transfer was refused or lost: the rest cannot become durable without it. */
    public void notArrived(ErrorCondition why) {
        fail(why);
        arrivedAny();
    }

    /** Ends the wait for a transfer until it is read: what becomes of it counts by itself. */
    public void read() {
        arrivedAny();
    }

    private void arrivedAny() {
        arriving--;
        if (discharge != null && arriving == 0) {
            commitOrRollBack();
        }
    }

    /**
     * Takes in a delivery that its consumer accepts.
     *
     * @param enlisted the delivery as its dispatcher gave it; null if its consumer has it no more
     * @param itsHome the home of its address
     */
    public void enlist(Delivery delivery, Enlisted enlisted, Home itsHome) {
        used();
        if (enlisted == null) {
            fail(rolledBack("RT-4071 message " + delivery.sequence() + " of " + delivery.subscription()
                    + " went back before the client accepted it, and will be delivered again"));
        } else {
            deliveries.add(enlisted);
            hold(enlisted.bytes());
            if (delivery.subscription().isStored()) {
                takesPart(delivery.subscription().address(), itsHome);
            }
        }
    }

    /** Takes in what another node has of the transaction. All of it that is stored is there then. */
    public void takesPart(RemotePart part) {
        used();
        if (elsewhere == null && first == null) {
            elsewhere = part;
        } else if (elsewhere != part) {
            fail(rolledBack(twoNodes(first == null ? String.valueOf(elsewhere) : first.toString(), part.toString())));
            part.rollBack(() -> {});
        }
    }

    /** Forgets a part that has nothing yet: what was for it goes to another node. */
    public void leaves(RemotePart part) {
        if (elsewhere == part) {
            elsewhere = null;
        }
    }

    /** Returns why the transaction can only roll back; null if it may commit. */
    public ErrorCondition failure() {
        return failure;
    }

    private static String twoNodes(String one, String other) {
        return "RT-4567 a transaction has one home, and this one has something at " + one + " and something at " + other
                + ". Give the names of its addresses one affinity by a policy before they are created, or use a"
                + " transaction for each";
    }

    /** Ends a transfer of another node's part: that node has it. */
    public void arrivedElsewhere() {
        arrivedAny();
    }

    private void takesPart(Address address, Home itsHome) {
        if (!address.isTemporary() && elsewhere != null) {
            fail(rolledBack(twoNodes(elsewhere.toString(), address.toString())));
        } else if (address.isTemporary()) { // it lives in memory, and gets its messages after the commit
            home = home == null ? itsHome : home;
        } else if (first == null) {
            first = address;
            home = itsHome;
        } else if (home != itsHome) {
            fail(rolledBack(Transactions.refusal(first, home, address, itsHome)));
        }
    }

    /** Takes in another outcome of a delivery, which holds if the transaction commits. */
    public void enlist(Runnable whenCommitted, Runnable whenRolledBack) {
        used();
        onCommit.add(whenCommitted);
        onRollBack.add(whenRolledBack);
    }

    private void hold(int more) {
        bytes += more;
        if (!transactions.hold(more)) {
            fail(rolledBack(
                    "RT-4072 the transactions of the connection hold more than ringtable.amqp.transaction-bytes-max="
                            + transactions.bytesMax()
                            + " bytes: commit more often or raise it"));
        }
    }

    private void used() {
        usedAt = System.nanoTime();
        transactions.watch();
    }

    /** Tells whether the transaction holds anything; an empty one may rest without a limit. */
    boolean isHolding() {
        return !messages.isEmpty() || !deliveries.isEmpty() || !onCommit.isEmpty() || arriving > 0 || elsewhere != null;
    }

    /** Tells whether the transaction holds anything of a shard. @param shard its number */
    public boolean uses(int shard) {
        return home != null && home.number() == shard;
    }

    /** Tells whether the client has asked for the end, and all that it has sent before is in. */
    boolean isComplete() {
        return discharge != null && arriving == 0;
    }

    /** Returns the time since something was put in, in ns. */
    long restingNanos(long now) {
        return now - usedAt;
    }

    // ---- its end

    /**
     * Fails the transaction for the first reason given: it can only roll back now. Its messages release their places.
     */
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
        transactions.abandon(messages);
        messages.clear();
        ids.clear();
    }

    /**
     * Commits for the client. One answer follows, when all of the transaction is durable or rolled back. Nothing can
     * join from now on, since it would be in no flush.
     */
    public void commit(Discharged answer) {
        discharge = answer;
        transactions.commits(this);
        if (arriving == 0) {
            commitOrRollBack();
        }
    }

    private void commitOrRollBack() {
        if (failure != null) {
            giveBack(true, () -> end(failure));
        } else if (elsewhere != null) {
            elsewhere.commit(this::committedElsewhere);
        } else {
            commitHere();
        }
    }

    private void committedElsewhere(ErrorCondition why) {
        elsewhere = null;
        if (why == null) {
            commitHere(); // what temporary addresses get
        } else {
            giveBack(true, () -> end(why));
        }
    }

    private void commitHere() {
        if (messages.isEmpty() && settlements().isEmpty()) {
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

    /** Hands the transaction to the committer, or waits until there is room. */
    @Override
    public void advance() {
        HandOff handOff = transactions.handOff();
        handOff.waitsNoMore(this);
        Work work = new Work(List.copyOf(messages), settlements(), Deduplication.ids(new ArrayList<>(ids)), this);
        if (!transactions.submit(home, work)) {
            handOff.waits(this);
        }
    }

    @Override
    public void accepted() {
        transactions.connection().mailbox().put(this);
    }

    @Override
    public void refused(Refusal why) {
        refusal = why;
        transactions.connection().mailbox().put(this);
    }

    @Override
    public Mailbox mailbox() {
        return transactions.connection().mailbox();
    }

    @Override
    public void onEventLoop() {
        if (refusal == null) {
            applied();
        } else if (refusal.reason() == Refusal.Reason.UNAVAILABLE) {
            // Nobody knows whether it is durable: no answer, the client reconnects and finds what is owed.
            close();
            transactions.connection().close(Conditions.of(refusal), true);
        } else {
            giveBack(true, () -> end(rolledBack(refusal.toString())));
        }
        transactions.handOff().answered();
    }

    private void applied() {
        deliveries.forEach(enlisted -> enlisted.dispatcher().committed(enlisted));
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

    /** Rolls back for the client. @param then runs once all deliveries are back in their places */
    public void rollBack(Runnable then) {
        undo("RT-4075 the client rolled the transaction back", true, then);
    }

    /** Rolls back, since the client is gone; not if the transaction is on its way to the committer already. */
    public void abort() {
        if (discharge == null) {
            undo("RT-4073 the transaction's coordinator link has ended", false, () -> {});
        }
    }

    private void undo(String why, boolean failed, Runnable then) {
        fail(rolledBack(why));
        transactions.counters().transactionsRolledBack.increment();
        giveBack(failed, then);
        close();
    }

    /**
     * Rolls back after too long a rest: others get what the transaction holds. The client hears of it when it asks for
     * the end.
     */
    void timeOut(long idleMs) {
        giveUp(Conditions.of(
                TransactionErrors.TRANSACTION_TIMEOUT,
                "RT-4074 the broker rolled the transaction back after ringtable.amqp.transaction-idle-timeout=" + idleMs
                        + " ms without use: commit sooner or raise it"));
    }

    /**
     * Rolls back though the client has not asked: others get what the transaction holds. The client hears why when it
     * asks for the end.
     */
    void giveUp(ErrorCondition why) {
        fail(why);
        giveBack(false, () -> {});
    }

    /**
     * Gives back the deliveries.
     *
     * @param failed whether the client has said so: the failed delivery then counts
     * @param then runs once they are back, at another node too
     */
    private void giveBack(boolean failed, Runnable then) {
        RemotePart part = elsewhere;
        elsewhere = null;
        for (Enlisted enlisted : deliveries) {
            enlisted.dispatcher().rolledBack(enlisted, failed);
            letGo(enlisted.bytes());
        }
        deliveries.clear();
        onRollBack.forEach(Runnable::run);
        onCommit.clear();
        onRollBack.clear();
        if (part == null) {
            then.run();
        } else {
            part.rollBack(then);
        }
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
