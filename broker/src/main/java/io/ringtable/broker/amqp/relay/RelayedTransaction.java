package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.amqp.transaction.RemotePart;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transactions.Declared;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Is what a client's transaction has at one owner: a transaction of that node, under an id that it has given.
 * <p>
 * Thread: the event loop of the client's connection.
 */
final class RelayedTransaction implements RemotePart {
    private final Front front;
    private final RelayedCoordinator coordinator;
    private final LocalTransaction transaction;
    private final Relay relay;
    private final List<Runnable> waiting = new ArrayList<>(); // until the owner has given the id, or does not
    private Binary id; // null before
    private boolean used; // something goes to the owner in it
    private boolean failed; // it was never begun at the owner, or is gone there
    private LocalTransaction.Discharged answer; // null until the client asks
    private Runnable whenRolledBack; // null as long as it does not roll back

    RelayedTransaction(Front front, RelayedCoordinator coordinator, LocalTransaction transaction, Relay relay) {
        this.front = front;
        this.coordinator = coordinator;
        this.transaction = transaction;
        this.relay = relay;
    }

    /** Becomes a part of the transaction, and asks the owner for an id. */
    void begin() {
        transaction.takesPart(this);
        coordinator.declare(this::declared);
    }

    private void declared(DeliveryState state) {
        if (state instanceof Declared declared) {
            id = declared.getTxnId();
            goOn();
        } else {
            lost(state instanceof Rejected rejected ? rejected.getError() : null);
        }
    }

    private void goOn() {
        List<Runnable> ready = List.copyOf(waiting);
        waiting.clear();
        ready.forEach(Runnable::run);
    }

    /** Tells whether the owner knows it. */
    boolean isDeclared() {
        return id != null;
    }

    boolean isFailed() {
        return failed;
    }

    /** Goes on once the owner knows it, or it has failed: {@link #isDeclared} tells. */
    void whenAnswered(Runnable then) {
        if (id != null || failed) {
            then.run();
        } else {
            waiting.add(then);
        }
    }

    /** Returns what a client says within its transaction, as the owner knows that. */
    TransactionalState toOwner(TransactionalState said) {
        used = true;
        TransactionalState state = new TransactionalState();
        state.setTxnId(id);
        state.setOutcome(said.getOutcome());
        return state;
    }

    /** Returns what the owner says, as the client knows its transaction. */
    TransactionalState toClient(TransactionalState said) {
        return said.getOutcome() instanceof Accepted
                ? transaction.answer(null)
                : transaction.answer(said.getOutcome() instanceof Rejected rejected ? rejected.getError() : null);
    }

    /** Notes that something goes to the owner in it, once the owner knows it. */
    void use() {
        used = true;
    }

    /** Withdraws, if nothing goes to the owner in it: its shard is another node's from now on. */
    void withdrawUnused() {
        if (!used) {
            transaction.leaves(this);
            rollBack(() -> {});
        }
    }

    LocalTransaction transaction() {
        return transaction;
    }

    @Override
    public void commit(LocalTransaction.Discharged whenDone) {
        answer = whenDone;
        if (failed) {
            discharged(LocalTransaction.rolledBack(gone(null)));
        } else {
            whenAnswered(() -> discharge(false, this::committed));
        }
    }

    private void committed(DeliveryState state) {
        if (state instanceof Accepted) {
            discharged(null);
        } else {
            discharged(
                    state instanceof Rejected rejected && rejected.getError() != null
                            ? rejected.getError()
                            : LocalTransaction.rolledBack(gone(null)));
        }
    }

    private void discharged(ErrorCondition failure) {
        LocalTransaction.Discharged whenDone = answer;
        answer = null;
        coordinator.ended(transaction);
        if (whenDone != null) {
            whenDone.discharged(failure);
        }
    }

    @Override
    public void rollBack(Runnable then) {
        whenRolledBack = then;
        coordinator.rollsBack(transaction, this);
        whenAnswered(() -> discharge(true, state -> rolledBack()));
    }

    private void rolledBack() {
        Runnable then = whenRolledBack;
        whenRolledBack = () -> {};
        coordinator.hasRolledBack(this);
        then.run();
    }

    private void discharge(boolean fail, Consumer<DeliveryState> then) {
        if (isDeclared()) {
            coordinator.discharge(id, fail, then);
        } else {
            then.accept(null);
        }
    }

    /** Hears that the owner has no such transaction any more. @param why null if it has not said */
    void lost(ErrorCondition why) {
        failed = true;
        if (whenRolledBack != null) {
            rolledBack();
        } else if (answer == null) {
            transaction.fail(LocalTransaction.rolledBack(gone(why)));
        } else if (!isDeclared()) { // so nobody has asked the owner for its end
            discharged(LocalTransaction.rolledBack(gone(why)));
        } else { // nobody knows whether it is durable: the client connects again, and finds what is owed
            answer = null;
            front.connection().close(Conditions.of(ConnectionError.CONNECTION_FORCED, gone(why)), true);
        }
        goOn();
    }

    /** Returns why a transaction rolls back of which a transfer may not have reached the owner. */
    static ErrorCondition linkEnded() {
        return LocalTransaction.rolledBack("RT-4643 the link of one of its messages to another node has ended");
    }

    /** Returns why a transaction rolls back of which the owner has not taken a message. */
    static ErrorCondition messageRefused(Object outcome, ErrorCondition why) {
        return LocalTransaction.rolledBack("RT-4644 the owner of an address refused one of its messages: "
                + (why == null ? outcome : why.getDescription()));
    }

    /** Returns why a transaction rolls back of which a delivery has gone back to its owner. */
    static ErrorCondition deliveryGone() {
        return LocalTransaction.rolledBack(
                "RT-4645 a delivery went back to its owner before the client accepted it, and will be delivered again");
    }

    /** Says for people why nothing more is taken. */
    String lostText() {
        return gone(null);
    }

    private String gone(ErrorCondition why) {
        return "RT-4641 the part of the transaction at " + relay.node() + " has ended"
                + (why == null ? "" : ": " + why.getDescription());
    }

    @Override
    public String toString() {
        return relay.node().toString();
    }
}
