package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.frames.Chunks;
import io.ringtable.broker.amqp.frames.RelayedTransfer;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.amqp.link.SharedCredit;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.amqp.transaction.Transactions;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.wire.RingtableSymbols;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;

/**
 * Passes what the owner delivers on to a client, frame by frame, and the client's credit, drains and outcomes back.
 * Frames that the client has no room for stay unread, and narrow the window of its session of the relay.
 * <p>Longer than others, because credit, deliveries and outcomes of both ends are told in one place.
 */
final class RelayedConsumer extends RelayedLink implements RelayFrames.Credit {
    /**
     * Bounds how many deliveries may come again at a link that outlives its owner. A client that holds more gets fewer
     * twice if it connects again, as clients forget then what their applications have not seen.
     */
    private static final int REPEATED_MAX = 16;

    /** Stands behind all that the owner has sent before it had used up the credit of a drain. */
    private static final Object DRAINED = new Object();

    /** Stands there if the owner has more for the subscription, as it replays. */
    private static final Object DRAINED_SO_FAR = new Object();

    private final Sender client;
    private final SharedCredit shared; // with others that serve the client's link; null = no others do
    private SharedCredit.Share share; // of it, once the link is attached
    private Receiver owner; // another one after each change of owner
    private final ArrayDeque<Object> waiting = new ArrayDeque<>(); // deliveries, and the marks above
    private final ArrayDeque<IncomingDelivery> said = new ArrayDeque<>(); // of these the owner has said something new
    private IncomingDelivery last; // whose frames arrive now
    private final Set<Passed> unsettled = new HashSet<>(); // at the client
    private Passed current; // the first, of which the client has seen something
    private final Chunks chunks = new Chunks();
    private long received; // complete deliveries of the owner, less those that were given back
    private long sent; // complete deliveries to the client
    private long limit; // how many the client has given credit for, since the beginning
    private boolean draining; // up to that limit
    private int forgotten; // bytes of a delivery that arrives yet, for which there is room again
    private long told = -1; // the limit that the owner was told last; -1 = it has to be told
    private boolean toldDraining;
    private int toldCount; // the same as delivery-count
    private IncomingDelivery recall; // goes back; until the owner has settled it, all does. Null = nothing is recalled
    private long drainedTo = -1; // the limit of a drain that the owner has answered and the client not; -1 = none

    /** Stands behind all that the owner has sent before it heard that its credit is taken back. */
    private static final Object RECALLED = new Object();

    /** Joins a delivery of the owner with the one that passes it on. */
    private final class Passed {
        private final IncomingDelivery ofOwner;
        private boolean lost; // its owner is, and has the message delivered again
        private RelayedTransaction part; // in which the client has put the delivery; null = in none
        private final RelayedTransfer transfer;

        Passed(IncomingDelivery ofOwner) {
            this.ofOwner = ofOwner;
            this.transfer = front.transfers()
                    .begin(
                            client,
                            ofOwner.getTag().tagBytes(),
                            ofOwner.getMessageFormat(),
                            null,
                            ofOwner.isRemotelySettled(),
                            () -> onClientState(this));
            if (!transfer.isSettled()) {
                unsettled.add(this);
                ofOwner.setLinkedResource(this);
            }
        }
    }

    RelayedConsumer(
            Front front,
            RelayedSession session,
            Sender client,
            SharedCredit shared,
            CarriedClient said,
            Supplier<ErrorCondition> rights,
            RelayAnswer answer) {
        super(front, session, said, rights, answer);
        this.client = client;
        this.shared = shared;
    }

    @Override
    void makeOwner() {
        owner = session.session().receiver(nameOnRelay());
    }

    @Override
    public Link<?> link() {
        return client;
    }

    @Override
    Link<?> owner() {
        return owner;
    }

    @Override
    boolean hasTerminus() {
        return owner.getRemoteSource() != null;
    }

