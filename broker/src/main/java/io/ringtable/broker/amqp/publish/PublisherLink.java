package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.HandOff;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.OpenTransfer;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.amqp.transaction.Transactions;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.wire.MalformedMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;

/**
 * Serves a link on which a client publishes. Refuses transfers that are not messages or too large, passes the others to
 * its target, and answers with the outcomes. Gives credit as far as the link's own bound and the target allow.
 * <p>
 * Thread: the connection's event loop.
 * <p>Longer than others, because each way of a transfer begins and ends here.
 */
public final class PublisherLink implements AmqpLink {
    private static final String LOST = "link-ended"; // what a trace has for a transfer without an outcome

    private final OpenConnection connection;
    private final AmqpCounters counters;
    private final ConnectionMemory memory;
    private final FlowControl flow;
    private final HandOff handOff;
    private final Transactions transactions;
    private final MessageTraces traces;
    private final Receiver receiver;
    private final TransferFrames frames;
    private final WaitingRoom waitingRoom;
    private final int windowMax;
    private final TransferOutcomes outcomes;
    private final TakenTransfers taken;
    private final PublisherTarget target;

    private int credit; // given and not used
    private int inFlight; // taken, without an outcome
    private boolean creditWanted;
    private boolean suspended; // another node takes the shard over, as the next two
    private int leaving; // that shard
    private final List<LocalTransaction> moving = new ArrayList<>(); // of transfers that another object takes
    private final Map<IncomingDelivery, LocalTransaction> arriving = new HashMap<>(0); // complete, unread transfers
    private boolean ended;

    /** @param target makes the other end of the link */
    PublisherLink(
            Publishing publishing,
            Receiver receiver,
            WaitingRoom waitingRoom,
            Function<PublisherLink, PublisherTarget> target) {
        this.connection = publishing.connection();
        this.counters = publishing.counters();
        this.memory = publishing.memory();
        this.flow = publishing.flow();
        this.handOff = publishing.handOff();
        this.transactions = publishing.transactions();
        this.traces = publishing.shard().traces();
        this.receiver = receiver;
        this.frames = new TransferFrames(this, receiver, publishing);
        this.waitingRoom = waitingRoom;
        this.windowMax = publishing.settings().linkCredit();
        this.taken = new TakenTransfers(flow);
        this.outcomes = new TransferOutcomes(this, connection, receiver);
        this.target = target.apply(this);
        if (this.target.isSentAgain()) {
            outcomes.tellAll();
        }
        receiver.deliveryReadHandler(this::onTransfer);
        receiver.deliveryAbortedHandler(this::onAborted);
        receiver.detachHandler(link -> onDetach(false));
        receiver.closeHandler(link -> onDetach(true));
    }

    @Override
    public Link<?> link() {
        return receiver;
    }

    @Override
    public LinkStatus status(LinkStatus.Key key) {
        WaitsFor ofTarget = target.waitsFor();
        return key.of(
                LinkStatus.PUBLISHER,
                target.address(),
                null,
                new LinkStatus.Counts(credit, inFlight, taken.messages()),
                credit > 0 || ofTarget != null ? ofTarget : flow.waitsFor(target.isStalled(), inFlight > 0));
    }

    @Override
    public boolean uses(int shard) {
        return target.uses(shard);
    }

    Receiver receiver() {
        return receiver;
    }

    ConnectionMailbox mailbox() {
        return connection.mailbox();
    }

    WaitingRoom waitingRoom() {
        return waitingRoom;
    }

    /** Tells whether the link may get credit. @param shortage whether heap or disk is short */
    boolean isServed(boolean shortage) {
        return !target.isStalled() && (!shortage || target.isAlwaysServed());
    }

    boolean isEnded() {
        return ended;
    }

    // ---- transfers

