package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.CarriedPart;
import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.frames.RelayedTransfer;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.numbering.NumberedTransfer;
import io.ringtable.broker.amqp.numbering.NumberedTransfers;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.wire.RingtableSymbols;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
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
 * Passes whole messages of one link on to an address of another node, or to one part. They are those of a link without
 * a target, and of a link to an address with parts. The link bounds what waits and what has no outcome, and has the
 * bytes until then. So nothing is kept for the next owner that is not there anyway.
 * <p>
 * Thread: the event loop of the client's connection. Failure: what cannot be passed on is refused. After the loss of a
 * relay messages wait for the next owner, which tells what is stored of those with numbers (ADR 84). If one has no
 * number, nobody knows, and the client's connection is closed.
 * <p>Longer than others, because messages wait here for their owner, for its answer, and for the next owner.
 */
public final class RelayedMessages {
    /** Separates an address from the shard of its part in what names their producers: no address contains it. */
    private static final char IN_SHARD = '\n';

    /**
     * How long a link with a producer stays without a message. Its owner keeps the place of an unused producer as long.
     */
    private static final int IDLE_MS = 60_000;

    /** Hears what became of a message. */
    public interface Answer {
        /** Ends the wait for the outcome. @param refusal null if the message is accepted */
        void answered(ErrorCondition refusal);

        /** Has this node itself take the message: it has the address now, and the last owner has not seen it. */
        void takenBack();
    }

    /** Says where the address is, as this node sees it. */
    public interface Place {
        /** Returns its home; null if no other node is seen that has it. */
        RemoteHome home();

        /** Tells whether this node serves it. */
        boolean isHere();

        /** Tells whether it is one part of an address, of which this node has chosen the part of each message. */
        default boolean isPart() {
            return false;
        }

        /**
         * Looks where the address lives, as the node that was seen to have it has no such address, or has parts of it.
         *
         * @param then goes on with what is known after that
         * @return false if this node has no other way to find out
         */
        default boolean looksAgain(Runnable then) {
            return false;
        }

        /**
         * Asks how far the producer of the messages is that this node has now.
         *
         * @param then hears it; null if this node cannot tell now
         */
        void lastNumber(CarriedProducer producer, Consumer<CarriedProducer> then);

        /** Hears that the owner has ended the link. Of the messages without outcomes some may not be stored. */
        default void lost(ErrorCondition why) {}
    }

    /** Holds a message that waits, or whose outcome is owed. */
    private final class Waiting {
        private final IncomingDelivery delivery;
        private final LocalTransaction transaction; // null outside of transactions
        private final byte[] body;
        private final Answer answer;
        private NumberedTransfer<Waiting> numbered; // null before its beginning, and if it has no number
        private RelayedTransfer transfer; // null before its beginning
        private ProtonBuffer rest; // not written yet; null before its beginning

        Waiting(IncomingDelivery delivery, LocalTransaction transaction, byte[] body, Answer answer) {
            this.delivery = delivery;
            this.transaction = transaction;
            this.body = body;
            this.answer = answer;
        }

        /** Begins. @param made carries it to the owner */
        void begun(RelayedTransfer made) {
            transfer = made;
            rest = ProtonByteArrayBufferAllocator.wrapped(body, 0, body.length);
        }

        /** Begins anew later. */
        void goesAgain() {
            numbered = null;
            transfer = null;
            rest = null;
        }
    }

    private final Front front;
    private final Link<?> link;
    private final NodeName node;
    private final Place address;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Set<Waiting> unsettled = new HashSet<>(); // passed on
    private final Runnable again = this::write;
    private final NumberedTransfers<Waiting> numbers;
    private int shard; // of the address, which may move
    private final OwnerWatch.Tenant tenant = new OwnerWatch.Tenant();
    private boolean sentSettled; // something outside of transactions: nobody can tell whether it was stored
    private RelayedSession session; // null before the relay is open
    private Sender sender; // the same
    private boolean attached; // the owner has answered, and its answer is heard
    private NextOwner.Place waits; // among the links without an owner; null while it has one
    private ErrorCondition refusal; // for messages that nobody serves in time; null once somebody has
    private long messages; // that were passed on, or wait
    private boolean timed; // its end, if no more come
    private boolean ending;
    private boolean over;