    @Override
    void open() {
        owner.setTarget((Target) client.getRemoteTarget());
        owner.openHandler(opened -> onAttached());
        owner.closeHandler(this::onOwnerDetach);
        owner.detachHandler(this::onOwnerDetach);
        owner.creditStateUpdateHandler(changed -> onOwnerFlow());
        owner.deliveryReadHandler(this::onDelivery);
        owner.deliveryAbortedHandler(this::onDelivery);
        owner.deliveryStateUpdatedHandler(delivery -> {
            if (delivery == recall && delivery.isRemotelySettled()) {
                waiting.add(RECALLED);
            } else {
                said.add(delivery);
            }
            signal();
        });
        relay.frames().open(owner, this);
    }

    @Override
    void copyAnswer() {
        client.setTarget((Target) owner.getRemoteTarget());
    }

    @Override
    boolean isPart() {
        return shared != null;
    }

    @Override
    void begin() {
        if (isPart()) {
            Map<Symbol, Object> said = owner.getRemoteProperties();
            share = shared.add(this, said != null && said.containsKey(RingtableSymbols.OLD_HOME));
            return;
        }
        client.creditStateUpdateHandler(changed -> onClientFlow());
        client.closeHandler(closed -> onClientDetach());
        client.detachHandler(detached -> onClientDetach());
        if (clientCredit() > 0) {
            onClientFlow(); // given before the attach was answered
        }
    }

    // ---- credit

    private long clientCredit() {
        return share == null ? LinkFlow.credit(client) : share.credit();
    }

    private boolean clientDrains() {
        return share == null ? client.isDraining() : share.drains();
    }

    @Override
    public void creditChanged() {
        if (!isEnded()) {
            onClientFlow();
        }
    }

    private void onClientFlow() {
        tellBefore();
        recount();
        tellCredit();
        signal();
    }

    @Override
    void recount() {
        limit = sent + clientCredit();
        draining = clientDrains() && clientCredit() > 0;
    }

    /**
     * Tells the owner what has changed. Behind an answered drain it waits: the owner would take it for new credit. So
     * it does until all is back that was recalled.
     */
    private void tellCredit() {
        if (drainedTo < 0 && recall == null && (limit != told || draining != toldDraining) && reachesOwner()) {
            told = limit;
            toldDraining = draining;
            RelayFrames.flow(owner);
        }
    }

    @Override
    public long credit() {
        return recall == null ? Math.max(0, limit - received) : 0;
    }

    @Override
    public boolean drains() {
        return draining && recall == null;
    }

    @Override
    public void told(int count) {
        toldCount = count;
    }

    private void onOwnerFlow() {
        if (!relay.frames().isDrained()) {
            return;
        }
        boolean answersLatest = toldDraining && relay.frames().count() == toldCount;
        told = -1; // its credit is used up
        toldDraining = false;
        if (answersLatest) {
            drainedTo = limit;
            waiting.add(relay.frames().replays() ? DRAINED_SO_FAR : DRAINED);
            signal();
        } else {
            tellCredit();
        }
    }

    private void drained(boolean replays) {
        boolean isOfLatest = limit == drainedTo; // else the client has given more credit meanwhile
        drainedTo = -1;
        if (isOfLatest && recall == null && reachesClient() && clientDrains() && clientCredit() > 0) {
            if (share == null) {
                client.drained();
            } else {
                share.drained(replays);
            }
        }
        limit = sent + clientCredit();
        draining = reachesClient() && clientDrains() && clientCredit() > 0;
        if (credit() == 0) {
            told = limit; // which the owner knows
        } else {
            tellCredit();
        }
    }

    // ---- another owner

    @Override
    boolean isQuiet() {
        tellOutcomes();
        return unsettled.stream().allMatch(passed -> passed.lost);
    }

    @Override
    boolean survivesOwner() {
        tellOutcomes();
        return client.getSenderSettleMode() != SenderSettleMode.SETTLED
                && unsettled.size() <= REPEATED_MAX
                && (current == null || LinkFlow.isSendable(client));
    }

    /** {@inheritDoc} The next owner delivers all again that the client has not settled, flagged. */
    @Override
    void forgetOwner() {
        waiting.clear();
        said.clear();
        last = null;
        forgotten = 0;
        drainedTo = -1;
        recall = null;
        if (current != null) {
            abortCurrent();
        }
        received = sent;
        unsettled.forEach(passed -> passed.lost = true);
        recount();
    }

