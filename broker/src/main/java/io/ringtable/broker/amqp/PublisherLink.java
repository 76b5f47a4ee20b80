package io.ringtable.broker.amqp;

import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.SessionError;

/**
 * A link on which a client publishes: collects the frames of a transfer, refuses what is no message or too large,
 * hands the rest on and answers with the outcome.
 * <p>
 * Thread: the connection's event loop.
 */
abstract class PublisherLink implements AmqpLink {
    private static final Symbol DELIVERY_TAG = Symbol.valueOf("delivery-tag");

    private final AmqpConnection connection;
    private final Receiver receiver;
    private final int messageMax;
    private final boolean hearsOfRejections;

    private byte[] partial;
    private int partialLength;
    private boolean unfinished; // it is counted as a transfer whose end has not come
    private int counted; // bytes of memory for it
    private int left; // bytes of it that wait in the engine
    private boolean oversize;
    private IncomingDelivery unread; // partial, its bytes left in the engine while memory is short

    private int credit; // given and not used
    private int inFlight; // taken, without an outcome
    private boolean creditWanted;
    private boolean ended;

    PublisherLink(AmqpConnection connection, Receiver receiver) {
        this.connection = connection;
        this.receiver = receiver;
        this.messageMax = connection.settings().maxMessageSize();
        this.hearsOfRejections = Rejections.areTakenBy(receiver);
        receiver.deliveryReadHandler(this::onTransfer);
        receiver.deliveryAbortedHandler(this::onAborted);
        receiver.detachHandler(link -> onDetach(false));
        receiver.closeHandler(link -> onDetach(true));
    }

    @Override
    public final Link<?> link() {
        return receiver;
    }

    final Receiver receiver() {
        return receiver;
    }

    final AmqpConnection connection() {
        return connection;
    }

    final boolean isEnded() {
        return ended;
    }

    // ---- what differs by the kind of link

    /** Takes a complete transfer; calls {@link #admit} or {@link #reject}. */
    abstract void publish(IncomingDelivery delivery, byte[] body) throws MalformedMessage;

    /** There is less credit, and no message for it. */
    abstract void creditGone();

    /** How much of {@code wanted} credit may be given now. */
    abstract int creditFor(int wanted);

    /** Transfers in flight that do not count against the link's window. */
    abstract int exempt();

    /** Whether one more may wait for a full address. */
    abstract boolean park(Publication publication);

    abstract void unpark(Publication publication);

    /** Whether what waits for a full address waits as long as it takes. */
    abstract boolean waitsForEver();

    /** Nothing waits in the lane any more. */
    abstract void emptied(Lane lane);

    /** Lets go of what waits in lanes. */
    abstract void release();

    // ---- frames

    private void onTransfer(IncomingDelivery delivery) {
        try {
            if (ended) {
                int dropped = delivery.available();
                discard(delivery);
                Intake.giveBack(receiver.getSession(), dropped);
            } else if (!connection.intake().mayRead(this)) {
                leave(delivery);
            } else {
                take(delivery);
            }
        } catch (RuntimeException e) {
            // The engine's decoder drops what handlers of transfers throw.
            connection.fail(e);
        }
    }

    /** Memory is short: its bytes stay in the engine and narrow the session's window. */
    private void leave(IncomingDelivery delivery) {
        if (receiver.getSession().getRemainingIncomingCapacity() < 0) {
            connection.fail(new ProtocolViolationException(
                    SessionError.WINDOW_VIOLATION, "more frames than the session's incoming window"));
            return;
        }
        int available = delivery.available();
        connection.intake().unread(available - left);
        if (delivery.isPartial()) {
            unread = delivery;
            left = available;
            connection.intake().leftUnread(this);
        } else {
            unread = null;
            left = 0;
            connection.intake().defer(this, delivery, available);
        }
    }

    /** It has been read, or will never be. */
    private void notLeft() {
        unread = null;
        if (left > 0) {
            connection.intake().unread(-left);
            left = 0;
        }
    }

    /** Reads what has arrived of a transfer, and passes it on when it is complete. */
    final void take(IncomingDelivery delivery) {
        if (delivery == unread) {
            notLeft();
        }
        read(delivery);
        if (delivery.isPartial()) {
            count();
        } else {
            byte[] body = partialLength == 0
                    ? new byte[0]
                    : partial.length == partialLength ? partial : Arrays.copyOf(partial, partialLength);
            boolean tooLarge = oversize;
            forgetPartial();
            complete(delivery, body, tooLarge);
        }
    }

