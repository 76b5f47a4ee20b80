package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.CarriedPart;
import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.frames.Chunks;
import io.ringtable.broker.amqp.frames.RelayedTransfer;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.OpenTransfer;
import io.ringtable.broker.amqp.link.Rejections;
import io.ringtable.broker.amqp.numbering.NumberedTransfer;
import io.ringtable.broker.amqp.numbering.NumberedTransfers;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.amqp.transaction.Transactions;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.wire.RingtableSymbols;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Outcome;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;

/**
 * Passes what a client publishes on to the owner, frame by frame, and the owner's credit and outcomes back. Frames that
 * the owner has no room for stay unread, and narrow the window of the client's session.
 * <p>Longer than others, because transfers, credit and outcomes of both ends are told in one place.
 */
final class RelayedPublisher extends RelayedLink {
    private final Receiver client;
    private Sender owner; // another one after each change of owner
    private final ArrayDeque<IncomingDelivery> waiting = new ArrayDeque<>(); // begun, and not passed on to their ends
    private final Map<IncomingDelivery, byte[]> read = new HashMap<>(); // of these, by a link of this node before
    private final ArrayDeque<Passed> said = new ArrayDeque<>(); // of these the owner has said something new
    private final Set<Passed> unsettled = new HashSet<>(); // at the owner
    private final Map<IncomingDelivery, LocalTransaction> arriving = new HashMap<>(); // complete, without an outcome
    private final Runnable again = this::onEventLoop;
    private final NumberedTransfers<IncomingDelivery> numbers;
    private Passed current; // the first, of which the owner has seen something
    private final Chunks chunks = new Chunks();
    private boolean sentSettled; // something outside of transactions: nobody can tell whether it was stored
    private long granted; // credit that the client was given
    private long received; // transfers of the client that have ended
    private long skipped; // of these, aborted before the owner saw any of it
    private long sent; // transfers that have ended at the owner, aborted ones too

    /** Joins a transfer of the client with the one that passes it on. */
    private final class Passed {
        private final IncomingDelivery ofClient;
        private final RelayedTransaction part; // null outside of transactions
        private final NumberedTransfer<IncomingDelivery> numbered; // null if it has no number
        private final RelayedTransfer transfer;

        Passed(IncomingDelivery ofClient, RelayedTransaction part, NumberedTransfer<IncomingDelivery> numbered) {
            this.ofClient = ofClient;
            this.part = part;
            this.numbered = numbered;
            this.transfer = relay.transfers()
                    .begin(
                            owner,
                            numbered == null ? ofClient.getTag().tagBytes() : numbered.tag(),
                            ofClient.getMessageFormat(),
                            part == null
                                    ? ofClient.getRemoteState()
                                    : part.toOwner((TransactionalState) ofClient.getRemoteState()),
                            numbered == null && ofClient.isRemotelySettled(),
                            () -> {
                                said.add(this);
                                signal();
                            });
            if (!transfer.isSettled()) {
                unsettled.add(this);
                ofClient.setLinkedResource(this);
            }
        }
    }

    RelayedPublisher(
            Front front,
            RelayedSession session,
            Receiver client,
            CarriedClient said,
            Supplier<ErrorCondition> rights,
            RelayAnswer answer) {
        super(front, session, said, rights, answer);
        this.client = client;
        this.numbers = front.numbers();
    }

    @Override
    void makeOwner() {
        owner = session.session().sender(nameOnRelay());
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
        return owner.getRemoteTarget() != null;
    }

    /** {@inheritDoc} Numbers want answers, also where the client wants none. */
    @Override
    void say(Map<Symbol, Object> properties) {
        Target target = (Target) client.getRemoteTarget();
        properties.put(RingtableSymbols.PART, CarriedPart.WHOLE);
        if (target.getAddress() != null && !properties.containsKey(RingtableSymbols.PRODUCER)) {
            properties.remove(RingtableSymbols.PRODUCER_INCARNATION);
            String address =
                    NodeName.of(target.getAddress(), target.getCapabilities()).name();
            properties.putAll(numbers.asks(address).said());
            owner.setSenderSettleMode(SenderSettleMode.MIXED);
        }
    }

    @Override
    void open() {
        owner.setTarget((Target) client.getRemoteTarget());
        owner.openHandler(opened -> onAttached());
        owner.closeHandler(this::onOwnerDetach);
        owner.detachHandler(this::onOwnerDetach);
        owner.creditStateUpdateHandler(changed -> signal());
        owner.open();
    }