    /** {@inheritDoc} The next owner hears what credit is left, and of a drain that has no answer. */
    @Override
    void goOn() {
        told = -1;
        toldDraining = false;
        recall = null;
        if (credit() > 0) {
            tellCredit();
        }
    }

    @Override
    boolean isEmptied() {
        return waiting.isEmpty() && current == null && drainedTo < 0;
    }

    // ---- deliveries

    private void onDelivery(IncomingDelivery delivery) {
        if (isEnded()) {
            forget(delivery);
            return;
        }
        if (delivery != last) {
            last = delivery;
            waiting.add(delivery);
        }
        if (!delivery.isPartial() || delivery.isAborted()) {
            received++;
            last = null;
        }
        signal();
    }

    /** Goes on writing, since the client's socket or session may have room again. */
    void resume() {
        work();
        session.endIfDone();
    }

    @Override
    void work() {
        tellOutcomes();
        while (!waiting.isEmpty()) {
            Object next = waiting.peek();
            if (next == DRAINED || next == DRAINED_SO_FAR) {
                waiting.remove();
                drained(next == DRAINED_SO_FAR);
            } else if (next == RECALLED) {
                waiting.remove();
                recalled();
            } else if (pass((IncomingDelivery) next)) {
                waiting.remove();
            } else {
                return;
            }
        }
    }

    /** Passes on what has come of a delivery. @return whether it has ended */
    private boolean pass(IncomingDelivery delivery) {
        if (!reachesClient()) {
            return false;
        }
        if (delivery.isAborted()) {
            return abort(delivery);
        }
        if (current == null && (recall != null || clientCredit() == 0)) {
            return giveBack(delivery);
        }
        if (!hasRoom()) {
            front.pause(this);
            return false;
        }
        if (current == null) {
            current = new Passed(delivery);
            if (share != null) {
                share.begins();
            }
        }
        Chunks.Passed passed = chunks.pass(delivery, current.transfer, this::hasRoom, Chunks.Keeper.NONE);
        if (passed == Chunks.Passed.NO_ROOM) {
            front.pause(this);
        } else if (passed == Chunks.Passed.ALL) {
            countSent();
            if (current.transfer.isSettled()) {
                delivery.settle();
            }
            current = null;
        }
        return passed == Chunks.Passed.ALL;
    }

    private boolean hasRoom() {
        return connection.canWrite() && LinkFlow.isSendable(client) && (share == null || share.mayBegin());
    }

    private void countSent() {
        sent++;
        if (share != null) {
            share.sent();
        }
    }

    /**
     * Gives back a delivery whose credit the client took back while it was on its way. All that the owner has sent
     * behind it goes back as well, whatever credit there is by then: it must not overtake. The owner settles the first
     * one after it has heard that it has no credit.
     */
    private boolean giveBack(IncomingDelivery delivery) {
        if (delivery.isPartial() || delivery.isRemotelySettled() || !reachesOwner()) {
            return false; // it waits for its end, or for credit
        }
        boolean isFirst = recall == null;
        if (isFirst) {
            recall = delivery;
            toldDraining = false;
            RelayFrames.flow(owner);
        }
        Chunks.discard(delivery);
        delivery.disposition(Released.getInstance(), !isFirst);
        received--;
        if (share != null) {
            share.gaveBack();
        }
        return true;
    }

    private void recalled() {
        if (reachesOwner()) {
            recall.settle();
        }
        recall = null;
        recount();
        told = -1;
        tellCredit();
    }

    /** Passes on that the owner has aborted a delivery. The client's credit for it is used up, as the owner's is. */
    private boolean abort(IncomingDelivery delivery) {
        if (current != null && !LinkFlow.isSendable(client)) {
            front.pause(this);
            return false;
        }
        delivery.settle();
        received--;
        if (current != null) {
            abortCurrent();
            limit = sent + clientCredit();
        }
        told = -1;
        tellCredit();
        return true;
    }

    private void abortCurrent() {
        unsettled.remove(current);
        current.transfer.abort();
        countSent();
        current = null;
        chunks.forget();
    }

    // ---- outcomes