    private void onTransfer(IncomingDelivery delivery) {
        try {
            if (ended) {
                int dropped = delivery.available();
                TransferFrames.discard(delivery);
                FlowControl.giveBack(receiver.getSession(), dropped);
            } else if (flow.mayRead(this)) {
                take(delivery);
            } else {
                frames.leave(delivery);
                arrives(delivery);
            }
        } catch (RuntimeException e) {
            // The engine's decoder drops what handlers of transfers throw.
            connection.fail(e);
        }
    }

    /** Has a transaction wait for a transfer that is left unread: its client may ask for the end meanwhile. */
    private void arrives(IncomingDelivery delivery) {
        LocalTransaction transaction = delivery.isPartial() ? null : transactionOf(delivery);
        if (transaction != null) {
            transaction.arriving();
            arriving.put(delivery, transaction);
        }
    }

    /** Reads the arrived part of a transfer, and passes the transfer on when it is complete. */
    void take(IncomingDelivery delivery) {
        if (frames.read(delivery)) {
            boolean tooLarge = frames.isTooLarge();
            complete(delivery, frames.take(), tooLarge);
        }
    }

    /** Reads on in an incomplete transfer, since memory is free again. */
    void takeUnread() {
        if (frames.unread() != null) {
            take(frames.unread());
        }
    }

    private void onAborted(IncomingDelivery delivery) {
        if (!ended) {
            frames.abort();
            credit--;
            target.creditGone();
            delivery.settle();
            wantCredit();
        }
    }

    private void complete(IncomingDelivery delivery, byte[] body, boolean tooLarge) {
        pass(delivery, body, tooLarge);
        if (!arriving.isEmpty()) { // as memory is seldom short: spares each transfer a look at the map
            LocalTransaction waiting = arriving.remove(delivery);
            if (waiting != null) {
                waiting.read();
            }
        }
    }

    private void pass(IncomingDelivery delivery, byte[] body, boolean tooLarge) {
        if (--credit < 0) {
            credit = 0;
            counters.protocolErrors.increment();
            detach(Conditions.of(
                    LinkError.TRANSFER_LIMIT_EXCEEDED,
                    "RT-4042 a transfer without credit on link '" + Printable.value(connection.nameOf(receiver))
                            + "'"));
            return;
        }
        wantCredit();
        if (delivery.getTag() == null) {
            detach(Conditions.invalid(
                    "RT-4080",
                    "a transfer on link '" + Printable.value(connection.nameOf(receiver))
                            + "' has no delivery-tag (AMQP 1.0 section 2.7.5)"));
        } else if (tooLarge) {
            target.creditGone();
            reject(delivery, frames.oversize());
        } else if (delivery.getRemoteState() instanceof TransactionalState state && transactionOf(delivery) == null) {
            target.creditGone();
            detach(Transactions.unknown(state.getTxnId()));
        } else {
            try {
                target.publish(delivery, body);
            } catch (MalformedMessage e) {
                target.creditGone();
                reject(delivery, Conditions.malformed(e));
            }
        }
    }

    // ---- for the target

    /** @param encoded the messages of the transfer */
    Publication publication(IncomingDelivery delivery, List<byte[]> encoded, int bytes) {
        return new Publication(this, delivery, transactionOf(delivery), encoded, bytes, System.currentTimeMillis());
    }

    /** Returns the transaction of a transfer; null if it is in none. */
    LocalTransaction transactionOf(IncomingDelivery delivery) {
        LocalTransaction waiting = arriving.get(delivery);
        return waiting == null && delivery.getRemoteState() instanceof TransactionalState state
                ? transactions.find(state)
                : waiting;
    }

    /** Takes a transfer of one message or a batch to its address. */
    void admit(Publication publication, WaitingTransfers toAddress) {
        count(publication);
        toAddress.add(publication);
    }

    private void count(Publication publication) {
        inFlight++;
        taken.take(publication.count(), publication.bytes());
        if (publication.transaction() != null) {
            publication.transaction().arriving();
        }
        memory.withoutOutcome(publication.bytes());
        counters.messagesIn.add(publication.count());
        counters.bytesIn.add(publication.bytes());
    }

