package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.CarriedPart;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.frames.RelayedTransfer;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.wire.RingtableSymbols;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashSet;
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
 * <p>Longer than others, because messages wait here for their owner, for its answer, and for the next owner.
 */
public final class RelayedMessages {
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

        /** Hears that the owner has ended the link. Of the messages without outcomes some may not be stored. */
        default void lost(ErrorCondition why) {}
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
    private final Place address;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Set<Waiting> unsettled = new HashSet<>(); // passed on
    private final Runnable again = this::write;
    private int shard; // of the address
    private final OwnerWatch.Tenant tenant = new OwnerWatch.Tenant();
    private boolean sentSettled; // something outside of transactions: nobody can tell whether it was stored
    private RelayedSession session; // null before the relay is open
    private Sender sender; // the same
    private NextOwner.Place waits; // among the links without an owner; null while it has one
    private ErrorCondition refusal; // for messages that nobody serves in time; null once somebody has
    private boolean ending;
    private boolean over;

    /** @param link the client's */
    RelayedMessages(Front front, Link<?> link, NodeName node, Place address, int shard) {
        this.front = front;
        this.link = link;
        this.node = node;
        this.address = address;
        this.shard = shard;
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
        sender = session.session().sender(CarriedClient.prefix(client.connection()) + client.link());
        sender.setProperties(Map.<Symbol, Object>of(
                RingtableSymbols.CLIENT,
                client.said(),
                RingtableSymbols.PART,
                address.isPart() ? shard : CarriedPart.WHOLE));
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
        return isAttached() && sender.isDraining() && sender.getCredit() != 0;
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
        return !over
                && sender != null
                && session.relay().isRunning()
                && sender.isLocallyOpen()
                && sender.isRemotelyOpen();
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
        boolean settled = next.delivery.isRemotelySettled();
        sentSettled |= settled && state == null;
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

    private void onDetach(Sender ofOwner) {
        if (over || ofOwner != sender) {
            return;
        }
        ErrorCondition why = sender.getRemoteCondition();
        HandedOver to = HandedOver.of(why);
        boolean isForced = why != null && ConnectionError.CONNECTION_FORCED.equals(why.getCondition());
        if (waits != null && why != null && node.isOfTemporary() && CarriedClient.isElsewhere(why)) {
            letGo();
            leave(Conditions.noTemporary(node)); // it never has another owner
        } else if (waits != null && why != null && (isForced || CarriedClient.isElsewhere(why))) {
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
        } else if (isForced || to != null) {
            close();
            front.connection().close(Conditions.of(ConnectionError.CONNECTION_FORCED, why.getDescription()), true);
        } else {
            close();
            refuse(why);
            if (sentSettled && why != null) {
                address.lost(why);
            }
        }
    }

    private void takeBack() {
        over = true;
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
        session = null;
        sender = null;
    }

    private void onAttached(Sender opened) {
        if (opened == sender) {
            tenant.attached();
        }
        if (opened == sender && waits != null && sender.getRemoteTarget() != null) {
            NextOwner.Place found = waits;
            waits = null;
            refusal = null;
            found.served();
        }
    }

    /** Tells whether what waits may go on at another owner, though this one says no more. */
    boolean survivesOwner() {
        return isMoving()
                || isIdle()
                || sender != null && !sentSettled && unsettled.stream().allMatch(each -> each.transaction != null);
    }

    /** Waits for the next owner: this one says no more. Transactions of what was sent roll back. */
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
        session.remove(this);
        session = null;
        sender = null;
        waits = front.nextOwner(shard).waitForAny(new Move(), shard, lost);
        for (Waiting each : sent) {
            each.transfer.forget();
            each.answer.answered(RelayedTransaction.linkEnded());
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
            if (!address.isHere()) {
                return false;
            }
            waits = null;
            takeBack();
            front.post(() -> {}); // a turn, at the end of which the client hears of it
            return true;
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
                    leave(null);
                } else if (!front.attach(RelayedMessages.this, relay, false)) {
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
                } else if (address.isPart()) {
                    refuse(why); // no owner has seen what waits, and other parts go on
                } else {
                    front.connection().close(why, true);
                }
            });
        }
    }

    /** Waits for no owner any more. @param why what waits is refused; null if unknown */
    private void leave(ErrorCondition why) {
        NextOwner.Place left = waits;
        waits = null;
        refuse(why);
        left.left();
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
        if (waits != null) {
            session = null;
            sender = null;
            waits.notYet(); // the relay to the next owner is lost, or the client's session
        } else if (!over) {
            refuse(null);
        }
    }

    /** Tells whether something waits for its way to the owner. */
    public boolean hasWaiting() {
        return !over && !waiting.isEmpty();
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
