package io.ringtable.cli.bridge;

import io.netty.channel.EventLoop;
import io.ringtable.wire.EncodingWriter;
import io.ringtable.wire.MalformedMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.engine.IncomingDelivery;

/**
 * Moves messages over one pair of connections, from its start to the end of the task or to the first failure.
 * <p>
 * A message goes to the target with its key. Once the target has accepted it, the source is told that it is over, many
 * messages at a time. At most {@link BridgeTask#window} messages are between the source's sending and its confirmation,
 * so no more than those can come again.
 * <p>
 * Thread: the event loop, which owns both connections.
 */
final class Crossing {
    private static final long LOOK_MS = 50;

    /** Longest time until messages can go; a connection alone has less. */
    private static final long ESTABLISH_S_MAX = 30;

    private final BridgeTask task;
    private final BridgeTally tally;
    private final EventLoop loop;
    private final PeerConnection from;
    private final PeerConnection to;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final EncodingWriter writer = new EncodingWriter();

    private SourceLink source; // null until both connections are open
    private TargetLink target;
    private MessageKeys keys;
    private Future<?> looks; // for the end of the task; before that for links that do not come
    private int opened;
    private int attached;
    private volatile boolean established; // read by the command's thread
    private int credit; // granted to the source and not used
    private int held; // arrived and not confirmed
    private List<Carried> accepted = new ArrayList<>(); // by the target; the source does not know yet
    private boolean confirming;
    private boolean ending;
    private long lastArrival;

    Crossing(BridgeTask task, BridgeTally tally, EventLoop loop) {
        this.task = task;
        this.tally = tally;
        this.loop = loop;
        String own = "ringtable-bridge-" + UUID.randomUUID();
        String clientId = task.from().clientId();
        from = new PeerConnection(task.from(), loop, clientId == null ? own : clientId, this::opened, this::fail);
        to = new PeerConnection(task.to(), loop, own, this::opened, this::fail);
    }

    /** Begins; any thread. @return done when the task is; or failed with a {@link BridgeFailure} */
    CompletableFuture<Void> start() {
        loop.execute(() -> {
            from.connect();
            to.connect();
            looks = loop.schedule(this::giveUp, ESTABLISH_S_MAX, TimeUnit.SECONDS);
        });
        return done;
    }

    /** Returns whether messages could go, at some time. Thread: any. */
    boolean wasEstablished() {
        return established;
    }

    private void giveUp() {
        fail(new BridgeFailure(
                BridgeFailure.Reason.PASSING,
                "RT-6022",
                task.from().broker() + " and " + task.to().broker() + " have not let messages go within "
                        + ESTABLISH_S_MAX + " s: see their logs"));
    }

    private void opened(PeerConnection connection) {
        opened++;
        if (opened < 2 || ending) {
            return;
        }
        if (task.recognition() != BridgeTask.Recognition.NONE && to.product().keyPlace() == Product.KeyPlace.NONE) {
            fail(new BridgeFailure(
                    BridgeFailure.Reason.FINAL,
                    "RT-6025",
                    task.to().broker()
                            + " is neither Ringtable nor Artemis, and the bridge cannot have it leave out what it"
                            + " has stored: add --allow-duplicates if a message may come twice"));
            return;
        }
        keys = new MessageKeys(task.name(), from.product(), task.recognition());
        source = new SourceLink(from, new FromSource());
        boolean keyed = task.recognition() != BridgeTask.Recognition.NONE;
        target = new TargetLink(to, keyed ? task.window() : 0, new FromTarget());
        target.attach();
        source.attach();
    }

    private void attached() {
        attached++;
        if (attached == 2 && !ending) {
            established = true;
            lastArrival = System.nanoTime();
            looks.cancel(false);
            looks = loop.scheduleAtFixedRate(() -> from.guarded(this::look), LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
            if (tally.moved() >= task.count()) {
                finish();
            } else {
                grant();
            }
        }
    }

    private final class FromSource implements SourceLink.Listener {
        @Override
        public void attached() {
            Crossing.this.attached();
        }

        @Override
        public void arrived(IncomingDelivery delivery, byte[] bytes) {
            credit--;
            held++;
            lastArrival = System.nanoTime();
            try {
                carry(delivery, new CarriedMessage(bytes));
            } catch (MalformedMessage malformed) {
                fail(new BridgeFailure(
                        BridgeFailure.Reason.FINAL,
                        "RT-6028",
                        "a message of " + task.from() + " is no AMQP message (" + malformed.getMessage()
                                + "): remove it there"));
            }
        }

        @Override
        public void confirmed(List<Carried> messages) {
            confirming = false;
            held -= messages.size();
            messages.forEach(message -> tally.confirmed(message.key()));
            if (tally.moved() >= task.count()) {
                finish();
            } else if (!ending) {
                grant();
                confirm();
            }
        }

        @Override
        public void ended(BridgeFailure failure) {
            fail(failure);
        }
    }

    private final class FromTarget implements TargetLink.Listener {
        @Override
        public void attached() {
            Crossing.this.attached();
        }

        @Override
        public void accepted(Carried message) {
            tally.accepted(message.key());
            accepted.add(message);
            confirm();
        }

        @Override
        public void ended(BridgeFailure failure) {
            fail(failure);
        }
    }

    private void carry(IncomingDelivery delivery, CarriedMessage message) throws MalformedMessage {
        String key = keys.of(delivery.getTag().tagBytes(), message);
        if (tally.arrived(key)) {
            accepted.add(new Carried(delivery, key, null));
            confirm();
        } else {
            target.send(new Carried(
                    delivery, key, message.forTarget(writer, key, to.product().keyPlace())));
        }
    }

    /** Lets the source send as many messages as the window and the task have room for. */
    private void grant() {
        int more = (int) Math.min(task.window(), task.count() - tally.moved()) - held - credit;
        if (more > 0) {
            credit += more;
            source.addCredit(more);
        }
    }

    /** Tells the source what is over: as soon as that is half a window, or all that is here. */
    private void confirm() {
        boolean worthIt = accepted.size() >= Math.max(1, task.window() / 2) || target.isIdle();
        if (!confirming && !ending && !accepted.isEmpty() && worthIt) {
            confirming = true;
            List<Carried> over = accepted;
            accepted = new ArrayList<>();
            source.settle(over);
        }
    }

    private void look() {
        long idle = System.nanoTime() - lastArrival;
        if (held == 0 && task.patience() != null && idle >= task.patience().toNanos()) {
            finish();
        }
    }

    private void finish() {
        end(() -> done.complete(null));
    }

    private void fail(BridgeFailure failure) {
        end(() -> done.completeExceptionally(failure));
    }

    /**
     * Ends both connections in order, whichever is still there. A source counts a delivery that ends with a lost
     * connection as failed, and one that ends with its link as given back.
     */
    private void end(Runnable ended) {
        if (ending) {
            return;
        }
        ending = true;
        if (looks != null) {
            looks.cancel(false);
        }
        if (source != null) {
            from.guarded(source::detach);
        }
        from.close(() -> to.close(ended));
    }
}
