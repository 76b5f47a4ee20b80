package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.SharedCredit;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.RingtableSymbols;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.jctools.queues.atomic.SpscUnboundedAtomicArrayQueue;

/**
 * Serves a link on which a client receives from a subscription. The dispatcher puts deliveries into its queue; the
 * event loop writes them as credit, the session's window and the socket allow. The dispatcher hears of bounded credit
 * only, so a client that gives boundless credit and does not read holds bounded memory.
 * <p>Longer than others, because credit and queue of one link are told from three sides.
 * <p>
 * Thread: the connection's event loop; the methods of {@link Consumer} are the dispatcher's.
 */
public final class ConsumerLink implements SharedLink, Consumer, ConnectionMailbox.Event {
    private static final int QUEUE_CHUNK = 128;
    /** The most deliveries that may wait in the queue. */
    private static final int WINDOW_MAX = 1_024;
    /** The most bytes in the queues of all links of the connection, by the size of recent deliveries. */
    private static final int WINDOW_BYTES = 8 * 1024 * 1024;

    private static final int WINDOW_LEAST = 2;
    /** The assumed size of a message before the first ones are seen. */
    private static final int SIZE_EXPECTED = 256 * 1024;

    private static final int SIZE_SHARE = 8; // weight of the newest size is 1/8
    private static final int NO_SHARD = -1;

    private record Drained(long limit) {}

    /** Stands behind all that the dispatcher had handed over when it heard that its credit is taken back. */
    private static final Object RECALLED = new Object();

    private final ConsumerLinks links;
    private final OpenConnection connection;
    private final Sender sender;
    private final Subscription subscription;
    private final Home home;
    private final Selector selector;
    private final boolean browses;
    private final ConsumerRights rights;
    private final DispatcherMailbox dispatcher;
    private final Outcomes outcomes;
    private final LinkTags tags;

    private final SpscUnboundedAtomicArrayQueue<Object> queue = new SpscUnboundedAtomicArrayQueue<>(QUEUE_CHUNK);
    private final AtomicBoolean signalled = new AtomicBoolean(); // written by dispatcher and event loop

    private boolean preSettled;
    private int leaving = NO_SHARD; // the shard that another node takes over: the link is suspended
    private boolean ended;
    private SharedCredit shared; // with other nodes that have parts; null = all credit is this link's
    private SharedCredit.Share share; // of it

    /** AMQP's delivery-count, widened: completed transfers and credit voided by drains. */
    private long sent;
    /** Deliveries that the dispatcher counts and AMQP does not (given back unsent), less those it never heard of. */
    private long offset;
    /** The limit that the dispatcher was told last. */
    private long told;

    private boolean toldDrain;
    private boolean recalls; // until the dispatcher has answered, all goes back and no credit is told
    private boolean replays; // the old home of its topic had more to copy when the drain was told
    private int averageSize = SIZE_EXPECTED;
    private long written; // deliveries, completely

    private OutgoingDelivery current; // partly written
    private Delivery currentDelivery;
    private ProtonBuffer currentRest;

    /**
     * @param home of the subscription's address
     * @param selector which messages of a queue the consumer wants; null = all
     * @param browses whether it only looks: its deliveries need no outcome
     */
    public ConsumerLink(
            ConsumerLinks links,
            Sender sender,
            Subscription subscription,
            Home home,
            Selector selector,
            boolean browses) {
        this.links = links;
        this.connection = links.connection();
        this.sender = sender;
        this.subscription = subscription;
        this.home = home;
        this.browses = browses;
        this.rights = new ConsumerRights(links.rights(), subscription, browses);
        this.selector = rights.within(selector);
        this.dispatcher = links.dispatcherOf(subscription, home);
        LinkHome its = new LinkHome(links, subscription, home);
        this.outcomes = new Outcomes(this, links, dispatcher, its);
        this.tags = new LinkTags(links, its, subscription.isStored() && !browses);
        links.attached(this);
    }

    @Override
    public Link<?> link() {
        return sender;
    }

    @Override
    public LinkStatus status(LinkStatus.Key key) {
        LinkStatus.Counts counts = new LinkStatus.Counts(clientCredit(), outcomes.unsettled(), written);
        return key.of(LinkStatus.CONSUMER, subscription.address().name(), subscription.id(), counts, waitsFor());
    }

    private WaitsFor waitsFor() {
        if (clientCredit() == 0) {
            return WaitsFor.CREDIT;
        }
        if (!connection.canWrite()) {
            return WaitsFor.READING;
        }
        return queue.isEmpty() || sender.isSendable() ? null : WaitsFor.WINDOW;
    }

    @Override
    public boolean uses(int shard) {
        return home.number() == shard || dispatcher.reads(shard);
    }

    /** Returns how many deliveries have no outcome yet, and are in no transaction. */
    public long unsettled() {
        return outcomes.unsettled();
    }