    private void count() {
        int now = partial == null ? 0 : partial.length;
        unfinished = true;
        connection.intake().unfinished(this, now - counted);
        counted = now;
    }

    /** Memory is free again: what was left unread of an incomplete transfer. */
    final void takeUnread() {
        if (unread != null) {
            take(unread);
        }
    }

    private void read(IncomingDelivery delivery) {
        int available = delivery.available();
        if (available == 0) {
            return;
        }
        if (oversize || (long) partialLength + available > messageMax) {
            oversize = true;
            partial = null;
            partialLength = 0;
            discard(delivery);
            return;
        }
        if (partial == null) {
            partial = new byte[available];
        } else if (partial.length < partialLength + available) {
            long doubled = Math.max(partialLength + (long) available, 2L * partial.length);
            partial = Arrays.copyOf(partial, (int) Math.min(messageMax, doubled));
        }
        delivery.readBytes(partial, partialLength, available);
        partialLength += available;
    }

    private static void discard(IncomingDelivery delivery) {
        ProtonBuffer bytes = delivery.readAll();
        if (bytes != null) {
            bytes.close();
        }
    }

    private void forgetPartial() {
        partial = null;
        partialLength = 0;
        oversize = false;
        if (unfinished) {
            unfinished = false;
            connection.intake().ended(this, counted);
            counted = 0;
        }
    }

    private void onAborted(IncomingDelivery delivery) {
        if (!ended) {
            notLeft();
            forgetPartial();
            credit--;
            creditGone();
            delivery.settle();
            wantCredit();
        }
    }

    private void complete(IncomingDelivery delivery, byte[] body, boolean tooLarge) {
        if (--credit < 0) {
            credit = 0;
            connection.counters().protocolErrors.increment();
            detach(Conditions.of(
                    LinkError.TRANSFER_LIMIT_EXCEEDED,
                    "RT-4042 a transfer without credit on link '" + Printable.value(receiver.getName()) + "'"));
            return;
        }
        wantCredit();
        if (delivery.getTag() == null) {
            detach(Conditions.invalid(
                    "RT-4080",
                    "a transfer on link '" + Printable.value(receiver.getName())
                            + "' has no delivery-tag (AMQP 1.0 section 2.7.5)"));
        } else if (tooLarge) {
            refuseOversize(delivery);
        } else if (delivery.getRemoteState() instanceof TransactionalState state
                && connection.transactions().find(state) == null) {
            creditGone();
            detach(Transactions.unknown(state.getTxnId()));
        } else {
            try {
                publish(delivery, body);
            } catch (MalformedMessage e) {
                creditGone();
                reject(delivery, malformed(e));
            }
        }
    }

    static ErrorCondition malformed(MalformedMessage e) {
        if (e.code() != null) {
            return Conditions.invalid(e.code(), e.getMessage());
        }
        return Conditions.of(AmqpError.DECODE_ERROR, "RT-4043 not an AMQP message: " + e.getMessage());
    }

    private void refuseOversize(IncomingDelivery delivery) {
        creditGone();
        reject(
                delivery,
                Conditions.of(
                        LinkError.MESSAGE_SIZE_EXCEEDED,
                        "RT-4044 a message is larger than amqp.max-message-size=" + messageMax
                                + " bytes: send smaller ones or raise it"));
    }

    // ---- outcomes

    /** A transfer that is a message, or a batch of them. */
    final void admit(Publication publication, Lane lane) {
        inFlight++;
        if (publication.transaction() != null) {
            publication.transaction().arriving();
        }
        connection.intake().admitted(publication.bytes());
        connection.counters().messagesIn.add(publication.count());
        connection.counters().bytesIn.add(publication.bytes());
        lane.add(publication);
    }

    final Publication publication(IncomingDelivery delivery, List<byte[]> encoded, int bytes) {
        return new Publication(this, delivery, transactionOf(delivery), encoded, bytes, System.currentTimeMillis());
    }

    /** Null if it is not part of one. */
    private LocalTransaction transactionOf(IncomingDelivery delivery) {
        return delivery.getRemoteState() instanceof TransactionalState state
                ? connection.transactions().find(state)
                : null;
    }

    /** Its messages are its transaction's now: it has its outcome, which holds if that is committed. */
    final void enlisted(Publication publication, List<Message> messages, List<DuplicateId> ids) {
        finish(publication, null, null);
        publication.transaction().arrived(messages, ids);
    }

    /** The link ends before it was handed in. */
    final void lost(Publication publication) {
        connection.intake().finished(publication.bytes());
        if (publication.transaction() != null) {
            publication
                    .transaction()
                    .notArrived(LocalTransaction.rolledBack("RT-4078 the link of one of its messages has ended"));
        }
    }