    /** @param link the client's */
    RelayedMessages(Front front, Link<?> link, NodeName node, Place address, int shard) {
        this.front = front;
        this.link = link;
        this.node = node;
        this.address = address;
        this.shard = shard;
        this.numbers = front.numbers();
    }

    /** Begins without an owner: the next one is to serve the shard. */
    void follow(HandedOver to) {
        waits = front.nextOwner(to.shard()).wait(new Move(), to);
    }

    /** Begins without an owner: no node serves the shard now. @param why for messages, if none does in time */
    void waitForFirst(ErrorCondition why) {
        refusal = why;
        waits = front.nextOwner(shard).waitForFirst(new Move(), why);
    }

    /** Hears that the relay to the first owner has not opened. @param create whether that one may make the address */
    void unreached(ErrorCondition why, boolean create) {
        if (!create && CarriedClient.isNotServedYet(why)) {
            waitForFirst(why);
        } else {
            refuse(why);
        }
    }

    /** Attaches at the owner. @param itsSession mirrors that of the client's link */
    void attach(RelayedSession itsSession, CarriedClient client) {
        session = itsSession;
        session.relay().watch().uses(shard);
        attached = false;
        sender = session.session().sender(CarriedClient.prefix(client.connection()) + client.link());
        Map<Symbol, Object> properties = new HashMap<>();
        properties.put(RingtableSymbols.CLIENT, client.said());
        properties.put(RingtableSymbols.PART, address.isPart() ? shard : CarriedPart.WHOLE);
        if (!node.isOfTemporary()) {
            String named = address.isPart() ? node.name() + IN_SHARD + shard : node.name();
            properties.putAll(numbers.asks(named).said());
        }
        sender.setProperties(properties);
        sender.setSource(new Source().setOutcomes(Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL));
        Target target = new Target().setAddress(node.name());
        if (node.kind() != null) {
            target.setCapabilities(node.kind() == AddressKind.QUEUE ? NodeName.QUEUE : NodeName.TOPIC);
        }
        sender.setTarget(target);
        sender.openHandler(opened -> front.post(() -> onAttached(opened)));
        sender.creditStateUpdateHandler(changed -> front.post(this::write));
        sender.closeHandler(closed -> front.post(() -> onDetach(closed)));
        sender.detachHandler(detached -> front.post(() -> onDetach(detached)));
        session.put(this);
        sender.open();
    }

    /** Passes a message on. @param transaction null = in none */
    public void send(IncomingDelivery delivery, LocalTransaction transaction, byte[] body, Answer answer) {
        messages++;
        waiting.add(new Waiting(delivery, transaction, body, answer));
        write();
    }

    /** Tells whether another message can be passed on here: the owner has not ended the link. */
    public boolean isOver() {
        return over;
    }

    /** Tells whether nothing waits, for its way or for its outcome. */
    public boolean isIdle() {
        return waiting.isEmpty() && unsettled.isEmpty() && numbers.isEmpty();
    }

    /** Ends the link at the owner once all that was sent is there: the client's link has ended. */
    public void end() {
        ending = true;
        write();
    }

    /** Writes what waits, in its order, as far as the owner lets it. */
    void write() {
        putBack(numbers.takeBack());
        while (!waiting.isEmpty() && !mustStop() && canWrite()) {
            if (!write(waiting.peek())) {
                break;
            }
            waiting.remove();
        }
        if (mustStop() && isDrained()) {
            sender.drained();
        }
        if (ending && isIdle() && !over) {
            close();
            numbers.end();
        }
        if (session != null) {
            session.endIfDone();
        }
    }

    /** Tells whether what waits is for the next owner, as this one asks for or another one was seen. */
    private boolean mustStop() {
        return (tenant.isReplaced() || isDrained()) && (waiting.isEmpty() || waiting.peek().transfer == null);
    }

    private boolean isDrained() {
        return isAttached() && sender.isDraining() && LinkFlow.credit(sender) > 0;
    }

    /** Hears that another node was seen to own a shard. @return whether the link is attached for it here */
    boolean replaced(int itsShard, OwnerWatch.Look look) {
        if (itsShard != shard || over || sender == null || isMoving()) {
            return false;
        }
        RemoteHome home = address.home();
        Relay relay = session.relay();
        if (home != null
                && home.shard() != shard
                && home.node().equals(relay.node().node())) {
            shard = home.shard(); // as of a relayed link: the address has moved to a shard of this owner
            relay.watch().uses(shard);
            tenant.stays();
            front.post(again);
            return false;
        }
        tenant.replaced(look);
        return true;
    }