    /** Begins to read the subscription, once the link is attached on both ends. */
    public void begin() {
        preSettled = browses || sender.getRemoteSenderSettleMode() == SenderSettleMode.SETTLED;
        sender.creditStateUpdateHandler(changed -> clientCreditChanged());
        sender.deliveryStateUpdatedHandler(outcomes::onState);
        ConsumerDetach answer = new ConsumerDetach(this, links, sender, subscription);
        sender.detachHandler(detached -> answer.onDetach(false));
        sender.closeHandler(closed -> answer.onDetach(true));
        if (browses) {
            dispatcher.browse(this, subscription);
        } else {
            dispatcher.attach(this, subscription);
        }
        if (credit() > 0) {
            creditChanged(); // given before the attach was answered, as clients that do not wait for answers do
        }
    }

    @Override
    public void shareWith(SharedCredit credit) {
        shared = credit;
        share = credit.addOwn(this, told == 0 ? 0 : credit(), isOfOldHome());
    }

    /** Tells whether the subscription is in the old home of a topic that moves: what it has here comes first. */
    private boolean isOfOldHome() {
        Address address = subscription.address();
        return subscription.isStored() && !address.isQueue() && address.quota().isClosed();
    }

    /** Tells whether the link is to such a part, and another node serves the client from the next home. */
    public boolean isPartOfOldHome() {
        return connection.isCarried()
                && sender.getRemoteProperties() != null
                && sender.getRemoteProperties().containsKey(RingtableSymbols.PARTS)
                && isOfOldHome();
    }

    // ---- from the dispatcher

    Subscription subscription() {
        return subscription;
    }

    @Override
    public Selector selector() {
        return selector;
    }

    @Override
    public void deliver(Delivery delivery) {
        put(delivery);
    }

    @Override
    public void drained(long limit) {
        put(new Drained(limit));
    }

    @Override
    public void recalled() {
        put(RECALLED);
    }

    @Override
    public void ended(Refusal refusal) {
        put(refusal);
    }

    @Override
    public Mailbox mailbox() {
        return connection.mailbox();
    }

    @Override
    public String description() {
        return Printable.text("link '" + connection.nameOf(sender) + "' of " + connection.description());
    }

    private void put(Object item) {
        queue.offer(item);
        if (!signalled.get() && signalled.compareAndSet(false, true)) {
            connection.mailbox().put(this);
        }
    }

    @Override
    public void onEventLoop() {
        signalled.set(false);
        pump();
    }

    // ---- credit

    @Override
    public void creditChanged() {
        if (!ended) {
            tellCredit(true);
            pump();
        }
    }

    private void clientCreditChanged() {
        if (shared == null) {
            creditChanged();
        } else {
            shared.creditChanged();
        }
    }

    private int window() {
        int share = WINDOW_BYTES / Math.max(1, links.count());
        return Math.max(WINDOW_LEAST, Math.min(WINDOW_MAX, share / Math.max(1, averageSize)));
    }

    private long credit() {
        return share == null ? clientCredit() : share.credit();
    }

    private long clientCredit() {
        return LinkFlow.credit(sender);
    }

    private boolean isDraining() {
        return share == null ? sender.isDraining() : share.drains();
    }

    /** Tells whether deliveries may leave. Of a suspended link only those of a drain do. */
    private boolean mayDeliver() {
        return credit() > 0 && (leaving == NO_SHARD || isDraining() && mustAnswerDrain());
    }

    /**
     * Tells whether the client may settle or commit only once its drain has an answer, as a client of JMS that polls
     * does. Otherwise the next owner answers the drain.
     */
    private boolean mustAnswerDrain() {
        return toldDrain || links.owesOutcomes(leaving);
    }

    /** Tells the dispatcher of credit; {@code flow} is false if the client is silent and only the queue has room. */
    private void tellCredit(boolean flow) {
        if (recalls) {
            return;
        }
        long consumed = sent + offset;
        if (!mayDeliver()) {
            tellLimit(consumed, false);
            return;
        }
        long all = consumed + credit();
        if (!flow && (told >= all || told - consumed > window() / 2)) {
            return;
        }
        tellLimit(Math.min(all, Math.max(told, consumed + window())), isDraining());
    }

    private void tellLimit(long limit, boolean drain) {
        if (limit != told || drain != toldDrain) {
            told = limit;
            toldDrain = drain;
            // The catalogue comes first: what it has copied before the replay is over, the dispatcher has heard of.
            replays = drain && isOfOldHome() && home.lookup().isReplaying(subscription);
            dispatcher.credit(this, limit, drain);
        }
    }

    private void onDrained(long limit) {
        long consumed = sent + offset;
        offset += Math.max(0, limit - consumed); // which the dispatcher counts as delivered now
        if (recalls || toldDrain && limit != told) {
            return; // the question is asked again, or has been
        }
        if (!toldDrain) {
            tellCredit(true); // the client has taken its question back, and the credit is void nevertheless
            return;
        }
        toldDrain = false;
        if (consumed >= told && credit() > 0) {
            tellCredit(true); // the window was used up, there may be more
            return;
        }
        sent += credit();
        offset = told - sent;
        if (share != null) {
            share.drained(replays);
        } else if (isPartOfOldHome()) {
            links.drained(sender, replays);
        } else {
            sender.drained();
        }
    }

