package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.frames.RelayedTransfer;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.wire.RingtableSymbols;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Outcome;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Passes on what a client's link without a target sends to one address of another node. The link bounds what waits and
 * what has no outcome.
 * <p>
 * Thread: the event loop of the client's connection. Failure: what cannot be passed on is refused; after the loss of a
 * relay nobody knows, and the client's connection is closed.
 */
public final class RelayedMessages {
    /** Hears what became of a message. */
    public interface Answer {
        /** Ends the wait for the outcome. @param refusal null if the message is accepted */
        void answered(ErrorCondition refusal);
    }

    /** Holds a message that waits, or whose outcome is owed. */
    private final class Waiting {
        private final IncomingDelivery delivery;
        private final LocalTransaction transaction; // null outside of transactions
        private final ProtonBuffer bytes;
        private final Answer answer;
        private RelayedTransfer transfer; // null before its beginning

        Waiting(IncomingDelivery delivery, LocalTransaction transaction, byte[] body, Answer answer) {
            this.delivery = delivery;
            this.transaction = transaction;
            this.bytes = ProtonByteArrayBufferAllocator.wrapped(body, 0, body.length);
            this.answer = answer;
        }
    }

    private final Front front;
    private final Link<?> link;
    private final NodeName node;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Set<Waiting> unsettled = new HashSet<>(); // passed on
    private final Runnable again = this::write;
    private RelayedSession session; // null before the relay is open
    private Sender sender; // the same
    private boolean ending;
    private boolean over;

    /** @param link the client's */
    RelayedMessages(Front front, Link<?> link, NodeName node) {
        this.front = front;
        this.link = link;
        this.node = node;
    }

    /** Attaches at the owner. @param itsSession mirrors that of the client's link */
    void attach(RelayedSession itsSession, CarriedClient client) {
        session = itsSession;
        sender = session.session().sender(CarriedClient.prefix(client.connection()) + client.link());
        sender.setProperties(Map.<Symbol, Object>of(RingtableSymbols.CLIENT, client.said()));
        sender.setSource(new Source().setOutcomes(Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL));
        Target target = new Target().setAddress(node.name());
        if (node.kind() != null) {
            target.setCapabilities(node.kind() == AddressKind.QUEUE ? NodeName.QUEUE : NodeName.TOPIC);
        }
        sender.setTarget(target);
        sender.openHandler(opened -> {});
        sender.creditStateUpdateHandler(changed -> front.post(this::write));
        sender.closeHandler(closed -> front.post(this::onDetach));
        sender.detachHandler(detached -> front.post(this::onDetach));
        session.put(this);
        sender.open();
    }

    /** Passes a message on. @param transaction null = in none */
    public void send(IncomingDelivery delivery, LocalTransaction transaction, byte[] body, Answer answer) {
        waiting.add(new Waiting(delivery, transaction, body, answer));
        write();
    }

    /** Tells whether another message can be passed on here: the owner has not ended the link. */
    public boolean isOver() {
        return over;
    }

    /** Tells whether nothing waits, for its way or for its outcome. */
    public boolean isIdle() {
        return waiting.isEmpty() && unsettled.isEmpty();
    }

    /** Ends the link at the owner once all that was sent is there: the client's link has ended. */
    public void end() {
        ending = true;
        write();
    }

    /** Writes what waits, in its order, as far as the owner lets it. */
    void write() {
        while (!waiting.isEmpty() && canWrite()) {
            if (!write(waiting.peek())) {
                break;
            }
            waiting.remove();
        }
        if (ending && isIdle() && !over) {
            close();
        }
        if (session != null) {
            session.endIfDone();
        }
    }

    private boolean canWrite() {
        if (over
                || sender == null
                || !session.relay().isRunning()
                || !sender.isLocallyOpen()
                || !sender.isRemotelyOpen()) {
            return false;
        }
        if (session.relay().canWrite() && LinkFlow.isSendable(sender)) {
            return true;
        }
        session.block(again);
        return false;
    }

    /** Writes one message. @return whether all of it has left, or it was refused */
    private boolean write(Waiting next) {
        if (next.transfer == null && !begin(next)) {
            return next.transfer == null && !waitsForId(next);
        }
        next.transfer.write(next.bytes, true);
        if (!next.transfer.isComplete()) {
            session.block(again);
            return false;
        }
        if (next.transfer.isSettled()) {
            next.answer.answered(null);
        }
        return true;
    }

    private boolean waitsForId(Waiting next) {
        return next.transaction != null
                && !session.coordinator().part(next.transaction).isFailed();
    }

    private boolean begin(Waiting next) {
        DeliveryState state = null;
        if (next.transaction != null) {
            RelayedTransaction part = session.coordinator().part(next.transaction);
            if (part.isFailed()) {
                next.answer.answered(LocalTransaction.rolledBack(part.lostText()));
                return false;
            }
            if (!part.isDeclared()) {
                part.whenDeclared(() -> front.post(this::write));
                return false;
            }
            state = part.toOwner((TransactionalState) next.delivery.getRemoteState());
        }
        boolean settled = next.delivery.isRemotelySettled();
        byte[] tag = next.delivery.getTag().tagBytes();
        next.transfer = session.relay()
                .transfers()
                .begin(sender, tag, next.delivery.getMessageFormat(), state, settled, () -> onSaid(next));
        if (!settled) {
            unsettled.add(next);
        }
        return true;
    }

    private void onSaid(Waiting about) {
        front.post(() -> {
            if (about.transfer.isRemotelySettled() && unsettled.remove(about)) {
                about.answer.answered(refusal(about.transfer.remoteState()));
                write();
            }
        });
    }

    private static ErrorCondition refusal(DeliveryState said) {
        Outcome outcome = said instanceof TransactionalState state
                ? state.getOutcome()
                : said instanceof Outcome plain ? plain : null;
        if (outcome instanceof Accepted) {
            return null;
        }
        return outcome instanceof Rejected rejected && rejected.getError() != null
                ? rejected.getError()
                : Conditions.of(
                        AmqpError.INTERNAL_ERROR, "RT-4642 the owner of the address did not accept the message");
    }

    // ---- the end

    private void onDetach() {
        ErrorCondition why = sender.getRemoteCondition();
        close();
        if (why != null && ConnectionError.CONNECTION_FORCED.equals(why.getCondition())) {
            front.connection().close(why, true);
        } else {
            refuse(why);
        }
    }

    private void close() {
        over = true;
        if (session.relay().isRunning() && sender.isLocallyOpen()) {
            sender.close();
        }
        session.remove(this);
    }

    /** Refuses what waits, and what the owner has said nothing of: the link is over. @param why null if unknown */
    void refuse(ErrorCondition why) {
        over = true;
        ErrorCondition refusal = why == null ? Relay.endedUnasked() : why;
        List<Waiting> all = List.copyOf(waiting);
        List<Waiting> sent = List.copyOf(unsettled);
        waiting.clear();
        unsettled.clear();
        sent.forEach(each -> each.transfer.forget());
        sent.forEach(each -> each.answer.answered(refusal));
        all.stream().filter(each -> !sent.contains(each)).forEach(each -> each.answer.answered(refusal));
    }

    /** Hears that the session at the owner has ended. */
    void ownerGone() {
        if (!over) {
            refuse(null);
        }
    }

    boolean hasWaiting() {
        return !over && !waiting.isEmpty();
    }

    boolean isBusy() {
        return !isIdle();
    }

    Link<?> link() {
        return link;
    }
}
