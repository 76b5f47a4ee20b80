package io.ringtable.cli.bridge;

import java.util.List;
import java.util.UUID;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;

/**
 * Receives from the source, and tells it which messages are over.
 * <p>
 * Thread: the event loop. Failure: {@link Listener#ended}.
 */
final class SourceLink {

    /** Hears of the link, on the event loop. */
    interface Listener {
        void attached();

        void arrived(IncomingDelivery delivery, byte[] bytes);

        /** Hears that the source has made the end of these messages durable. */
        void confirmed(List<Carried> messages);

        void ended(BridgeFailure failure);
    }

    private static final Symbol[] OUTCOMES = {
        Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL, Released.DESCRIPTOR_SYMBOL, Modified.DESCRIPTOR_SYMBOL
    };

    private final PeerConnection connection;
    private final BridgeEnd end;
    private final Listener listener;
    private final Session session;
    private final Receiver receiver;
    private final Confirmation confirmation;
    private boolean closing;

    SourceLink(PeerConnection connection, Listener listener) {
        this.connection = connection;
        this.end = connection.bridgeEnd();
        this.listener = listener;
        session = connection.session();
        boolean durable = end.subscription() != null;
        receiver = session.receiver(durable ? end.subscription() : "ringtable-bridge-" + UUID.randomUUID());
        confirmation = connection.product().confirmation() == Product.Confirmation.TRANSACTION
                ? new TransactionConfirmation(session, listener)
                : new AnswerConfirmation(receiver, listener);
        receiver.setSource(source(durable));
        receiver.setTarget(new Target().setAddress(receiver.getName()));
        receiver.setSenderSettleMode(SenderSettleMode.UNSETTLED);
        receiver.setReceiverSettleMode(ReceiverSettleMode.FIRST);
        receiver.openHandler(remote -> {
            if (remote.getRemoteSource() != null) { // else refused: the detach that follows says why
                listener.attached();
            }
        });
        receiver.closeHandler(remote -> ended(remote.getRemoteCondition()));
        receiver.detachHandler(remote -> ended(remote.getRemoteCondition()));
        session.closeHandler(remote -> ended(remote.getRemoteCondition()));
        receiver.deliveryReadHandler(delivery -> connection.guarded(() -> read(delivery)));
    }

    private Source source(boolean durable) {
        Source source = new Source()
                .setAddress(end.address().name())
                .setCapabilities(TargetLink.capability(end.address()))
                .setOutcomes(OUTCOMES)
                .setDefaultOutcome(Released.getInstance())
                .setDurable(durable ? TerminusDurability.UNSETTLED_STATE : TerminusDurability.NONE)
                .setExpiryPolicy(durable ? TerminusExpiryPolicy.NEVER : TerminusExpiryPolicy.LINK_DETACH);
        return durable ? source.setDistributionMode(Symbol.valueOf("copy")) : source;
    }

    void attach() {
        session.open();
        receiver.open();
        confirmation.open();
    }

    private void read(IncomingDelivery delivery) {
        if (delivery.isPartial() || delivery.isAborted() || closing) {
            return; // a delivery that crosses the detach goes back to the source by itself
        }
        ProtonBuffer payload = delivery.readAll();
        byte[] bytes = new byte[payload == null ? 0 : payload.getReadableBytes()];
        if (payload != null) {
            payload.readBytes(bytes, 0, bytes.length);
            payload.close();
        }
        listener.arrived(delivery, bytes);
    }

    void addCredit(int more) {
        receiver.addCredit(more);
    }

    /** Tells the source that these messages are over; one call at a time, until {@link Listener#confirmed}. */
    void settle(List<Carried> messages) {
        confirmation.confirm(messages);
    }

    private void ended(ErrorCondition condition) {
        if (!closing) {
            closing = true;
            listener.ended(Refusals.of("receiving from " + end, condition));
        }
    }

    /** Ends the link; a durable subscription stays. */
    void detach() {
        closing = true;
        if (end.subscription() != null) {
            receiver.detach();
        } else {
            receiver.close();
        }
    }
}