    @Override
    void copyAnswer() {
        numbers.answered(CarriedProducer.of(owner));
        client.setTarget((Target) owner.getRemoteTarget());
        client.setSenderSettleMode(client.getRemoteSenderSettleMode());
        client.setProperties(CarriedProducer.without(owner.getRemoteProperties()));
    }

    @Override
    void begin() {
        client.deliveryReadHandler(this::onTransfer);
        client.deliveryAbortedHandler(this::onTransfer);
        client.deliveryStateUpdatedHandler(this::onClientState);
        client.closeHandler(closed -> onClientDetach());
        client.detachHandler(detached -> onClientDetach());
        client.creditStateUpdateHandler(changed -> onClientFlow());
        grant();
    }

    // ---- credit

    /** Gives the client what the owner has given. */
    private void grant() {
        if (!reachesClient() || !reachesOwner() || connection.isStopping()) {
            return;
        }
        long more = sent + LinkFlow.credit(owner) - (granted - skipped);
        if (more > 0) {
            granted += more;
            client.addCredit((int) Math.min(Integer.MAX_VALUE, more));
        }
    }

    /** Hears that the client has used its credit up, as a link of this node had asked for before. */
    private void onClientFlow() {
        if (client.getCredit() == 0) {
            recount();
        }
    }

    @Override
    void recount() {
        granted = received + Integer.toUnsignedLong(client.getCredit());
    }

    // ---- transfers

    private void onTransfer(IncomingDelivery delivery) {
        if (isEnded()) {
            Chunks.discard(delivery); // it was sent before the client heard of that
            return;
        }
        if (waiting.isEmpty() && goesBefore(delivery)) {
            return;
        }
        if (delivery != waiting.peekLast()) {
            waiting.add(delivery);
        }
        if (count(delivery)) {
            signal();
        }
    }

    /** Counts a transfer once its end has come. @return false if the link has ended over it */
    private boolean count(IncomingDelivery delivery) {
        if (!delivery.isPartial() && delivery.getRemoteState() instanceof TransactionalState state) {
            LocalTransaction transaction = front.find(state);
            if (transaction == null) {
                detach(Transactions.unknown(state.getTxnId()));
                return false;
            }
            transaction.arriving();
            arriving.put(delivery, transaction);
        }
        if (!delivery.isPartial() || delivery.isAborted()) {
            if (++received > granted) {
                detach(Conditions.of(
                        LinkError.TRANSFER_LIMIT_EXCEEDED,
                        "RT-4042 transfer without credit on link '" + Printable.value(connection.nameOf(client))
                                + "'"));
                return false;
            }
        }
        return true;
    }

    @Override
    void take(List<OpenTransfer> unread) {
        granted = Long.MAX_VALUE; // their credit is used already
        for (OpenTransfer each : unread) {
            waiting.add(each.delivery());
            if (each.read().length > 0) {
                read.put(each.delivery(), each.read());
            }
            if (!count(each.delivery())) {
                return;
            }
        }
        recount();
    }

    @Override
    boolean hasWaiting() {
        boolean isUnsent =
                !waiting.isEmpty() && (waiting.size() > 1 || !waiting.peek().isPartial());
        boolean goesAgain = numbers.isGoingBack() || isMoving() && !numbers.isEmpty();
        return (isMoving() || reachesOwner()) && (isUnsent || goesAgain || !arriving.isEmpty());
    }

    @Override
    boolean isBusy() {
        return !unsettled.isEmpty() || hasWaiting();
    }

    @Override
    void work() {
        tellOutcomes();
        goBack();
        while (!waiting.isEmpty() && !mustStop() && pass(waiting.peek())) {
            waiting.remove();
        }
        if (mustStop() && isDrained()) {
            owner.drained();
        }
        grant();
    }

    /** Tells whether what waits is for the next owner, as this one asks for or another one was seen. */
    private boolean mustStop() {
        return current == null && (isReplaced() || isDrained());
    }

    private boolean isDrained() {
        return reachesOwner() && owner.isDraining() && LinkFlow.credit(owner) > 0;
    }

    // ---- another owner

    @Override
    boolean isQuiet() {
        tellOutcomes();
        return unsettled.isEmpty() && current == null;
    }

