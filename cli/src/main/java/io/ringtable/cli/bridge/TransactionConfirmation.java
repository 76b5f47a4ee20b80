package io.ringtable.cli.bridge;

import java.util.List;
import java.util.UUID;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.Transaction;
import org.apache.qpid.protonj2.engine.TransactionController;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transactions.TxnCapability;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Accepts messages in a transaction of the source (AMQP 1.0 section 4). The answer to its discharge says that all of
 * them are durably over. A plain outcome would be answered by nothing that says so.
 */
final class TransactionConfirmation implements Confirmation {
    private final SourceLink.Listener listener;
    private final TransactionController coordinator;
    private List<Carried> asked = List.of();
    private boolean declareWanted;
    private boolean failed;

    TransactionConfirmation(Session session, SourceLink.Listener listener) {
        this.listener = listener;
        coordinator = session.coordinator("ringtable-bridge-" + UUID.randomUUID());
        coordinator.setSource(new Source());
        coordinator.setCoordinator(new Coordinator().setCapabilities(TxnCapability.LOCAL_TXN));
        coordinator.addCapacityAvailableHandler(ready -> declare());
        coordinator.declaredHandler(this::declared);
        coordinator.dischargedHandler(done -> listener.confirmed(asked));
        coordinator.declareFailureHandler(refused -> fail("a transaction", refused.getCondition()));
        coordinator.dischargeFailureHandler(refused -> fail("the end of a transaction", refused.getCondition()));
        coordinator.closeHandler(
                remote -> fail("the coordinator of transactions of the source", remote.getRemoteCondition()));
    }

    @Override
    public void open() {
        coordinator.open();
    }

    @Override
    public void confirm(List<Carried> messages) {
        asked = messages;
        declareWanted = true;
        declare();
    }

    private void declare() {
        if (declareWanted && coordinator.hasCapacity()) {
            declareWanted = false;
            coordinator.declare();
        }
    }

    private void declared(Transaction<TransactionController> transaction) {
        for (Carried message : asked) {
            message.delivery()
                    .disposition(
                            new TransactionalState()
                                    .setTxnId(transaction.getTxnId())
                                    .setOutcome(Accepted.getInstance()),
                            true);
        }
        coordinator.discharge(transaction, false);
    }

    private void fail(String what, ErrorCondition condition) {
        if (!failed) {
            failed = true;
            listener.ended(Refusals.of(what, condition));
        }
    }
}
