package io.ringtable.client.internal.publish;

import io.ringtable.client.Address;
import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.connection.AmqpConnection;
import io.ringtable.client.internal.connection.ClientLink;
import io.ringtable.client.internal.connection.LinkHost;
import io.ringtable.client.internal.connection.LinkRetry;
import io.ringtable.client.internal.connection.Termini;
import io.ringtable.client.internal.error.Errors;
import io.ringtable.wire.BatchFormat;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.impl.ProtonDeliveryTagGenerator;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;

/**
 * Serves a publisher's sender link: turns waiting messages into transfers, as credit and the socket allow, and outcomes
 * into completed futures.
 * <p>
 * While {@value #TRANSFERS_UNDER_WAY} transfers are unanswered, a further one goes only if it is full. So a lone
 * message goes immediately, and under load messages gather while the broker flushes. Thread: the I/O thread. Failure:
 * messages that are unanswered when the connection is lost go back to the front, and are sent again.
 */
public final class PublisherLink implements ClientLink {

    private static final int TRANSFERS_UNDER_WAY = 2;

    private final LinkHost host;
    private final DefaultPublisher publisher;
    private final Address address;
    private final ProducerState producer; // null = its messages have no numbers
    private final String linkName = "publisher-" + UUID.randomUUID();
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final LinkRetry retry;
    private final PendingMessages pending = new PendingMessages();
    private final ArrayDeque<Transfer> inFlight = new ArrayDeque<>();
    private final TransferWriter writer = new TransferWriter();

    private AmqpConnection connection;
    private Sender sender;
    private boolean attached;
    private boolean pumping;
    private boolean pumpWanted;
    // Messages with numbers: the broker refuses all that follow one that it has refused, and they are sent again.
    private ErrorCondition outOfOrder;
    private boolean refused;
    private boolean over;

    /** @param producer numbers the messages; null = they have no numbers */
    PublisherLink(LinkHost host, DefaultPublisher publisher, Address address, ProducerState producer) {
        this.host = host;
        this.publisher = publisher;
        this.address = address;
        this.producer = producer;
        this.retry = new LinkRetry(host, this);
    }

    /** Returns a future that is done when the broker has agreed for the first time. */
    public CompletableFuture<Void> opened() {
        return opened;
    }

    @Override
    public void attach(AmqpConnection to) {
        connection = to;
        Session session = to.session();
        Sender created = session.sender(linkName);
        sender = created;
        sender.setSource(new Source().setAddress(linkName));
        sender.setTarget(Termini.target(address));
        sender.setSenderSettleMode(SenderSettleMode.UNSETTLED);
        sender.setReceiverSettleMode(ReceiverSettleMode.FIRST);
        if (producer == null) {
            sender.setDeliveryTagGenerator(ProtonDeliveryTagGenerator.BUILTIN.POOLED.createGenerator());
        } else {
            sender.setProperties(producer.terms());
        }
        sender.openHandler(this::remotelyOpened);
        sender.closeHandler(remote -> ended(created, remote.getRemoteCondition()));
        sender.detachHandler(remote -> ended(created, remote.getRemoteCondition()));
        sender.creditStateUpdateHandler(updated -> pump());
        sender.deliveryStateUpdatedHandler(this::outcome);
        session.closeHandler(remote -> ended(created, remote.getRemoteCondition()));
        session.open();
        sender.open();
    }

    private void remotelyOpened(Sender remote) {
        if (remote.getRemoteTarget() == null) {
            // Refused; the detach that follows says why.
            return;
        }
        if (producer != null && !numbersAgreed(remote)) {
            return;
        }
        attached = true;
        retry.succeeded();
        UnsignedLong bytesMax = remote.getRemoteMaxMessageSize();
        long limit = bytesMax == null || bytesMax.longValue() <= 0 ? Long.MAX_VALUE : bytesMax.longValue();
        publisher.messageBytesMax(limit);
        opened.complete(null);
        pump();
    }

    /** Answers messages that the broker has stored, up to the number that it names; the others go again. */
    private boolean numbersAgreed(Sender remote) {
        if (!producer.attached(remote.getRemoteProperties())) {
            close(Errors.noProducers("publisher to " + address));
            return false;
        }
        List<Outgoing> stored = pending.takeUpTo(producer.lastStored());
        if (!stored.isEmpty()) {
            publisher.answered(stored, bytesOf(stored), null);
        }
        return true;
    }

    private static long bytesOf(List<Outgoing> messages) {
        long bytes = 0;
        for (Outgoing message : messages) {
            bytes += message.bytes();
        }
        return bytes;
    }

    private void ended(Sender old, ErrorCondition condition) {
        if (over || sender != old) {
            return;
        }
        boolean wasOpen = opened.isDone();
        String what = "publisher to " + address;
        RingtableException cause = wasOpen ? Errors.detached(what, condition) : Errors.refused(what, condition);
        AmqpConnection on = connection;
        connectionLost();
        old.close();
        old.getSession().close();
        if (wasOpen && LinkRetry.isPassing(condition)) {
            retry.attachLater(on);
        } else {
            fail(cause);
        }
    }

    @Override
    public void connectionLost() {
        sender = null;
        connection = null;
        attached = false;
        pumpWanted = false;
        writer.forgetRest();
        pending.putBack(inFlight);
        inFlight.clear();
        outOfOrder = null;
        refused = false;
        retry.cancel();
    }

    @Override
    public void writable() {
        pump();
    }

    /** Takes a message over. */
    void add(Outgoing message) {
        if (producer != null) {
            message.number(producer.next());
        }
        pending.add(message);
    }

