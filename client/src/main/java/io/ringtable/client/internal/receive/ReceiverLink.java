package io.ringtable.client.internal.receive;

import io.ringtable.client.Address;
import io.ringtable.client.RingtableException;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.client.internal.connection.AmqpConnection;
import io.ringtable.client.internal.connection.ClientLink;
import io.ringtable.client.internal.connection.LinkHost;
import io.ringtable.client.internal.connection.LinkNames;
import io.ringtable.client.internal.connection.LinkRetry;
import io.ringtable.client.internal.connection.Termini;
import io.ringtable.client.internal.error.Errors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves a subscription's receiver link: hands over what arrives, sends settlements in ranges, grants credit in
 * portions.
 * <p>
 * Settlements come from any thread through a queue. The link sends them when enough have gathered, when the application
 * has nothing left to do, or after {@value #SETTLE_MS_MAX} ms.
 * <p>
 * Thread: the I/O thread, unless a method says otherwise. Failure: each connection is a generation; messages of an
 * earlier one can no longer be settled, and lost settlements are reported.
 */
public final class ReceiverLink implements ClientLink {

    /** Hears of the end of the link. */
    interface Sink {

        /** Hears that no more messages come: closed, or ended with this cause. Thread: the I/O thread. */
        void ended(RingtableException cause, boolean closed);
    }

    private static final int QUEUE_CHUNK = 1_024;
    private static final int SETTLE_PORTION_MAX = 256;
    private static final long SETTLE_MS_MAX = 10;

    private final LinkHost host;
    private final SubscriptionOptions options;
    private final Sink sink;
    private final String linkName;
    private final DeliveryBuffer buffer = new DeliveryBuffer();
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final LinkRetry retry;
    private final LinkCredit credit;
    private final Queue<Delivered> settlements = new MpscUnboundedAtomicArrayQueue<>(QUEUE_CHUNK);
    private final AtomicInteger unsent = new AtomicInteger();
    private final AtomicBoolean awake = new AtomicBoolean();
    private final int settlePortion;
    private final List<Delivered> batch = new ArrayList<>();
    // Written by the I/O thread, read by the application's threads.
    private volatile int generation;

    private AmqpConnection connection;
    private Receiver receiver;
    private boolean attached;
    private List<Delivered> arrived = new ArrayList<>();
    private long arrivals;
    private Future<?> settleTimer;
    private Runnable whenClosed;
    private boolean over;

    ReceiverLink(LinkHost host, SubscriptionOptions options, Sink sink) {
        this.host = host;
        this.options = options;
        this.sink = sink;
        this.linkName = LinkNames.receiving(options);
        this.retry = new LinkRetry(host, this);
        this.credit = new LinkCredit(options.prefetch(), options.prefetchBytes());
        this.settlePortion = Math.max(1, Math.min(SETTLE_PORTION_MAX, options.prefetch() / 4));
    }

    /** Returns the address of the subscription. Thread: any. */
    Address address() {
        return options.address();
    }

    /** Returns the mapper that reads JSON bodies. Thread: any. */
    JsonMapper jsonMapper() {
        return host.config().jsonMapper();
    }

    /** Returns what has arrived and was not taken yet. Thread: any. */
    DeliveryBuffer buffer() {
        return buffer;
    }

    /** Returns a future that is done when the broker has agreed for the first time. */
    public CompletableFuture<Void> opened() {
        return opened;
    }

    /** Tells whether a message can no longer be settled. Thread: any. */
    boolean isVoid(Delivered message) {
        return message.generation() != generation;
    }

    @Override
    public void attach(AmqpConnection to) {
        connection = to;
        Session session = to.session();
        Receiver created = session.receiver(linkName);
        receiver = created;
        receiver.setSource(Termini.source(options));
        receiver.setTarget(new Target().setAddress(linkName));
        receiver.setSenderSettleMode(SenderSettleMode.UNSETTLED);
        receiver.setReceiverSettleMode(ReceiverSettleMode.FIRST);
        receiver.openHandler(this::remotelyOpened);
        receiver.closeHandler(remote -> ended(created, remote.getRemoteCondition()));
        receiver.detachHandler(remote -> ended(created, remote.getRemoteCondition()));
        receiver.deliveryReadHandler(delivery -> to.guarded(() -> read(delivery)));
        receiver.deliveryAbortedHandler(delivery -> to.guarded(() -> aborted(delivery)));
        session.closeHandler(remote -> ended(created, remote.getRemoteCondition()));
        session.open();
        receiver.open();
    }

    private void remotelyOpened(Receiver remote) {
        if (remote.getRemoteSource() == null) {
            // Refused; the detach that follows says why.
            return;
        }
        attached = true;
        retry.succeeded();
        credit.reset();
        opened.complete(null);
        grantCredit();
    }

    private void read(IncomingDelivery delivery) {
        if (delivery.isPartial() || !attached || whenClosed != null) {
            // A delivery that crosses a detach goes back to the broker by itself.
            return;
        }
        ProtonBuffer payload = delivery.readAll();
        int size = payload == null ? 0 : payload.getReadableBytes();
        byte[] encoded = new byte[size];
        if (payload != null) {
            payload.readBytes(encoded, 0, size);
            payload.close();
        }
        if (arrived.isEmpty()) {
            connection.atEndOfTurn(this::handOver);
        }
        credit.arrived(size);
        host.counters().received.increment();
        arrived.add(new Delivered(this, delivery, encoded, generation, ++arrivals));
    }

    private void aborted(IncomingDelivery delivery) {
        delivery.settle();
        credit.aborted();
    }

    private void handOver() {
        if (arrived.isEmpty()) {
            return;
        }
        List<Delivered> all = arrived;
        arrived = new ArrayList<>(all.size());
        if (!buffer.add(all)) {
            all.forEach(Delivered::release);
        }
        if (settleTimer == null) {
            settleTimer = host.loop().schedule(this::settleTimeIsUp, SETTLE_MS_MAX, TimeUnit.MILLISECONDS);
        }
        grantCredit();
    }

    private void grantCredit() {
        int more = attached && whenClosed == null ? credit.grant() : 0;
        if (more > 0) {
            receiver.addCredit(more);
        }
    }

    /**
     * Queues a settlement. Thread: any.
     *
     * @param soon the application may have nothing else to do: if so, do not let the settlement wait
     * @return false if the settlement is void
     */
    boolean settle(Delivered message, boolean soon) {
        settlements.add(message);
        int waiting = unsent.incrementAndGet();
        if (waiting >= settlePortion || soon && buffer.isEmpty()) {
            wake();
        }
        return !isVoid(message);
    }

    /** Sends the settlements that have gathered. Thread: any. */
    void wake() {
        if (!awake.get() && awake.compareAndSet(false, true)) {
            try {
                host.loop().execute(() -> host.guarded(this::sendSettlements));
            } catch (RejectedExecutionException ioThreadIsGone) {
                // Nothing can be settled any more.
            }
        }
    }

    private void settleTimeIsUp() {
        settleTimer = null;
        host.guarded(this::sendSettlements);
        if (attached && credit.outstanding() > 0) {
            settleTimer = host.loop().schedule(this::settleTimeIsUp, SETTLE_MS_MAX, TimeUnit.MILLISECONDS);
        }
    }

    private void sendSettlements() {
        awake.set(false);
        unsent.set(0);
        collectSettlements();
        if (batch.isEmpty()) {
            return;
        }
        int lost = 0;
        for (Delivered message : batch) {
            if (isVoid(message) || !canSettle()) {
                lost++;
                continue;
            }
            message.delivery().disposition(message.outcome(), true);
            credit.settled(message.size());
            if (message.outcome() instanceof Accepted) {
                host.counters().acknowledged.increment();
            } else {
                host.counters().notAcknowledged.increment();
            }
        }
        batch.clear();
        if (lost > 0) {
            host.settlementsLost(options.address(), lost);
        }
        grantCredit();
    }

    private boolean canSettle() {
        return attached && receiver.isLocallyOpen() && !receiver.isRemotelyClosedOrDetached() && !connection.isOver();
    }

    /** Collects settlements in the order of arrival, so that neighbours share a frame however many threads settle. */
    private void collectSettlements() {
        Delivered message;
        boolean ordered = true;
        long last = 0;
        while ((message = settlements.poll()) != null) {
            ordered &= message.arrival() > last;
            last = message.arrival();
            batch.add(message);
        }
        if (!ordered) {
            batch.sort(Comparator.comparingLong(Delivered::arrival));
        }
    }

    private void ended(Receiver old, ErrorCondition condition) {
        if (over || receiver != old) {
            return;
        }
        AmqpConnection on = connection;
        if (whenClosed != null) {
            old.getSession().close();
            finish(Errors.closed("subscription to " + options.address()), true);
            return;
        }
        boolean wasOpen = opened.isDone();
        String what = "subscription to " + options.address();
        RingtableException cause = wasOpen ? Errors.detached(what, condition) : Errors.refused(what, condition);
        connectionLost();
        old.close();
        old.getSession().close();
        if (wasOpen && LinkRetry.isPassing(condition)) {
            retry.attachLater(on);
        } else {
            finish(cause, false);
        }
    }

    @Override
    public void connectionLost() {
        generation++;
        attached = false;
        receiver = null;
        connection = null;
        arrived.clear();
        buffer.clear();
        retry.cancel();
        host.guarded(this::sendSettlements);
        if (whenClosed != null) {
            finish(Errors.closed("subscription to " + options.address()), true);
        }
    }

    @Override
    public void writable() {
        // Settlements are small and wait in the socket's buffer.
    }

    @Override
    public void fail(RingtableException cause) {
        finish(cause, false);
    }

    @Override
    public void abandon(RingtableException cause) {
        close(() -> {});
    }

    /**
     * Sends the settlements, gives back what the application has not taken, and detaches. A durable subscription stays.
     *
     * @param done called when the broker has answered, or cannot answer any more
     */
    void close(Runnable done) {
        if (over) {
            done.run();
            return;
        }
        if (whenClosed != null) {
            Runnable before = whenClosed;
            whenClosed = () -> {
                before.run();
                done.run();
            };
            return;
        }
        whenClosed = done;
        List<Delivered> rest = new ArrayList<>(buffer.stop(Errors.closed("subscription to " + options.address())));
        rest.addAll(arrived);
        arrived.clear();
        if (receiver == null || connection.isOver()) {
            finish(Errors.closed("subscription to " + options.address()), true);
            return;
        }
        connection.guarded(() -> {
            sendSettlements();
            for (Delivered untouched : rest) {
                untouched.delivery().disposition(Released.getInstance(), true);
            }
            if (options.durableName().isPresent()) {
                receiver.detach();
            } else {
                receiver.close();
            }
        });
    }

    private void finish(RingtableException cause, boolean closed) {
        if (over) {
            return;
        }
        over = true;
        generation++;
        attached = false;
        retry.cancel();
        if (settleTimer != null) {
            settleTimer.cancel(false);
        }
        buffer.stop(cause);
        host.guarded(this::sendSettlements);
        host.remove(this);
        opened.completeExceptionally(cause);
        sink.ended(cause, closed);
        if (whenClosed != null) {
            whenClosed.run();
        }
    }
}