    /**
     * {@inheritDoc} The next owner tells of a transfer with a number whether it is stored, and nobody of another one. A
     * transaction that was not discharged is not stored.
     */
    @Override
    boolean survivesOwner() {
        tellOutcomes();
        return !sentSettled
                && (current == null || current.numbered != null)
                && numbers.areKept()
                && unsettled.stream().allMatch(passed -> passed.part != null || passed.numbered != null);
    }

    /** {@inheritDoc} What was sent in a transaction rolls back with it. Transfers with a number are kept. */
    @Override
    void forgetOwner() {
        List<Passed> all = List.copyOf(unsettled);
        unsettled.clear();
        if (current != null) {
            takeCurrentBack();
        }
        for (Passed passed : all) {
            passed.transfer.forget();
            if (passed.numbered != null) {
                continue;
            }
            arrived(passed.ofClient, RelayedTransaction.linkEnded());
            if (reachesClient() && !passed.ofClient.isSettled() && !passed.ofClient.isRemotelySettled()) {
                passed.ofClient.disposition(passed.part.transaction().answer(RelayedTransaction.linkEnded()), true);
            } else {
                passed.ofClient.settle();
            }
        }
    }

    @Override
    void goOn() {
        goOn(CarriedProducer.of(owner));
        grant();
    }

    private void goOn(CarriedProducer told) {
        if (numbers.answered(told)) {
            sendAgain();
        } else {
            String address = ((Target) client.getRemoteTarget()).getAddress();
            connection.close(NumberedTransfers.notKnown(address, connection.nameOf(client)), true);
        }
    }

    /** Answers what the last owner has stored, and has the rest sent before everything that waits. */
    private void sendAgain() {
        numbers.takeStored().forEach(stored -> {
            tell(stored.of(), Accepted.getInstance());
            front.answered();
        });
        putBack(numbers.takeAll());
    }

    /** Has transfers go before everything that waits. */
    private void putBack(List<NumberedTransfer<IncomingDelivery>> transfers) {
        for (int i = transfers.size() - 1; i >= 0; i--) {
            IncomingDelivery delivery = transfers.get(i).of();
            waiting.addFirst(delivery);
            read.put(delivery, transfers.get(i).read());
            sent--;
        }
    }

    /** Has a transfer begin anew that has come in parts so far. */
    private void takeCurrentBack() {
        unsettled.remove(current);
        current.transfer.forget();
        numbers.remove(current.numbered);
        byte[] begun = current.numbered.read();
        if (begun.length > 0) {
            read.put(current.ofClient, begun);
        }
        current = null;
        chunks.forget();
    }

    /** Sends again what was refused for a transfer before it, once all of that has come back. */
    private void goBack() {
        if (!numbers.isGoingBack() || !reachesOwner()) {
            return;
        }
        if (current != null) {
            if (!hasRoom()) {
                session.block(again);
                return;
            }
            current.transfer.abort();
            takeCurrentBack();
        }
        putBack(numbers.takeBack());
    }

    /** {@inheritDoc} Before that this node tells what the last owner has stored, as it is the next one. */
    @Override
    boolean isEmptied() {
        return numbers.isTold(answer::lastNumber, told -> {
            if (isMoving()) {
                goOn(told);
            }
        });
    }

    /** {@inheritDoc} A transaction rolls back whose discharge waits for a transfer: no other link finds it any more. */
    @Override
    public List<OpenTransfer> unread() {
        Map.copyOf(arriving).forEach((delivery, transaction) -> {
            if (front.find((TransactionalState) delivery.getRemoteState()) == null) {
                waiting.remove(delivery);
                arrived(delivery, RelayedTransaction.linkEnded());
                refuse(delivery, transaction, RelayedTransaction.linkEnded());
            }
        });
        numbers.end(); // this node numbers nothing
        List<OpenTransfer> all = waiting.stream()
                .map(delivery -> read.containsKey(delivery)
                        ? new OpenTransfer(delivery, read.get(delivery))
                        : OpenTransfer.of(delivery))
                .toList();
        waiting.clear();
        read.clear();
        return all;
    }

    /** {@inheritDoc} A transaction rolls back of which the other link cannot take a transfer at once. */
    @Override
    public void unreadTaken() {
        List.copyOf(arriving.keySet())
                .forEach(delivery ->
                        arrived(delivery, delivery.available() == 0 ? null : RelayedTransaction.linkEnded()));
    }