    private void onClientState(Passed passed) {
        IncomingDelivery ofOwner = passed.ofOwner;
        boolean settled = passed.transfer.isRemotelySettled();
        if (passed.lost || !relay.isRunning()) {
            onLateState(passed);
        } else if (unsettled.contains(passed) && reachesOwner() && !ofOwner.isSettled()) {
            if (passed.transfer.remoteState() instanceof TransactionalState state) {
                enlist(passed, state, settled);
            } else {
                ofOwner.disposition(passed.transfer.remoteState(), settled);
            }
        }
        if (settled) {
            unsettled.remove(passed);
        }
    }

    /** Answers what the client says of a delivery whose owner is lost: the message comes again. */
    private void onLateState(Passed passed) {
        boolean settled = passed.transfer.isRemotelySettled();
        if (passed.transfer.remoteState() instanceof TransactionalState state) {
            LocalTransaction transaction = front.find(state);
            if (transaction != null) {
                transaction.fail(RelayedTransaction.deliveryGone());
            }
        } else if (!settled && unsettled.remove(passed)) {
            front.post(() -> passed.transfer.settle(new Modified().setDeliveryFailed(true)));
        }
    }

    private void enlist(Passed passed, TransactionalState state, boolean settled) {
        LocalTransaction transaction = front.find(state);
        if (transaction == null) {
            front.post(() -> detach(Transactions.unknown(state.getTxnId()))); // the caller goes through deliveries
            return;
        }
        passed.part = session.coordinator().part(transaction);
        passed.part.use();
        passed.part.whenAnswered(() -> {
            if (passed.part.isDeclared() && reachesOwner() && !passed.ofOwner.isSettled()) {
                passed.ofOwner.disposition(passed.part.toOwner(state), settled);
            } else {
                transaction.fail(RelayedTransaction.deliveryGone());
            }
        });
    }

    private void tellOutcomes() {
        for (IncomingDelivery delivery; (delivery = said.poll()) != null; ) {
            if (delivery.getLinkedResource() instanceof Passed passed
                    && delivery.isRemotelySettled()
                    && unsettled.remove(passed)) {
                if (reachesClient()) {
                    DeliveryState said = delivery.getRemoteState();
                    passed.transfer.settle(
                            said instanceof TransactionalState state && passed.part != null
                                    ? passed.part.toClient(state)
                                    : said);
                } else {
                    passed.transfer.forget();
                }
                delivery.settle();
            }
        }
    }

    /** Makes room for others: the client has ended the link, and the owner gives back what it has not settled. */
    private void forget(IncomingDelivery delivery) {
        if (reachesOwner()) {
            Chunks.discard(delivery);
        } else {
            int bytes = delivery.available() - forgotten;
            forgotten = delivery.isPartial() && !delivery.isAborted() ? delivery.available() : 0;
            session.giveBack(delivery.getLink().getSession(), bytes);
        }
    }

    @Override
    void clientGone() {
        waiting.forEach(next -> {
            if (next instanceof IncomingDelivery delivery && !delivery.isAborted()) {
                forget(delivery);
            }
        });
        waiting.clear();
        chunks.forget();
        current = null;
        unsettled.forEach(passed -> passed.transfer.forget());
        unsettled.clear();
    }

    /** {@inheritDoc} The link of a part ends the client's link, or ends with it. */
    @Override
    public void detach(ErrorCondition condition) {
        if (isPart()) {
            shared.detach(condition);
        } else {
            super.detach(condition);
        }
    }

    @Override
    public void end(boolean lost) {
        boolean detaches = isPart() && !lost && reachesOwner();
        super.end(lost);
        if (detaches) {
            owner.detach();
        }
    }

    // ---- for operators

    @Override
    public LinkStatus status(LinkStatus.Key key) {
        Source source = client.getRemoteSource();
        LinkStatus.Counts counts = new LinkStatus.Counts(clientCredit(), unsettled.size(), sent);
        LinkStatus.WaitsFor waitsFor = clientCredit() == 0
                ? LinkStatus.WaitsFor.CREDIT
                : connection.canWrite() ? null : LinkStatus.WaitsFor.READING;
        return key.of(LinkStatus.CONSUMER, source == null ? null : source.getAddress(), null, counts, waitsFor);
    }
}