    /** Refuses a transfer that is not admitted. */
    public void reject(IncomingDelivery delivery, ErrorCondition condition) {
        counters.rejected.increment();
        taken.refuse();
        LocalTransaction transaction = transactionOf(delivery);
        if (transaction != null) {
            transaction.fail(refused(condition));
        }
        outcomes.tell(delivery, transaction, condition);
    }

    /** Accepts a transfer that goes to no address. Takes a part of the window until {@link #answered()}. */
    public void accept(IncomingDelivery delivery, int bytes) {
        inFlight++;
        taken.take(1, bytes);
        counters.messagesIn.increment();
        counters.bytesIn.add(bytes);
        outcomes.tell(delivery, null, null);
    }

    /** Admits a transfer that goes to another node; {@link #passedOn} must follow. */
    void passesOn(Publication publication) {
        count(publication);
    }

    /** Tells the outcome of a transfer that went to another node. @param refusal null if it is accepted there */
    void passedOn(Publication publication, ErrorCondition refusal) {
        memory.withoutOutcome(-publication.bytes());
        inFlight--;
        LocalTransaction transaction = publication.transaction();
        if (transaction != null && refusal == null) {
            transaction.arrivedElsewhere();
        } else if (transaction != null) {
            transaction.notArrived(refused(refusal));
        }
        if (!ended) {
            if (refusal != null) {
                counters.rejected.add(publication.count());
            }
            outcomes.tell(publication, refusal);
            wantCredit();
        }
    }

    /** Counts no more a transfer that has not reached the other node; it is published here next. */
    void uncount(Publication publication) {
        memory.withoutOutcome(-publication.bytes());
        inFlight--;
        counters.messagesIn.add(-publication.count());
        counters.bytesIn.add(-publication.bytes());
    }

    /** Gives back the part of the window that an accepted transfer took. */
    public void answered() {
        inFlight--;
        wantCredit();
    }

    private static ErrorCondition linkEnded() {
        return LocalTransaction.rolledBack("RT-4078 the link of one of its messages has ended");
    }

    // ---- outcomes

    /** Tells the outcome that the committer has answered with. */
    void answered(Publication publication, Refusal refusal) {
        if (publication.via().answered(publication, refusal)) {
            handOff.answered();
            return; // it goes to another home, which answers
        }
        finish(publication, refusal == null ? null : Conditions.of(refusal), refusal);
        handOff.answered();
    }

    /** Tells the outcome of a transfer whose messages go to its transaction: it holds if that is committed. */
    void enlisted(Publication publication) {
        finish(publication, null, null);
    }

    /** Refuses an admitted transfer that cannot be handed in. */
    void refuse(Publication publication, ErrorCondition condition) {
        finish(publication, condition, null);
    }

    /** Forgets a transfer that was not handed in before its link ended. */
    void lost(Publication publication) {
        memory.withoutOutcome(-publication.bytes());
        publication.tell(traces, LOST);
        if (publication.transaction() != null) {
            publication.transaction().notArrived(linkEnded());
        }
    }

    /** Tells the outcome of an admitted transfer: accepted if there is no condition. */
    private void finish(Publication publication, ErrorCondition condition, Refusal refusal) {
        memory.withoutOutcome(-publication.bytes());
        publication.tell(
                traces, condition == null ? null : condition.getCondition().toString());
        inFlight--;
        if (condition != null && publication.transaction() != null) {
            publication.transaction().notArrived(refused(condition));
        }
        if (ended) {
            return;
        }
        if (refusal != null && refusal.reason() == Refusal.Reason.UNAVAILABLE) {
            // The message may be stored, or may have to go elsewhere: the client gets no outcome and reconnects.
            // A node that carries the client attaches the link anew, and hears whether it is stored (ADR 84).
            if (target.isSentAgain()) {
                attachAnew(condition);
            } else {
                connection.close(condition, true);
            }
            return;
        }
        if (condition != null) {
            counters.rejected.add(publication.count());
        }
        outcomes.tell(publication, condition);
        wantCredit();
    }