    /** Passes on what has come of a transfer. @return whether it has ended */
    private boolean pass(IncomingDelivery delivery) {
        if (!reachesOwner()) {
            return false;
        }
        if (numbers.isGoingBack()) {
            return false;
        }
        if (delivery.isAborted() && current == null) {
            read.remove(delivery);
            skipped++;
            delivery.settle();
            return true;
        }
        RelayedTransaction part = null;
        if (current == null && delivery.getRemoteState() instanceof TransactionalState state) {
            LocalTransaction transaction = front.find(state);
            if (transaction == null && !arriving.containsKey(delivery)) {
                return false; // its last frame ends the link, or the client aborts it
            }
            transaction = transaction == null ? arriving.get(delivery) : transaction;
            if (!numbers.isEmpty()) {
                return false; // one of these may come back, and would come behind it
            }
            if (transaction.failure() != null) {
                return refuse(delivery, transaction, transaction.failure());
            }
            if (!hasRoom()) {
                session.block(again); // the transfer may go to another owner, and its transaction with it
                return false;
            }
            part = session.coordinator().part(transaction);
            if (part.isFailed()) {
                return refuse(delivery, transaction, LocalTransaction.rolledBack(part.lostText()));
            }
            if (!part.isDeclared()) {
                part.whenAnswered(this::signal);
                return false;
            }
        }
        if (!hasRoom()) {
            session.block(again);
            return false;
        }
        if (delivery.isAborted()) {
            abort(delivery);
            return true;
        }
        if (current == null) {
            byte[] before = read.get(delivery);
            boolean isNumbered = part == null && numbers.isOn();
            if (isNumbered && !numbers.hasRoom(before == null ? 0 : before.length)) {
                return false;
            }
            read.remove(delivery);
            current = new Passed(delivery, part, isNumbered ? numbers.begin(delivery, before) : null);
            chunks.begin(before);
        }
        Chunks.Keeper keeper = current.numbered == null ? Chunks.Keeper.NONE : current.numbered;
        Chunks.Passed passed = chunks.pass(delivery, current.transfer, this::hasRoom, keeper);
        if (passed == Chunks.Passed.ALL) {
            complete(delivery);
        } else if (passed == Chunks.Passed.NO_ROOM) {
            session.block(again);
        } else if (numbers.isGoingBack()) {
            signal(); // it begins anew
        }
        return passed == Chunks.Passed.ALL;
    }

    private boolean hasRoom() {
        return relay.canWrite() && LinkFlow.isSendable(owner);
    }

    /** Refuses a transfer of a transaction that can only roll back. @return whether it has ended */
    private boolean refuse(IncomingDelivery delivery, LocalTransaction transaction, ErrorCondition why) {
        Chunks.discard(delivery);
        read.remove(delivery);
        if (delivery.isPartial()) {
            return false;
        }
        skipped++;
        arrived(delivery, null);
        if (reachesClient() && !delivery.isRemotelySettled()) {
            delivery.disposition(transaction.answer(why), true);
        } else {
            delivery.settle();
        }
        return true;
    }

    /** Ends a transfer of a transaction. @param refusal null if the owner has it */
    private void arrived(IncomingDelivery delivery, ErrorCondition refusal) {
        LocalTransaction transaction = arriving.remove(delivery);
        if (transaction != null && refusal == null) {
            transaction.arrivedElsewhere();
        } else if (transaction != null) {
            transaction.notArrived(refusal);
        }
    }

    private void complete(IncomingDelivery delivery) {
        sent++;
        if (current.numbered != null && delivery.isRemotelySettled()) {
            delivery.settle();
        }
        if (current.transfer.isSettled()) {
            sentSettled |= current.part == null;
            arrived(delivery, null);
            delivery.settle();
        } else if (current.transfer.isRemotelySettled()) {
            said.add(current); // it was answered before its end
            signal();
        }
        current = null;
    }

    private void abort(IncomingDelivery delivery) {
        unsettled.remove(current);
        current.transfer.abort();
        if (current.numbered != null) {
            numbers.remove(current.numbered);
        }
        sent++;
        current = null;
        chunks.forget();
        delivery.settle();
    }

    // ---- outcomes

