package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.frames.RelayedTransfer;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.wire.RingtableSymbols;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transactions.Declare;
import org.apache.qpid.protonj2.types.transactions.Discharge;
import org.apache.qpid.protonj2.types.transactions.TxnCapability;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Declares and discharges at the owner what clients' transactions have there, for one session.
 * <p>
 * Thread: the event loop of the client's connection.
 */
final class RelayedCoordinator {
    private record Command(Object body, Consumer<DeliveryState> answer) {}

    private final Front front;
    private final RelayedSession session;
    private final Sender sender;
    private final Encoder encoder = CodecFactory.getDefaultEncoder();
    private final Map<LocalTransaction, RelayedTransaction> parts = new HashMap<>();
    private final Set<RelayedTransaction> rollingBack = new HashSet<>(); // until the owner has them back
    private final ArrayDeque<Command> waiting = new ArrayDeque<>(); // for credit
    private final Runnable again = this::write;
    private long commands;
    private boolean gone;

    /** Attaches a link. @param client whose transactions these are */
    RelayedCoordinator(Front front, RelayedSession session, CarriedClient client) {
        this.front = front;
        this.session = session;
        this.sender = session.session().sender(CarriedClient.prefix(client.connection()) + client.link());
        sender.setProperties(Map.<Symbol, Object>of(RingtableSymbols.CLIENT, client.said()));
        sender.setSource(new Source().setOutcomes(Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL));
        sender.setTarget(new Coordinator().setCapabilities(TxnCapability.LOCAL_TXN));
        sender.openHandler(opened -> {});
        sender.creditStateUpdateHandler(changed -> front.post(this::write));
        sender.closeHandler(closed -> front.post(this::onDetach));
        sender.detachHandler(detached -> front.post(this::onDetach));
        sender.open();
    }

    /** Returns what the transaction has at this owner; it begins if there is nothing yet. */
    RelayedTransaction part(LocalTransaction transaction) {
        RelayedTransaction part = parts.get(transaction);
        if (part == null) {
            part = new RelayedTransaction(front, this, transaction, session.relay());
            parts.put(transaction, part);
            part.begin();
        }
        return part;
    }

    /** Withdraws the parts in which nothing goes to the owner. */
    void withdrawUnused() {
        List.copyOf(parts.values()).forEach(RelayedTransaction::withdrawUnused);
    }

    void ended(LocalTransaction transaction) {
        parts.remove(transaction);
    }

    /** Parts with a transaction: the next thing that it has here begins anew. */
    void rollsBack(LocalTransaction transaction, RelayedTransaction part) {
        parts.remove(transaction, part);
        rollingBack.add(part);
    }

    void hasRolledBack(RelayedTransaction part) {
        rollingBack.remove(part);
    }

    void declare(Consumer<DeliveryState> answer) {
        ask(new Declare(), answer);
    }

    void discharge(Binary id, boolean fail, Consumer<DeliveryState> answer) {
        Discharge discharge = new Discharge();
        discharge.setTxnId(id);
        discharge.setFail(fail);
        ask(discharge, answer);
    }

    private void ask(Object body, Consumer<DeliveryState> answer) {
        if (gone) {
            answer.accept(null);
            return;
        }
        waiting.add(new Command(body, answer));
        write();
    }

    /** Tells whether a command has to reach the owner yet. */
    boolean hasWaiting() {
        return !gone && !waiting.isEmpty();
    }

    private void write() {
        while (!waiting.isEmpty() && isAttached()) {
            if (!LinkFlow.isSendable(sender)) {
                session.block(again); // the session's window may be shut, and not the link's credit used up
                break;
            }
            Command command = waiting.remove();
            ProtonBuffer bytes = ProtonBufferAllocator.defaultAllocator().allocate();
            encoder.writeObject(bytes, encoder.newEncoderState(), new AmqpValue<>(command.body));
            byte[] tag = ByteBuffer.allocate(Long.BYTES).putLong(++commands).array();
            Answer answer = new Answer(command.answer);
            answer.transfer = session.relay().transfers().begin(sender, tag, 0, null, false, answer);
            answer.transfer.write(bytes, true);
        }
        session.endIfDone();
    }

    private boolean isAttached() {
        return !gone && session.relay().isRunning() && sender.isLocallyOpen() && sender.isRemotelyOpen();
    }

    /** Passes the answer to a command on, as an event of the client. */
    private final class Answer implements Runnable {
        private final Consumer<DeliveryState> then;
        private RelayedTransfer transfer;

        Answer(Consumer<DeliveryState> then) {
            this.then = then;
        }

        @Override
        public void run() {
            if (transfer.remoteState() != null) {
                DeliveryState state = transfer.remoteState();
                transfer.settle(null);
                front.post(() -> then.accept(state));
            }
        }
    }

    private void onDetach() {
        if (session.relay().isRunning() && sender.isLocallyOpen()) {
            sender.close();
        }
        gone(sender.getRemoteCondition());
    }

    /** Fails all that is there: the link has ended, or its session. */
    void gone(ErrorCondition why) {
        if (!gone) {
            gone = true;
            waiting.clear();
            Map.copyOf(parts).values().forEach(part -> part.lost(why));
            parts.clear();
            Set.copyOf(rollingBack).forEach(part -> part.lost(why));
        }
    }
}