    /** Ends a link with numbers, whose publisher attaches anew and hears what is stored. */
    void attachAnew(ErrorCondition why) {
        detach(target.isSentAgain() ? CarriedClient.anew(why) : why);
    }

    private static ErrorCondition refused(ErrorCondition condition) {
        return LocalTransaction.rolledBack("RT-4079 one of its messages was refused: " + condition.getDescription());
    }

    // ---- credit

    /** Asks to give credit once a quarter of the link's bound is missing, so that few frames give much. */
    public void wantCredit() {
        if (!creditWanted && !ended && creditMissing() * 4 >= window()) {
            creditWanted = true;
            flow.wantCredit(this);
        }
    }

    private int window() {
        return taken.window(target.window(windowMax));
    }

    private int creditMissing() {
        return window() - credit - (inFlight - waitingRoom.beyondWindow());
    }

    /** Returns the credit that is given and not used. */
    int credit() {
        return credit;
    }

    /** Takes back the credit of a client that has drained. */
    void creditReturned() {
        credit = 0;
        target.creditGone();
    }

    /** Tops the credit up as far as the link's bound and the target allow. */
    void giveCredit() {
        creditWanted = false;
        int missing = creditMissing();
        if (ended
                || suspended
                || missing <= 0
                || !receiver.isLocallyOpen()
                || !receiver.isRemotelyOpen()
                || receiver.isDraining()) {
            return;
        }
        int granted = target.creditFor(missing);
        if (granted > 0) {
            credit += granted;
            receiver.addCredit(granted);
        }
    }

    // ---- another node

    /**
     * Goes on with a client's link that was passed on to another node until now.
     *
     * @param unread transfers that were not passed on
     */
    public void adopt(List<OpenTransfer> unread) {
        credit = receiver.getCredit()
                + (int) unread.stream().filter(OpenTransfer::hasEnded).count();
        for (OpenTransfer each : unread) {
            IncomingDelivery delivery = each.delivery();
            if (delivery.isAborted()) {
                onAborted(delivery);
            } else if (each.isRead()) {
                complete(delivery, each.read(), frames.isTooLarge(each.read()));
            } else {
                frames.resume(delivery, each.read());
                onTransfer(delivery);
            }
        }
        wantCredit();
    }

    @Override
    public boolean mayHandOver(int shard) {
        return target.mayHandOver(shard) && (connection.isCarried() || !frames.isTooLarge());
    }

    /**
     * {@inheritDoc} Another node answers the drain behind the last transfer that it passes on. A client of this node's
     * own keeps its credit.
     */
    @Override
    public void suspend(int shard) {
        if (target.hasManyHomes()) {
            return; // the next message may be for another shard
        }
        suspended = true;
        leaving = shard;
        if (connection.isCarried()
                && !ended
                && receiver.getCredit() > 0
                && receiver.isRemotelyOpen()
                && !receiver.isDraining()) {
            receiver.drain();
        }
    }

    boolean isSuspended() {
        return suspended;
    }

    /** Has the messages to a shard go to its next owner, if they have many homes. @return false if the link goes */
    public boolean passOn(HandedOver to) {
        target.passOn(to);
        return target.hasManyHomes();
    }

    /** {@inheritDoc} A transfer stays that has begun in a transaction which holds something of the shard. */
    @Override
    public List<OpenTransfer> unread() {
        List<OpenTransfer> all = new ArrayList<>();
        target.withdraw(publication -> {
            if (takesBack(publication)) {
                all.add(new OpenTransfer(publication.delivery(), publication.transfer()));
            }
        });
        IncomingDelivery begun = frames.begun();
        List<IncomingDelivery> left = flow.withdraw(this);
        if (begun != null && !left.contains(begun)) {
            if (all.isEmpty() && left.isEmpty() && isBound(begun)) {
                return all;
            }
            left.add(begun);
        }
        for (IncomingDelivery delivery : left) {
            byte[] read = delivery == begun ? frames.withdraw() : null;
            if (mayGo(delivery)) {
                all.add(read == null ? OpenTransfer.of(delivery) : new OpenTransfer(delivery, read));
            }
        }
        return all;
    }