    /** The outcome of an admitted transfer: accepted if there is no condition. */
    final void finish(Publication publication, ErrorCondition condition, Refusal refusal) {
        connection.intake().finished(publication.bytes());
        inFlight--;
        if (condition != null && publication.transaction() != null) {
            publication.transaction().notArrived(refused(condition));
        }
        if (ended) {
            return;
        }
        if (refusal != null && refusal.reason() == Refusal.Reason.UNAVAILABLE) {
            // Whether it is stored is not known or it may be sent again elsewhere: no outcome, the client reconnects.
            connection.close(condition, true);
            return;
        }
        if (condition != null) {
            connection.counters().rejected.add(publication.count());
        }
        answer(publication.delivery(), publication.transaction(), condition);
        wantCredit();
    }

    final void reject(IncomingDelivery delivery, ErrorCondition condition) {
        connection.counters().rejected.increment();
        LocalTransaction transaction = transactionOf(delivery);
        if (transaction != null) {
            transaction.fail(refused(condition));
        }
        answer(delivery, transaction, condition);
    }

    private static ErrorCondition refused(ErrorCondition condition) {
        return LocalTransaction.rolledBack("RT-4079 one of its messages was refused: " + condition.getDescription());
    }

    private void answer(IncomingDelivery delivery, LocalTransaction transaction, ErrorCondition refusal) {
        if (!connection.isRunning() || !receiver.isRemotelyOpen()) {
            return;
        }
        ErrorCondition condition = refusal == null ? null : of(delivery, refusal);
        if (delivery.isRemotelySettled()) {
            delivery.settle();
            if (condition != null && transaction == null && !isAboutRoom(condition)) {
                detachLater(condition);
            }
        } else if (condition == null || hearsOfRejections) {
            DeliveryState outcome = condition == null ? Accepted.getInstance() : new Rejected(condition);
            delivery.disposition(transaction == null ? outcome : transaction.answer(condition), true);
        } else {
            detachLater(condition);
        }
    }

    /** Says which transfer it is about (Anonymous Terminus for Message Routing 1.0 section 2.2.2). */
    private static ErrorCondition of(IncomingDelivery delivery, ErrorCondition refusal) {
        return Conditions.of(
                refusal.getCondition(),
                refusal.getDescription(),
                Map.of(DELIVERY_TAG, new Binary(delivery.getTag().tagBytes())));
    }

    /** Who does not wait for an outcome loses messages while there is no room for them, and goes on. */
    private static boolean isAboutRoom(ErrorCondition condition) {
        return condition.getCondition().equals(AmqpError.RESOURCE_LIMIT_EXCEEDED);
    }

    /** No outcome can tell of it. Not at once: what waits on the link is being gone through. */
    private void detachLater(ErrorCondition condition) {
        connection.mailbox().post(() -> detach(condition));
    }

    // ---- credit

    /** Once a quarter of the window is free; credit is given in batches. */
    final void wantCredit() {
        if (!creditWanted && !ended && creditMissing() * 4 >= window()) {
            creditWanted = true;
            connection.intake().wantCredit(this);
        }
    }

    /** Transfers that may be on their way at once, given as credit or without an outcome. */
    int window() {
        return connection.settings().linkCredit();
    }

    private int creditMissing() {
        return window() - credit - (inFlight - exempt());
    }

    /** Given and not used. */
    final int credit() {
        return credit;
    }

    /** The client has drained. */
    final void creditReturned() {
        credit = 0;
        creditGone();
    }

    /** Tops the credit up as far as the window and the address let it. */
    final void giveCredit() {
        creditWanted = false;
        int missing = creditMissing();
        if (ended || missing <= 0 || !receiver.isLocallyOpen() || !receiver.isRemotelyOpen() || receiver.isDraining()) {
            return;
        }
        int granted = creditFor(missing);
        if (granted > 0) {
            credit += granted;
            receiver.addCredit(granted);
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
    public final void detach(ErrorCondition condition) {
        if (!ended && connection.isRunning() && receiver.isLocallyOpen()) {
            end(true);
            receiver.setCondition(condition);
            receiver.close();
        } else {
            end(true);
        }
    }

    @Override
    public final void end(boolean lost) {
        if (ended) {
            return;
        }
        ended = true;
        if (unread != null) {
            Intake.giveBack(receiver.getSession(), unread.available());
        }
        notLeft();
        forgetPartial();
        creditReturned();
        release();
        connection.intake().forget(this);
        connection.detached(this);
    }
}