    private void tellOutcomes() {
        for (Passed passed; (passed = said.poll()) != null; ) {
            if (passed.transfer.isComplete() && unsettled.contains(passed)) {
                tell(passed);
            }
        }
    }

    private void tell(Passed passed) {
        if (passed.numbered != null) {
            tellNumbered(passed);
            return;
        }
        IncomingDelivery ofClient = passed.ofClient;
        boolean settled = passed.transfer.isRemotelySettled();
        DeliveryState said = passed.transfer.remoteState();
        if (passed.part != null) {
            said = transactional(passed, said, settled);
        }
        if (reachesClient() && !ofClient.isSettled()) {
            if (ofClient.isRemotelySettled()) {
                ofClient.settle(); // the client wants no answer
            } else {
                ofClient.disposition(said, settled);
            }
        }
        if (settled) {
            unsettled.remove(passed);
            front.answered();
        }
    }

    /** Tells an outcome, unless the transfer goes again since one before it was refused. */
    private void tellNumbered(Passed passed) {
        if (!passed.transfer.isRemotelySettled()) {
            return; // the owner says nothing before that
        }
        unsettled.remove(passed);
        DeliveryState outcome = passed.transfer.remoteState();
        if (numbers.isAnswered(passed.numbered, outcome)) {
            tell(passed.ofClient, outcome);
            front.answered();
        }
    }

    /** Tells the client an outcome, as the owner would on a link of its own. */
    private void tell(IncomingDelivery ofClient, DeliveryState outcome) {
        if (!reachesClient()) {
            return;
        }
        ErrorCondition refusal = outcome instanceof Rejected rejected && rejected.getError() != null
                ? Rejections.of(ofClient, rejected.getError())
                : null;
        if (ofClient.isRemotelySettled()) {
            ofClient.settle(); // the client wants no answer
            if (refusal != null && !Rejections.isAboutRoom(refusal)) {
                front.post(() -> detach(refusal));
            }
        } else if (refusal == null || Rejections.areTakenBy(client)) {
            ofClient.disposition(refusal == null ? outcome : new Rejected(refusal), true);
        } else {
            front.post(() -> detach(refusal));
        }
    }

    /** Counts what the owner says within a transaction. @return the same for the client */
    private DeliveryState transactional(Passed passed, DeliveryState said, boolean settled) {
        Outcome outcome = said instanceof TransactionalState state
                ? state.getOutcome()
                : said instanceof Outcome plain ? plain : null;
        ErrorCondition refusal = outcome instanceof Rejected rejected ? rejected.getError() : null;
        if (settled) {
            arrived(
                    passed.ofClient,
                    outcome instanceof Accepted ? null : RelayedTransaction.messageRefused(outcome, refusal));
        }
        return said instanceof TransactionalState state ? passed.part.toClient(state) : said;
    }

    /** Passes on that the client has settled a transfer before the owner said anything. */
    private void onClientState(IncomingDelivery ofClient) {
        if (ofClient.isRemotelySettled()
                && ofClient.getLinkedResource() instanceof Passed passed
                && passed.transfer.isComplete()
                && unsettled.contains(passed)) {
            if (passed.numbered != null) {
                ofClient.settle(); // its outcome tells what goes again
                return;
            }
            unsettled.remove(passed);
            if (reachesOwner()) {
                passed.transfer.settle(ofClient.getRemoteState());
            }
            ofClient.settle();
        }
    }

    @Override
    void drop() {
        waiting.forEach(delivery -> arrived(delivery, RelayedTransaction.linkEnded()));
        waiting.forEach(delivery -> Chunks.giveBack(client.getSession(), delivery.available()));
        waiting.clear();
        read.clear();
        numbers.end();
    }

    @Override
    void ownerGone() {
        super.ownerGone();
        List.copyOf(unsettled).forEach(passed -> {
            passed.transfer.forget();
            arrived(passed.ofClient, RelayedTransaction.linkEnded());
        });
        unsettled.clear();
    }

    // ---- for operators

    @Override
    public LinkStatus status(LinkStatus.Key key) {
        Target target = client.getRemoteTarget();
        LinkStatus.Counts counts = new LinkStatus.Counts(client.getCredit(), unsettled.size() + waiting.size(), sent);
        return key.of(LinkStatus.PUBLISHER, target == null ? null : target.getAddress(), null, counts, null);
    }
}
