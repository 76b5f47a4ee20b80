package io.ringtable.broker.amqp.management;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.publish.PublisherLink;
import io.ringtable.broker.amqp.publish.PublisherTarget;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import io.ringtable.wire.MalformedMessage;
import java.util.ArrayDeque;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;

/**
 * Takes the requests of one link: of one to the node, or of one without a target. A request is accepted once it has
 * been taken, and holds a credit of its link until its answer has gone. So a client that does not take its answers
 * cannot ask for more. One request is done after the other, so that a client need not wait for an answer before it
 * builds on it.
 * <p>
 * Thread: the connection's event loop.
 */
final class RequestTarget implements PublisherTarget {
    /** The most requests of one link that may have credit or no answer yet. */
    static final int REQUESTS_MAX = 8;

    private final ManagementLinks links;
    private final PublisherLink link;
    private final ConnectionMemory memory;
    private final RequestReader reader;
    private final Runnable ended;
    private final ArrayDeque<Accepted> waiting = new ArrayDeque<>();
    private boolean asking; // one request is under way

    private record Accepted(Request request, ReplyWay way) {}

    /** @param ended hears that the link takes no more requests */
    RequestTarget(
            ManagementLinks links, PublisherLink link, ConnectionMemory memory, RequestReader reader, Runnable ended) {
        this.links = links;
        this.link = link;
        this.memory = memory;
        this.reader = reader;
        this.ended = ended;
    }

    @Override
    public String address() {
        return NodeName.MANAGEMENT;
    }

    @Override
    public WaitsFor waitsFor() {
        return null; // for answers alone, which count as outcomes
    }

    @Override
    public boolean isStalled() {
        return false; // an answer may wait for a committer, and counts as an outcome until then
    }

    @Override
    public void publish(IncomingDelivery delivery, byte[] body) throws MalformedMessage {
        ErrorCondition refusal = refusal(delivery, body);
        if (refusal != null) {
            link.reject(delivery, refusal);
            return;
        }
        Request request = reader.read(body);
        NodeName replyTo = NodeName.of(request.replyTo());
        boolean paired = request.replyTo().equals(ManagementLinks.ME);
        refusal = paired ? links.pairRefusal(link) : links.addresses().refusal(replyTo);
        if (refusal != null) {
            link.reject(delivery, refusal);
            return;
        }
        link.accept(delivery, body.length);
        memory.ofManagement(body.length);
        waiting.add(new Accepted(
                request, paired ? links.pairOf(link) : links.addresses().to(replyTo)));
        askNext();
    }

    private ErrorCondition refusal(IncomingDelivery delivery, byte[] body) throws MalformedMessage {
        if (delivery.getRemoteState() instanceof TransactionalState) {
            return Conditions.of(
                    AmqpError.NOT_ALLOWED,
                    "RT-4390 a request to the management node takes no part in transactions, since it is done at once:"
                            + " send it on a session without one");
        }
        if (body.length > links.requestBytesMax()) {
            return Conditions.of(
                    LinkError.MESSAGE_SIZE_EXCEEDED,
                    "RT-4392 a request of " + body.length + " bytes: the management node takes "
                            + links.requestBytesMax());
        }
        if (delivery.getMessageFormat() != 0) {
            throw new MalformedMessage("message format " + Integer.toUnsignedString(delivery.getMessageFormat()));
        }
        return null;
    }

    /** Asks for what was accepted, also if the link has ended meanwhile. */
    private void askNext() {
        if (asking || waiting.isEmpty()) {
            return;
        }
        asking = true;
        Accepted next = waiting.poll();
        links.ask(next.request, next.way, reply -> {
            asking = false;
            answer(next, reply);
            askNext();
        });
    }

    private void answer(Accepted asked, byte[] reply) {
        memory.ofManagement(reply.length);
        asked.way.send(reply, () -> {
            memory.ofManagement(-asked.request.encoded().length - reply.length);
            link.answered();
        });
    }

    @Override
    public int window(int most) {
        return Math.min(most, REQUESTS_MAX);
    }

    @Override
    public int creditFor(int wanted) {
        return wanted;
    }

    @Override
    public void creditGone() {
        // Credit reserved nothing.
    }

    @Override
    public boolean isAlwaysServed() {
        return true; // an operator who makes room is not to be held back for want of it
    }

    @Override
    public ErrorCondition refusal() {
        return null; // each operation looks at the rights by itself
    }

    @Override
    public void end() {
        ended.run();
    }
}
