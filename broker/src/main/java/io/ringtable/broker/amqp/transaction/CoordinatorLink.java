package io.ringtable.broker.amqp.transaction;

import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.Rejections;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.wire.CodecMemory;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.Structure;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.DecodeException;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transactions.Declare;
import org.apache.qpid.protonj2.types.transactions.Declared;
import org.apache.qpid.protonj2.types.transactions.Discharge;
import org.apache.qpid.protonj2.types.transactions.TxnCapability;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;

/**
 * Serves a link to the transaction coordinator (AMQP 1.0 section 4.2), by which a client declares and discharges local
 * transactions. The transactions that were declared on a link end with it.
 * <p>
 * Thread: the connection's event loop.
 */
public final class CoordinatorLink implements AmqpLink {
    private static final int CREDIT = 100;
    /** The most bytes of a command with every section before it, since the engine keeps it until its end comes. */
    private static final int COMMAND_BYTES_MAX = 64 * 1024;

    private static final Symbol[] CAPABILITIES = {
        TxnCapability.LOCAL_TXN, TxnCapability.MULTI_TXNS_PER_SSN, TxnCapability.MULTI_SSNS_PER_TXN
    };

    private final OpenConnection connection;
    private final Transactions transactions;
    private final Receiver receiver;
    private final Decoder decoder = CodecFactory.getDefaultDecoder(); // a new one: the shared one is not thread-safe
    private final Structure structure = new Structure(new CodecMemory());
    private final Set<LocalTransaction> declared = new LinkedHashSet<>();
    private final boolean hearsOfRejections;
    private long commands;
    private boolean ended;

    public CoordinatorLink(OpenConnection connection, Transactions transactions, Receiver receiver) {
        this.connection = connection;
        this.transactions = transactions;
        this.receiver = receiver;
        this.hearsOfRejections = Rejections.areTakenBy(receiver);
        receiver.deliveryReadHandler(this::onCommand);
        receiver.detachHandler(link -> onDetach(false));
        receiver.closeHandler(link -> onDetach(true));
    }

    @Override
    public Link<?> link() {
        return receiver;
    }

    @Override
    public LinkStatus status(LinkStatus.Key key) {
        return key.of(
                LinkStatus.COORDINATOR,
                null,
                null,
                new LinkStatus.Counts(receiver.getCredit(), declared.size(), commands),
                null);
    }

    /** Returns the target of the answer to the attach. */
    public static Coordinator terminus() {
        Coordinator coordinator = new Coordinator();
        coordinator.setCapabilities(CAPABILITIES);
        return coordinator;
    }

    /** Gives the first credit. */
    public void begin() {
        receiver.addCredit(CREDIT);
    }

    private void onCommand(IncomingDelivery delivery) {
        try {
            if (delivery.available() > COMMAND_BYTES_MAX) {
                connection.fail(new ProtocolViolationException(
                        LinkError.MESSAGE_SIZE_EXCEEDED,
                        "RT-4081 a declare or discharge is larger than " + COMMAND_BYTES_MAX + " bytes"));
                return;
            }
            if (ended || delivery.isPartial()) {
                return; // the rest of a command comes with a later frame; nothing of it is read yet
            }
            commands++;
            Object command = read(delivery);
            if (command instanceof Declare declare && declare.getGlobalId() == null) {
                onDeclare(delivery);
            } else if (command instanceof Discharge discharge) {
                onDischarge(delivery, discharge);
            } else {
                refuse(
                        delivery,
                        Conditions.notImplemented(
                                "RT-4077",
                                "a coordinator takes declare and discharge of local transactions, not of"
                                        + " distributed ones (XA, a declare with a global id)"));
            }
            if (!ended && receiver.getCredit() < CREDIT / 2) {
                receiver.addCredit(CREDIT - receiver.getCredit());
            }
        } catch (RuntimeException e) {
            // The engine's decoder drops what handlers of transfers throw.
            connection.fail(e);
        }
    }

    /**
     * Returns the value of the message, behind any sections (AMQP 1.0 section 4.3), since python-qpid-proton writes a
     * header; null if the message has none.
     */
    private Object read(IncomingDelivery delivery) {
        try (ProtonBuffer payload = delivery.readAll()) {
            if (payload == null) {
                return null;
            }
            byte[] command = new byte[payload.getReadableBytes()];
            payload.copyInto(payload.getReadOffset(), command, 0, command.length);
            for (int at = 0; at < command.length; ) {
                at = structure.check(command, at, command.length);
            }
            while (payload.isReadable()) {
                Object section = decoder.readObject(payload, decoder.getCachedDecoderState());
                if (section instanceof AmqpValue<?> value) {
                    return value.getValue();
                }
            }
            return null;
        } catch (MalformedMessage | DecodeException | ClassCastException e) {
            return null; // not a command, or a global id, which the library does not know
        }
    }

    private void onDeclare(IncomingDelivery delivery) {
        if (transactions.isFull()) {
            refuse(
                    delivery,
                    Conditions.limit(
                            "RT-4076",
                            "too many open transactions on one connection: ringtable.amqp.transactions-max="
                                    + transactions.most()));
        } else {
            LocalTransaction transaction = transactions.declare();
            declared.add(transaction);
            Declared answer = new Declared();
            answer.setTxnId(transaction.id());
            delivery.disposition(answer, true);
        }
    }

    private void onDischarge(IncomingDelivery delivery, Discharge discharge) {
        LocalTransaction transaction = transactions.find(discharge.getTxnId());
        if (transaction == null) {
            refuse(delivery, Transactions.unknown(discharge.getTxnId()));
        } else if (discharge.getFail()) {
            declared.remove(transaction); // it has its end, whenever the answer comes
            transaction.rollBack(() -> answer(delivery, transaction, null));
        } else {
            transaction.commit(failure -> answer(delivery, transaction, failure));
        }
    }

    private void answer(IncomingDelivery delivery, LocalTransaction transaction, ErrorCondition failure) {
        declared.remove(transaction);
        if (ended || !connection.isRunning() || !receiver.isRemotelyOpen()) {
            return;
        }
        if (failure == null) {
            delivery.disposition(Accepted.getInstance(), true);
        } else {
            refuse(delivery, failure);
        }
    }

    /** Refuses by an outcome, or by ending the link if its source takes no such outcome (AMQP 1.0 section 4.3). */
    private void refuse(IncomingDelivery delivery, ErrorCondition condition) {
        if (hearsOfRejections) {
            delivery.disposition(new Rejected(condition), true);
        } else {
            detach(condition);
        }
    }

    // ---- the end

    private void onDetach(boolean closed) {
        end(false);
        if (closed) {
            receiver.close();
        } else {
            receiver.detach();
        }
    }

    @Override
    public void detach(ErrorCondition condition) {
        boolean tell = !ended && connection.isRunning() && receiver.isLocallyOpen();
        end(true);
        if (tell) {
            receiver.setCondition(condition);
            receiver.close();
        }
    }

    @Override
    public void end(boolean lost) {
        if (!ended) {
            ended = true;
            List.copyOf(declared).forEach(LocalTransaction::abort);
            declared.clear();
            connection.ended(this);
        }
    }
}
