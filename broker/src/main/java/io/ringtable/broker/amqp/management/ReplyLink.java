package io.ringtable.broker.amqp.management;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Serves a link on which a client takes the answers to the requests that it sends on the same connection. Answers are
 * settled when sent. Answers wait for credit, the session's window and the socket; the requests' credit bounds how
 * many.
 * <p>
 * Thread: the connection's event loop. Failure: answers that wait when the link ends are dropped.
 */
final class ReplyLink implements AmqpLink, ReplyWay {
    private record Reply(byte[] encoded, Runnable done) {}

    private final ManagementLinks links;
    private final OpenConnection connection;
    private final AmqpCounters counters;
    private final Sender sender;
    private final int bytesMax;
    private final ArrayDeque<Reply> waiting = new ArrayDeque<>(); // the first may be partly written
    private OutgoingDelivery current; // of the first
    private ProtonBuffer rest; // of the first
    private long sent; // answers, for tags
    private boolean ended;

    ReplyLink(ManagementLinks links, OpenConnection connection, AmqpCounters counters, Sender sender, int bytesMax) {
        this.links = links;
        this.connection = connection;
        this.counters = counters;
        this.sender = sender;
        this.bytesMax = bytesMax;
        sender.creditStateUpdateHandler(changed -> pump());
        sender.detachHandler(detached -> onDetach(false));
        sender.closeHandler(closed -> onDetach(true));
    }

    @Override
    public Link<?> link() {
        return sender;
    }

    @Override
    public LinkStatus status(LinkStatus.Key key) {
        long credit = LinkFlow.credit(sender);
        LinkStatus.Counts counts = new LinkStatus.Counts(credit, waiting.size(), sent);
        return key.of(LinkStatus.CONSUMER, NodeName.MANAGEMENT, null, counts, waitsFor(credit));
    }

    private WaitsFor waitsFor(long credit) {
        if (credit == 0) {
            return WaitsFor.CREDIT;
        }
        if (!connection.canWrite()) {
            return WaitsFor.READING;
        }
        return waiting.isEmpty() || sender.isSendable() ? null : WaitsFor.WINDOW;
    }

    @Override
    public String to() {
        return null; // the link says where it goes
    }

    @Override
    public int bytesMax() {
        return bytesMax;
    }

    @Override
    public void send(byte[] reply, Runnable done) {
        if (ended) {
            done.run();
        } else {
            waiting.add(new Reply(reply, done));
            pump();
        }
    }

    /** Goes on writing, since the socket or the session may have room again. */
    void resume() {
        pump();
    }

    private void pump() {
        while (!ended && connection.isRunning() && !waiting.isEmpty()) {
            if (current == null && LinkFlow.credit(sender) == 0) {
                return; // the next flow goes on
            }
            if (!connection.canWrite() || !LinkFlow.isSendable(sender) || !write(waiting.peek())) {
                links.pause(this);
                return;
            }
        }
        if (!ended && sender.isDraining() && LinkFlow.credit(sender) > 0) {
            sender.drained();
        }
    }

    /** Returns true once the answer is written completely. */
    private boolean write(Reply reply) {
        if (current == null) {
            current = sender.next();
            current.setTag(ByteBuffer.allocate(Long.BYTES).putLong(sent++).array());
            current.settle();
            rest = ProtonByteArrayBufferAllocator.wrapped(reply.encoded);
        }
        current.writeBytes(rest);
        if (current.isPartial()) {
            return false;
        }
        current = null;
        rest = null;
        waiting.poll();
        counters.messagesOut.increment();
        counters.bytesOut.add(reply.encoded.length);
        reply.done.run();
        return true;
    }

    private void onDetach(boolean closed) {
        if (sender.isLocallyClosedOrDetached()) {
            return; // the answer to the broker's own detach
        }
        end(false);
        if (closed) {
            sender.close();
        } else {
            sender.detach();
        }
    }

    @Override
    public void detach(ErrorCondition condition) {
        boolean tell = !ended && connection.isRunning() && sender.isLocallyOpen();
        end(true);
        if (tell) {
            sender.setCondition(condition);
            sender.close();
        }
    }

    @Override
    public void end(boolean lost) {
        if (ended) {
            return;
        }
        ended = true;
        links.ended(this);
        List<Reply> dropped = new ArrayList<>(waiting);
        waiting.clear();
        dropped.forEach(reply -> reply.done.run());
        connection.ended(this);
    }
}