    /** Sends the messages that may go; the engine may call this method while it is sending. */
    void pump() {
        if (!attached || pumping || connection.isOver()) {
            return;
        }
        pumping = true;
        try {
            sendWhilePossible();
        } finally {
            pumping = false;
        }
    }

    private void sendWhilePossible() {
        if (writer.hasRest() && !(sender.isSendable() && writer.writeRest()) || outOfOrder != null) {
            return;
        }
        boolean batching = connection.isBatching();
        long batchBytesMax = Math.min(PendingMessages.BATCH_BYTES_MAX, publisher.messageBytesMax());
        while (!pending.isEmpty() && sender.isSendable() && connection.isWritable()) {
            int batchMessagesMax = batching ? batchMessagesMax() : 1;
            if (batching
                    && inFlight.size() >= TRANSFERS_UNDER_WAY
                    && !pending.isBatchFull(batchMessagesMax, batchBytesMax)) {
                return;
            }
            Transfer transfer = pending.next(batchMessagesMax, batchBytesMax);
            if (transfer.bytes() > publisher.messageBytesMax()) {
                answer(transfer, Errors.tooLarge(address, transfer.bytes(), publisher.messageBytesMax()));
            } else if (!send(transfer)) {
                return;
            }
        }
        if (pending.isEmpty() && sender.isDraining()) {
            sender.drained();
        }
    }

    /** Returns the most messages of a batch: a batch that needs more places than credit would wait for readers. */
    private int batchMessagesMax() {
        return (int) Math.min(BatchFormat.MESSAGES_MAX, Integer.toUnsignedLong(sender.getCredit()));
    }

    private boolean send(Transfer transfer) {
        inFlight.addLast(transfer);
        host.counters().publishTransfers.increment();
        OutgoingDelivery delivery = sender.next();
        if (producer != null) {
            delivery.setTag(producer.tag(transfer));
        }
        delivery.setLinkedResource(transfer);
        return writer.write(delivery, transfer.messages());
    }

    private void outcome(OutgoingDelivery delivery) {
        DeliveryState state = delivery.getRemoteState();
        if (state == null && !delivery.isRemotelySettled()) {
            return;
        }
        if (over) {
            return;
        }
        Transfer transfer = delivery.getLinkedResource();
        delivery.settle();
        if (transfer == null || transfer.isAnswered()) {
            return;
        }
        if (state instanceof Accepted) {
            if (producer != null) {
                producer.stored(transfer);
            }
            answer(transfer, null);
        } else if (producer != null && isOutOfOrder(state)) {
            outOfOrder = ((Rejected) state).getError();
            transfer.outOfOrder();
        } else if (state instanceof Rejected rejected) {
            refused = true;
            answer(transfer, Errors.rejected(address, "rejected", rejected.getError()));
        } else {
            refused = true;
            String outcome = state == null ? "settled without an outcome" : "not taken (" + state.getType() + ")";
            answer(transfer, Errors.rejected(address, outcome, null));
        }
        while (!inFlight.isEmpty() && inFlight.peekFirst().isAnswered()) {
            inFlight.removeFirst();
        }
        if (producer != null && (refused || outOfOrder != null)) {
            goOnAfterRefusal();
        }
        if (!pumpWanted) {
            // Later: the engine is going through its unsettled deliveries, and more outcomes may follow.
            pumpWanted = true;
            connection.atEndOfTurn(() -> {
                pumpWanted = false;
                pump();
            });
        }
    }

    private static boolean isOutOfOrder(DeliveryState state) {
        return state instanceof Rejected rejected
                && rejected.getError() != null
                && AmqpError.PRECONDITION_FAILED.equals(rejected.getError().getCondition());
    }

    /** Sends messages again that were refused for one before them, once nothing is under way. */
    private void goOnAfterRefusal() {
        if (!inFlight.stream().allMatch(sent -> sent.isAnswered() || sent.isOutOfOrder())) {
            return;
        }
        if (!refused) {
            close(Errors.outOfOrder("publisher to " + address, outOfOrder));
            return;
        }
        pending.putBack(inFlight);
        inFlight.clear();
        producer.resume();
        outOfOrder = null;
        refused = false;
    }

    /** Answers a transfer; room comes back first, so that a dependent stage that publishes finds it. */
    private void answer(Transfer transfer, RingtableException cause) {
        transfer.answered();
        publisher.answered(transfer.messages(), transfer.bytes(), cause);
    }

    @Override
    public void fail(RingtableException cause) {
        if (over) {
            return;
        }
        over = true;
        retry.cancel();
        pending.putBack(inFlight);
        inFlight.clear();
        publisher.ended(cause);
        opened.completeExceptionally(cause);
        failPending(cause);
        host.remove(this);
    }

    @Override
    public void abandon(RingtableException cause) {
        close(cause);
    }

    /** Fails all messages that wait, and those that still come in after the end. */
    void failPending(RingtableException cause) {
        List<Outgoing> rest = pending.drain();
        if (!rest.isEmpty()) {
            publisher.answered(rest, bytesOf(rest), cause);
        }
    }

    public boolean isOver() {
        return over;
    }

    /** Detaches; unanswered messages fail with the cause. */
    void close(RingtableException cause) {
        if (over) {
            return;
        }
        Sender old = sender;
        AmqpConnection on = connection;
        fail(cause);
        sender = null;
        attached = false;
        if (old != null && !on.isOver()) {
            on.guarded(() -> {
                old.close();
                old.getSession().close();
            });
        }
    }
}