    // ---- writing

    /** Goes on writing, since the socket or the session may have room again. */
    public void resume() {
        if (!ended) {
            LinkFlow.isSendable(sender); // computes the window anew
            pump();
        }
    }

    private void pump() {
        if (ended) {
            giveBackQueue();
            return;
        }
        while (connection.isRunning() && (current == null || writeRest())) {
            Object item = queue.peek();
            if (item == null) {
                tellCredit(false);
                return;
            }
            if (item instanceof Delivery delivery) {
                if (recalls || !mayDeliver()) {
                    if (browses) {
                        return; // it has taken nothing from others, and keeps what it is to be shown
                    }
                    giveBack(delivery);
                } else if (connection.canWrite() && sender.isSendable() && (share == null || share.mayBegin())) {
                    queue.poll();
                    write(delivery);
                } else {
                    links.pause(this);
                    return;
                }
            } else {
                queue.poll();
                if (item instanceof Drained drained) {
                    onDrained(drained.limit);
                } else if (item == RECALLED) {
                    onRecalled();
                } else {
                    detach(Conditions.of((Refusal) item));
                    return;
                }
            }
        }
    }

    /**
     * Gives back a delivery whose credit the client took back meanwhile, or that comes too late. All that the
     * dispatcher has handed over behind it goes back as well, whatever credit there is by then: it must not overtake.
     */
    private void giveBack(Delivery delivery) {
        if (!recalls) {
            recalls = true;
            dispatcher.recall(this);
        }
        queue.poll();
        offset++;
        dispatcher.released(this, delivery);
    }

    private void onRecalled() {
        recalls = false;
        told = sent + offset;
        toldDrain = false;
        tellCredit(true);
    }

    private void write(Delivery delivery) {
        byte[] encoded = delivery.message().encoded();
        byte[] bytes;
        try {
            bytes = links.header().withDeliveryCount(encoded, delivery.deliveryCount());
        } catch (MalformedMessage e) {
            bytes = encoded; // the broker has not checked it, but must not keep it either
        }
        averageSize += (bytes.length - averageSize) / SIZE_SHARE;
        if (share != null) {
            share.begins();
        }
        current = sender.next();
        current.setTag(tags.of(delivery));
        currentDelivery = delivery;
        currentRest = ProtonByteArrayBufferAllocator.wrapped(bytes);
        current.setLinkedResource(delivery);
        outcomes.awaits(delivery, preSettled);
        if (preSettled) {
            current.settle();
        }
        writeRest();
    }

    /** Returns true once the current delivery is written completely. */
    private boolean writeRest() {
        if (!sender.isSendable() || !connection.canWrite()) {
            links.pause(this);
            return false;
        }
        current.writeBytes(currentRest);
        if (current.isPartial()) {
            links.pause(this);
            return false;
        }
        sent++;
        written++;
        if (share != null) {
            share.sent();
        }
        links.counters().messagesOut.increment();
        links.counters().bytesOut.add(currentDelivery.message().bytes());
        if (preSettled) {
            outcomes.accept(currentDelivery);
        }
        current = null;
        currentDelivery = null;
        currentRest = null;
        return true;
    }

    // ---- another node

    /**
     * {@inheritDoc} What a stored subscription owes is in its shard; others would miss messages. A link that other
     * nodes serve too would get their deliveries again, without a flag.
     */
    @Override
    public boolean mayHandOver(int shard) {
        return subscription.isStored() && !browses && shared == null && links.isWhole(subscription);
    }

    @Override
    public void suspend(int shard) {
        leaving = shard;
        tellCredit(true);
        pump();
    }

    @Override
    public Handing handing(int shard) {
        boolean isLate = leaving == NO_SHARD && !connection.isCarried(); // its attach was answered too late
        if (isLate || current != null || !queue.isEmpty() || outcomes.unsettled() > 0) {
            return Handing.WAITS;
        }
        return outcomes.isAcknowledging() ? Handing.OWES : Handing.DONE;
    }

    // ---- the end

    @Override
    public ErrorCondition refusal() {
        return rights.refusal();
    }

    @Override
    public void detach(ErrorCondition condition) {
        if (!ended && connection.isRunning() && sender.isLocallyOpen()) {
            if (shared != null) {
                shared.end(false); // the client's session at the other nodes stays
            }
            end(true);
            sender.setCondition(condition);
            sender.close();
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
        if (shared != null) {
            shared.end(lost);
        }
        links.ended(this);
        giveBackQueue();
        if (current != null && current.getLinkedResource() instanceof Delivery) {
            dispatcher.released(this, currentDelivery); // the client has not seen all of it
        }
        dispatcher.detach(this, outcomes.missing(sender, current), lost);
        if (subscription.isAttendedByName()) {
            home.catalog().leave(subscription);
        }
        connection.ended(this);
    }

    /** Gives back deliveries that were never written, as if they had never left. */
    private void giveBackQueue() {
        for (Object item; (item = queue.poll()) != null; ) {
            if (item instanceof Delivery delivery) {
                dispatcher.released(this, delivery);
            }
        }
    }
}
