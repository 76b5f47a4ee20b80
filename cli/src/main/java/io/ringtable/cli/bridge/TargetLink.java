package io.ringtable.cli.bridge;

import io.ringtable.client.Address;
import io.ringtable.wire.RingtableSymbols;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.impl.ProtonDeliveryTagGenerator;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;

/**
 * Sends to the target, as its credit allows, and hears its outcomes.
 * <p>
 * Thread: the event loop. Failure: {@link Listener#ended}.
 */
final class TargetLink {

    /** Hears of the link, on the event loop. */
    interface Listener {
        void attached();

        /** Hears that the target has the message. */
        void accepted(Carried message);

        void ended(BridgeFailure failure);
    }

    private final PeerConnection connection;
    private final BridgeEnd end;
    private final int window;
    private final Listener listener;
    private final Session session;
    private final Sender sender;
    private final Deque<Carried> unsent = new ArrayDeque<>();
    private OutgoingDelivery partial; // null = no delivery has gone in part
    private ProtonBuffer rest; // of the partial delivery
    private int unanswered;
    private boolean sending;
    private boolean ended;

    /** @param window the most messages that may have to be sent again under their keys; 0 = they have no keys */
    TargetLink(PeerConnection connection, int window, Listener listener) {
        this.connection = connection;
        this.window = window;
        this.end = connection.bridgeEnd();
        this.listener = listener;
        session = connection.session();
        sender = session.sender("ringtable-bridge-" + UUID.randomUUID());
        sender.setSource(new Source().setAddress(sender.getName()));
        sender.setTarget(new Target().setAddress(end.address().name()).setCapabilities(capability(end.address())));
        sender.setSenderSettleMode(SenderSettleMode.UNSETTLED);
        sender.setReceiverSettleMode(ReceiverSettleMode.FIRST);
        sender.setDeliveryTagGenerator(ProtonDeliveryTagGenerator.BUILTIN.POOLED.createGenerator());
        sender.setProperties(Map.of(RingtableSymbols.DUPLICATE_IDS, window));
        sender.openHandler(remote -> connection.guarded(() -> attached(remote)));
        sender.closeHandler(remote -> ended(remote.getRemoteCondition()));
        sender.detachHandler(remote -> ended(remote.getRemoteCondition()));
        session.closeHandler(remote -> ended(remote.getRemoteCondition()));
        sender.creditStateUpdateHandler(updated -> connection.guarded(this::pump));
        sender.deliveryStateUpdatedHandler(delivery -> connection.guarded(() -> outcome(delivery)));
    }

    /** Returns what says to brokers for JMS that an address is a queue or a topic. */
    static Symbol capability(Address address) {
        return Symbol.valueOf(address.kind() == Address.Kind.QUEUE ? "queue" : "topic");
    }

    void attach() {
        session.open();
        sender.open();
    }

    private void attached(Sender remote) {
        if (remote.getRemoteTarget() == null) {
            return; // refused: the detach that follows says why
        }
        Map<Symbol, Object> answer = remote.getRemoteProperties();
        Object kept = answer == null ? null : answer.get(RingtableSymbols.DUPLICATE_IDS);
        if (kept instanceof Integer ids && ids < window) {
            fail(new BridgeFailure(
                    BridgeFailure.Reason.FINAL,
                    "RT-6029",
                    end.broker() + " remembers the last " + ids + " ids of an address"
                            + " (ringtable.commit.duplicate-ids), and " + window
                            + " messages may come again after an interruption: raise that, or lower --window"));
            return;
        }
        listener.attached();
    }

    /** Takes a message over; sends it when there is credit. */
    void send(Carried message) {
        unsent.add(message);
        pump();
    }

    /** Returns whether every message that it has taken is with the target. */
    boolean isIdle() {
        return unsent.isEmpty() && unanswered == 0;
    }

    /** Sends what may go; the engine may call this method while it sends. */
    private void pump() {
        if (sending || ended) {
            return;
        }
        sending = true;
        try {
            while (sender.isSendable() && (partial != null || !unsent.isEmpty())) {
                if (partial == null) {
                    Carried next = unsent.poll();
                    partial = sender.next();
                    partial.setLinkedResource(next);
                    partial.setMessageFormat(next.delivery().getMessageFormat());
                    rest = PeerConnection.wrap(next.bytes());
                    unanswered++;
                }
                partial.writeBytes(rest);
                if (rest.isReadable()) {
                    return; // the session's window is full; its next flow frame goes on
                }
                partial = null;
                rest = null;
            }
        } finally {
            sending = false;
        }
    }

    private void outcome(OutgoingDelivery delivery) {
        DeliveryState state = delivery.getRemoteState();
        if (state == null && !delivery.isRemotelySettled() || delivery.isSettled()) {
            return;
        }
        Carried message = delivery.getLinkedResource(Carried.class);
        delivery.settle();
        unanswered--;
        if (state instanceof Accepted) {
            listener.accepted(message);
        } else if (state instanceof Rejected rejected) {
            fail(rejected(rejected.getError()));
        } else {
            fail(new BridgeFailure(
                    BridgeFailure.Reason.PASSING, "RT-6022", end + " gives a message back (" + state + ")"));
        }
    }

    private BridgeFailure rejected(ErrorCondition error) {
        String why = error == null || error.getCondition() == null
                ? "no reason given"
                : error.getCondition() + (error.getDescription() == null ? "" : ": " + error.getDescription());
        boolean passing = why.startsWith("amqp:resource-limit-exceeded");
        return passing
                ? new BridgeFailure(
                        BridgeFailure.Reason.PASSING, "RT-6022", end + " has no room for a message (" + why + ")")
                : new BridgeFailure(
                        BridgeFailure.Reason.FINAL,
                        "RT-6024",
                        end + " rejects a message (" + why + "): it stays in the source; remove it there, or let the"
                                + " target take it, and start the bridge again");
    }

    private void ended(ErrorCondition condition) {
        fail(Refusals.of("sending to " + end, condition));
    }

    private void fail(BridgeFailure failure) {
        if (!ended) {
            ended = true;
            listener.ended(failure);
        }
    }
}