    /** Has the transaction of an unread transfer go on without it here. @return false if it had to roll back */
    private boolean mayGo(IncomingDelivery delivery) {
        LocalTransaction transaction = arriving.remove(delivery);
        if (transaction != null && transactionOf(delivery) == null) {
            TransferFrames.discard(delivery);
            outcomes.tell(delivery, transaction, goesAway());
            transaction.notArrived(goesAway());
            return false;
        }
        if (transaction != null) {
            moving.add(transaction);
        }
        return true;
    }

    private static ErrorCondition goesAway() {
        return LocalTransaction.rolledBack(
                "RT-4611 one of its messages waits, and goes to another node with its shard: try again");
    }

    /** Tells whether a transfer is of a transaction that holds something of the shard that another node takes over. */
    private boolean isBound(IncomingDelivery delivery) {
        LocalTransaction transaction = transactionOf(delivery);
        return transaction != null && transaction.uses(leaving);
    }

    /** Hears that an admitted transfer goes to another node, whose outcome {@link #passedOn} tells. */
    void goesElsewhere(Publication publication) {
        publication.tell(traces, LOST);
    }

    /** Takes a transfer back that was not handed in. @return false if its transaction had to roll back for that */
    private boolean takesBack(Publication publication) {
        LocalTransaction transaction = publication.transaction();
        if (transaction != null && transactionOf(publication.delivery()) == null) {
            refuse(publication, goesAway());
            return false;
        }
        publication.tell(traces, LOST);
        uncount(publication);
        if (transaction != null) {
            moving.add(transaction);
        }
        return true;
    }

    @Override
    public void unreadTaken() {
        moving.forEach(LocalTransaction::arrivedElsewhere);
        moving.clear();
    }

    @Override
    public boolean takesStill(IncomingDelivery delivery) {
        if (ended || delivery != frames.begun() && !isBound(delivery)) {
            return false;
        }
        if (delivery.isAborted()) {
            onAborted(delivery);
        } else {
            onTransfer(delivery);
        }
        return true;
    }

    @Override
    public Handing handing(int shard) {
        if (target.hasManyHomes()) {
            return target.handing(shard);
        }
        if (!suspended && !connection.isCarried()) {
            return Handing.WAITS; // its attach was answered too late
        }
        if (inFlight > 0) {
            return handOff.isIdle() ? Handing.WAITS : Handing.OWES; // some may wait for room
        }
        boolean mayCome = connection.isCarried() ? receiver.getCredit() > 0 : frames.begun() != null;
        return mayCome || flow.hasDeferred(this) ? Handing.WAITS : Handing.DONE;
    }

    @Override
    public void handOver(int shard, ErrorCondition condition) {
        if (target.hasManyHomes()) {
            target.forget(shard);
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
    public void rulesChanged() {
        target.policiesChanged();
        checkRights();
    }

    @Override
    public ErrorCondition refusal() {
        return target.refusal();
    }

    @Override
    public void detach(ErrorCondition condition) {
        if (!ended && connection.isRunning() && receiver.isLocallyOpen()) {
            end(true);
            receiver.setCondition(condition);
            receiver.close();
        } else {
            end(true);
        }
    }

    @Override
    public void end(boolean lost) {
        if (ended) {
            return;
        }
        ended = true;
        frames.end();
        creditReturned();
        target.end();
        flow.forget(this, receiver.getSession());
        List<LocalTransaction> waiting = List.copyOf(arriving.values());
        arriving.clear();
        waiting.forEach(transaction -> transaction.notArrived(linkEnded()));
        connection.ended(this);
    }
}
