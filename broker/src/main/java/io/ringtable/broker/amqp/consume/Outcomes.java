package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.amqp.transaction.Transactions;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Outcome;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Translates what a client says of its deliveries (AMQP 1.0 section 3.4) into calls of the dispatcher.
 * <p>
 * Thread: the connection's event loop.
 */
public final class Outcomes {
    private static final String ACCEPTED = "accepted";

    private final ConsumerLink link;
    private final OpenConnection connection;
    private final Transactions transactions;
    private final DispatcherMailbox dispatcher;
    private final LinkHome home;
    private final TracedDeliveries traced;
    private long unsettled;
    private int acknowledging; // accepted deliveries whose clients wait until that is durable

    Outcomes(ConsumerLink link, ConsumerLinks links, DispatcherMailbox dispatcher, LinkHome home) {
        this.link = link;
        this.connection = links.connection();
        this.transactions = links.transactions();
        this.dispatcher = dispatcher;
        this.home = home;
        this.traced = new TracedDeliveries(links.traces());
    }

    /** Hears that the link begins to write a delivery. @param settled whether no outcome will come */
    void awaits(Delivery delivery, boolean settled) {
        traced.begin(delivery);
        if (!settled) {
            unsettled++;
        }
    }

    /** Returns how many deliveries have no outcome yet, and are in no transaction. */
    long unsettled() {
        return unsettled;
    }

    /** Tells whether a client waits until an acceptance is durable. */
    boolean isAcknowledging() {
        return acknowledging > 0;
    }

    /** Takes the message out of a delivery whose outcome has come. */
    private void take(OutgoingDelivery delivery) {
        delivery.setLinkedResource(null);
        unsettled--;
    }

    /** Accepts a delivery that is settled once it is written. */
    void accept(Delivery delivery) {
        traced.end(delivery, ACCEPTED);
        dispatcher.accepted(link, delivery, null);
    }

    /**
     * Returns the deliveries without an outcome, as the link ends.
     *
     * @param partly the delivery of which the client has not seen all; null if there is none
     */
    List<Delivery> missing(Sender sender, OutgoingDelivery partly) {
        List<Delivery> missing = new ArrayList<>();
        for (OutgoingDelivery delivery : sender.unsettled()) {
            if (delivery.getLinkedResource() instanceof Delivery owed) {
                traced.end(owed, null);
                if (delivery != partly) {
                    missing.add(owed);
                }
            }
        }
        return missing;
    }

    void onState(OutgoingDelivery delivery) {
        DeliveryState state = delivery.getRemoteState();
        if (!(delivery.getLinkedResource() instanceof Delivery owed)) {
            if (delivery.isRemotelySettled()) {
                delivery.settle(); // the outcome took effect when it came, unsettled
            }
        } else if (state instanceof TransactionalState transactional) {
            enlist(delivery, owed, transactional);
        } else if (state instanceof Accepted && !delivery.isRemotelySettled()) {
            acknowledge(delivery, owed);
        } else if (isTerminal(state)) {
            take(delivery);
            obey(owed, state);
            delivery.disposition(state, true);
        } else if (delivery.isRemotelySettled()) {
            // Settled without an outcome: the source's default outcome applies (AMQP 1.0 section 3.5.3).
            take(delivery);
            obey(owed, defaultOutcome(delivery));
            delivery.settle();
        }
    }

    /** Puts an outcome into a transaction: the outcome holds if the transaction commits (AMQP 1.0 section 4.4.3). */
    private void enlist(OutgoingDelivery delivery, Delivery owed, TransactionalState state) {
        LocalTransaction transaction = transactions.find(state);
        if (transaction == null) {
            link.detach(Transactions.unknown(state.getTxnId()));
            return;
        }
        Object outcome = state.getOutcome();
        if (outcome == null && !delivery.isRemotelySettled()) {
            return; // the client only announces the delivery's transaction
        }
        take(delivery);
        Object said = outcome == null ? defaultOutcome(delivery) : outcome;
        traced.end(owed, name(said));
        if (said instanceof Accepted) {
            transaction.enlist(owed, dispatcher.enlist(link, owed), home.of(owed));
        } else {
            transaction.enlist(() -> obey(owed, said), () -> dispatcher.modified(link, owed, true, false));
        }
        delivery.disposition(state, true);
    }

    private static boolean isTerminal(DeliveryState state) {
        return state instanceof Accepted
                || state instanceof Released
                || state instanceof Modified
                || state instanceof Rejected;
    }

    private void obey(Delivery owed, Object outcome) {
        traced.end(owed, name(outcome));
        if (outcome instanceof Accepted) {
            dispatcher.accepted(link, owed, null);
        } else if (outcome instanceof Modified modified) {
            dispatcher.modified(link, owed, modified.isDeliveryFailed(), modified.isUndeliverableHere());
        } else if (outcome instanceof Rejected rejected) {
            dispatcher.rejected(link, owed, reason(rejected.getError()));
        } else {
            dispatcher.released(link, owed);
        }
    }

    /** Returns the outcome's name in traces. */
    private static String name(Object outcome) {
        if (outcome instanceof Accepted) {
            return ACCEPTED;
        }
        if (outcome instanceof Modified) {
            return "modified";
        }
        return outcome instanceof Rejected ? "rejected" : "released";
    }

    private static String reason(ErrorCondition error) {
        if (error == null) {
            return null;
        }
        return error.getDescription() == null
                ? String.valueOf(error.getCondition())
                : error.getCondition() + " " + error.getDescription();
    }

    private static Outcome defaultOutcome(OutgoingDelivery delivery) {
        Source source = delivery.getLink().getRemoteSource();
        Outcome outcome = source == null ? null : source.getDefaultOutcome();
        return outcome == null ? Released.getInstance() : outcome;
    }

    /** Accepts a delivery whose client waits until its acknowledgement is durable. */
    private void acknowledge(OutgoingDelivery delivery, Delivery owed) {
        take(delivery);
        traced.end(owed, ACCEPTED);
        acknowledging++;
        dispatcher.accepted(link, owed, new Acknowledgement(delivery));
    }

    private final class Acknowledgement implements Completion, ConnectionMailbox.Event {
        private final OutgoingDelivery delivery;
        private Refusal refusal;

        Acknowledgement(OutgoingDelivery delivery) {
            this.delivery = delivery;
        }

        @Override
        public void accepted() {
            connection.mailbox().put(this);
        }

        @Override
        public void refused(Refusal why) {
            refusal = why;
            connection.mailbox().put(this);
        }

        @Override
        public Mailbox mailbox() {
            return connection.mailbox();
        }

        @Override
        public void onEventLoop() {
            acknowledging--;
            if (connection.isRunning()
                    && delivery.getLink().isLocallyOpen()
                    && delivery.getLink().isRemotelyOpen()) {
                delivery.disposition(
                        refusal == null ? Accepted.getInstance() : new Rejected(Conditions.of(refusal)), true);
            }
        }
    }
}