    private boolean isAttached() {
        return !over && attached && session.relay().isRunning() && sender.isLocallyOpen() && sender.isRemotelyOpen();
    }

    private boolean canWrite() {
        if (!isAttached()) {
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
        if (next.transfer == null && isHeldUp(next)) {
            return false;
        }
        if (next.transfer == null && !begin(next)) {
            return !waitsForId(next);
        }
        next.transfer.write(next.rest, true);
        if (!next.transfer.isComplete()) {
            session.block(again);
            return false;
        }
        if (next.transfer.isSettled()) {
            next.answer.answered(null);
        } else if (next.transfer.isRemotelySettled()) {
            onSaid(next); // it was answered before its end
        }
        return true;
    }

    /** Tells whether a message may not begin, since one before it goes again, or may roll back without it. */
    private boolean isHeldUp(Waiting next) {
        return numbers.isGoingBack() || next.transaction != null && !numbers.isEmpty();
    }

    private boolean waitsForId(Waiting next) {
        return next.transaction != null
                && next.transaction.failure() == null
                && !session.coordinator().part(next.transaction).isFailed();
    }

    private boolean begin(Waiting next) {
        DeliveryState state = null;
        if (next.transaction != null) {
            RelayedTransaction part =
                    next.transaction.failure() == null ? session.coordinator().part(next.transaction) : null;
            ErrorCondition failure = next.transaction.failure(); // this part may be one too many
            if (failure != null) {
                next.answer.answered(failure);
                return false;
            }
            if (part.isFailed()) {
                next.answer.answered(LocalTransaction.rolledBack(part.lostText()));
                return false;
            }
            if (!part.isDeclared()) {
                part.whenAnswered(() -> front.post(this::write));
                return false;
            }
            state = part.toOwner((TransactionalState) next.delivery.getRemoteState());
        }
        if (state == null && numbers.isOn()) {
            next.numbered = numbers.begin(next, null);
        }
        boolean settled = next.numbered == null && next.delivery.isRemotelySettled(); // numbers want answers
        sentSettled |= settled && state == null;
        byte[] tag = next.numbered == null ? next.delivery.getTag().tagBytes() : next.numbered.tag();
        int format = next.delivery.getMessageFormat();
        next.begun(session.relay().transfers().begin(sender, tag, format, state, settled, () -> onSaid(next)));
        if (!settled) {
            unsettled.add(next);
        }
        return true;
    }

    private void onSaid(Waiting about) {
        front.post(() -> {
            if (isSaid(about) && unsettled.remove(about)) {
                DeliveryState said = about.transfer.remoteState();
                if (about.numbered == null || numbers.isAnswered(about.numbered, said)) {
                    about.answer.answered(refusal(said));
                }
                write();
                endLater();
            }
        });
    }

    /** Tells whether the owner has told the outcome of a message that has left, and does not go again. */
    private static boolean isSaid(Waiting message) {
        return message.transfer != null && message.transfer.isComplete() && message.transfer.isRemotelySettled();
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

    // ---- idle

    /** Ends the link at the owner once it has been idle for long: it has a producer, which others can use. */
    private void endLater() {
        if (!timed && isRested()) {
            timed = true;
            long before = messages;
            front.connection().mailbox().later(() -> endIfSince(before), IDLE_MS);
        }
    }

    private void endIfSince(long before) {
        timed = false;
        if (messages == before && isRested()) {
            end();
        } else {
            endLater();
        }
    }

    private boolean isRested() {
        return numbers.isOn() && isIdle() && !over;
    }

    // ---- again

    /** Goes on with what another owner has said, or this node. */
    private void goOn(CarriedProducer told) {
        if (numbers.answered(told)) {
            numbers.takeStored().forEach(stored -> stored.of().answer.answered(null));
            putBack(numbers.takeAll());
        } else {
            unknown();
        }
    }

    /** Has messages go before everything that waits. */
    private void putBack(List<NumberedTransfer<Waiting>> messages) {
        for (int i = messages.size() - 1; i >= 0; i--) {
            Waiting message = messages.get(i).of();
            message.goesAgain();
            waiting.addFirst(message);
        }
    }

    /** Has the client connect again: nobody knows what is stored of the messages without an outcome. */
    private void unknown() {
        numbers.end();
        front.connection()
                .close(
                        NumberedTransfers.notKnown(
                                node.name(), front.connection().nameOf(link)),
                        true);
    }

    // ---- the end

    private void onDetach(Sender ofOwner) {
        if (over || ofOwner != sender) {
            return;
        }
        ErrorCondition why = sender.getRemoteCondition();
        HandedOver to = HandedOver.of(why);
        boolean isForced = why != null && ConnectionError.CONNECTION_FORCED.equals(why.getCondition());
        if (waits != null && why != null && node.isOfTemporary() && CarriedClient.isElsewhere(why)) {
            letGo();
            waitNoMore();
            refuse(Conditions.noTemporary(node)); // it never has another owner
        } else if (waits != null
                && why != null
                && (isForced || CarriedClient.isElsewhere(why) || CarriedClient.isAnew(why))) {
            letGo();
            waits.notYet();
        } else if (waits == null && to != null && unsettled.isEmpty()) {
            letGoOfAll();
            follow(to);
        } else if (isUnserved()
                && why != null
                && CarriedClient.isElsewhere(why)
                && address.looksAgain(this::takeBack)) {
            letGoOfAll(); // what comes meanwhile waits here too
        } else if (isRefused(why)) {
            letGoOfAll();
            waitForFirst(why);
        } else if (CarriedClient.isAway(why)) {
            front.ownerLost(session.relay(), why); // so it is with all links of the client there
        } else if (CarriedClient.isAnew(why) && survivesOwner()) {
            attachAnew();
        } else if (isForced || to != null || CarriedClient.isAnew(why)) {
            close();
            numbers.end();
            front.connection().close(Conditions.of(ConnectionError.CONNECTION_FORCED, why.getDescription()), true);
        } else if (waits != null && !numbers.isEmpty()) {
            close();
            waitNoMore();
            unknown();
        } else {
            close();
            waitNoMore();
            refuse(why);
            if (sentSettled && why != null) {
                address.lost(why);
            }
        }
    }

    /** Attaches where the address is now, as the owner has ended the link for that. Nothing was lost with it. */
    private void attachAnew() {
        RelayedSession last = session;
        if (isIdle()) {
            close(); // the next message makes another link
            numbers.end();
        } else {
            ownerLost();
            waits.rest(); // what the owner ends the link for may not be over
        }
        last.endIfDone();
    }

    private void takeBack() {
        over = true;
        numbers.end();
        List<Waiting> all = List.copyOf(waiting);
        waiting.clear();
        try {
            all.forEach(each -> each.answer.takenBack()); // now, ahead of the next message
        } catch (RuntimeException e) { // fails this client only
            front.connection().fail(e);
        }
    }

    private void letGoOfAll() {
        RelayedSession last = session;
        letGo();
        last.withdrawUnused();
        front.post(last::endIfDone); // once the link waits elsewhere
    }

    /** Tells whether the first owner has refused the link, since it serves the shard no more or not yet. */
    private boolean isRefused(ErrorCondition why) {
        return isUnserved() && why != null && CarriedClient.isNotServedYet(why);
    }

    private boolean isUnserved() {
        return waits == null && sender.getRemoteTarget() == null;
    }

    /** Forgets the link to an owner that is the owner no more, or not yet. */
    private void letGo() {
        if (session.relay().isRunning() && sender.isLocallyOpen()) {
            sender.close();
        }
        session.remove(this);
        noOwner();
    }

    private void noOwner() {
        session = null;
        sender = null;
        attached = false;
    }

    private void onAttached(Sender opened) {
        if (opened != sender) {
            return;
        }
        tenant.attached();
        if (sender.getRemoteTarget() == null) {
            return; // the detach that follows says why
        }
        attached = true;
        refusal = null;
        waitServed();
        goOn(CarriedProducer.of(sender));
        write();
        endLater();
    }

    private void waitServed() {
        NextOwner.Place found = waits;
        waits = null;
        if (found != null) {
            found.served();
        }
    }

    /** Has others ask for the next owner, if this link has done so until now. */
    private void waitNoMore() {
        NextOwner.Place left = waits;
        waits = null;
        if (left != null) {
            left.left();
        }
    }

    /**
     * Tells whether what waits may go on at another owner, though this one says no more. The next one tells of a
     * message with a number whether it is stored.
     */
    boolean survivesOwner() {
        return isMoving()
                || isIdle()
                || sender != null
                        && !sentSettled
                        && unsettled.stream().allMatch(each -> each.transaction != null || each.numbered != null);
    }

    /**
     * Waits for the next owner: this one says no more. Transactions of what was sent roll back. Messages with a number
     * go on once that owner has told what is stored.
     */
    void ownerLost() {
        if (isMoving() || isIdle()) {
            return; // the end of the session tells it
        }
        Set<Waiting> sent = new LinkedHashSet<>(unsettled);
        waiting.stream().filter(each -> each.transfer != null).forEach(sent::add);
        unsettled.clear();
        waiting.removeAll(sent);
        RemoteHome lost = session.relay().node();
        session.withdrawUnused();
        letGo();
        waits = front.nextOwner(shard).waitForAny(new Move(), shard, lost);
        for (Waiting each : sent) {
            each.transfer.forget();
            if (each.numbered == null) {
                each.answer.answered(RelayedTransaction.linkEnded());
            }
        }
    }

    /** Tells whether the link waits for the next owner of its shard. */
    boolean isMoving() {
        return waits != null;
    }

    /** Attaches at the next owner. */
    private final class Move implements NextOwner.Moving {
        @Override
        public boolean isWanted() {
            return !over && front.connection().isRunning() && Front.isOpen(link) && (!ending || !isIdle());
        }

        @Override
        public boolean goesOnHere() {
            if (!address.isHere() || !numbers.isTold(address::lastNumber, this::told)) {
                return false;
            }
            waits = null;
            takeBack();
            front.post(() -> {}); // a turn, at the end of which the client hears of it
            return true;
        }

        private void told(CarriedProducer said) {
            if (isMoving()) {
                goOn(said);
            }
        }

        @Override
        public RemoteHome seen() {
            return address.home();
        }

        @Override
        public void attach(Relay relay) {
            front.post(() -> {
                if (waits == null) {
                    return; // it has given up
                }
                if (!isWanted()) {
                    waitNoMore();
                    refuse(null);
                    return;
                }
                RemoteHome home = address.home();
                shard = home == null ? shard : home.shard(); // the address may have moved
                if (!front.attach(RelayedMessages.this, relay, false)) {
                    waits.notYet();
                }
            });
        }

        @Override
        public void giveUp(ErrorCondition why) {
            front.post(() -> {
                waits = null;
                over = true;
                if (refusal != null) {
                    refuse(refusal);
                } else if (address.isPart() && numbers.isEmpty()) {
                    refuse(why); // no owner has seen what waits, and other parts go on
                } else {
                    numbers.end();
                    front.connection().close(why, true);
                }
            });
        }

        @Override
        public void unwanted() {
            front.post(() -> {
                waits = null;
                refuse(null);
            });
        }
    }

    private void close() {
        over = true;
        if (session == null) {
            return; // between two owners
        }
        if (session.relay().isRunning() && sender.isLocallyOpen()) {
            sender.close();
        }
        session.remove(this);
    }

    /** Refuses what waits, and what the owner has said nothing of: the link is over. @param why null if unknown */
    void refuse(ErrorCondition why) {
        over = true;
        ErrorCondition refusal = why == null ? Relay.endedUnasked() : why;
        Set<Waiting> all = new LinkedHashSet<>(unsettled);
        numbers.end().forEach(each -> all.add(each.of()));
        all.addAll(waiting);
        waiting.clear();
        unsettled.forEach(each -> each.transfer.forget());
        unsettled.clear();
        all.forEach(each -> each.answer.answered(refusal));
    }

    /** Hears that the session at the owner has ended. */
    void ownerGone() {
        if (waits != null) {
            noOwner();
            waits.notYet(); // the relay to the next owner is lost, or the client's session
        } else if (!over) {
            refuse(null);
        }
    }

    /** Tells whether something waits for its way to the owner. */
    public boolean hasWaiting() {
        return !over && (!waiting.isEmpty() || numbers.isGoingBack());
    }

    boolean isBusy() {
        return !isIdle();
    }

    String name() {
        return node.name();
    }

    Link<?> link() {
        return link;
    }
}
