package io.ringtable.client.internal;

import java.util.concurrent.atomic.LongAdder;
import org.apache.qpid.protonj2.engine.AMQPPerformativeEnvelopePool;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.OutgoingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.impl.ProtonEngineHandlerContext;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Role;

/**
 * Joins the dispositions of neighbouring deliveries into one frame (AMQP 1.0 section 2.7.6 first and last): the engine
 * writes one for each delivery.
 * <p>
 * It stands in the engine's pipeline and holds back one range at a time, until something else is written or
 * {@link #emit}; so the order of frames stays. Outcomes are the same if they are the same object. Thread: the I/O thread.
 */
final class DispositionRanges implements EngineHandler {

    private final AMQPPerformativeEnvelopePool<OutgoingAMQPEnvelope> envelopes =
            AMQPPerformativeEnvelopePool.outgoingEnvelopePool();
    private final Runnable heldBack;
    private final LongAdder sent;
    private final Disposition range = new Disposition();

    private EngineHandlerContext context;
    private boolean open;
    private int channel;
    private DeliveryState state;
    // Delivery ids are 32 bit and wrap (RFC 1982), so the range is kept as they are and only compared for equality.
    private int first;
    private int last;

    /** @param heldBack called when a range begins: sees to it that {@link #emit} follows */
    DispositionRanges(Runnable heldBack, LongAdder sent) {
        this.heldBack = heldBack;
        this.sent = sent;
    }

    @Override
    public void handlerAdded(EngineHandlerContext added) {
        context = added;
        ((ProtonEngineHandlerContext) added).interestMask(ProtonEngineHandlerContext.HANDLER_WRITES);
    }

    @Override
    public void handleWrite(EngineHandlerContext unused, OutgoingAMQPEnvelope envelope) {
        if (!(envelope.getBody() instanceof Disposition disposition)
                || disposition.getRole() != Role.RECEIVER
                || !disposition.getSettled()
                || disposition.hasLast()) {
            emit();
            context.fireWrite(envelope);
            return;
        }
        int id = (int) disposition.getFirst();
        if (open && envelope.getChannel() == channel && disposition.getState() == state && id == last + 1) {
            last = id;
        } else {
            emit();
            open = true;
            channel = envelope.getChannel();
            state = disposition.getState();
            first = id;
            last = id;
            heldBack.run();
        }
        envelope.release();
    }

    /** Writes the range that is held back. */
    void emit() {
        if (!open) {
            return;
        }
        open = false;
        range.reset();
        range.setRole(Role.RECEIVER);
        range.setSettled(true);
        range.setState(state);
        range.setFirst(first);
        if (last != first) {
            range.setLast(last);
        }
        sent.increment();
        context.fireWrite(envelopes.take(range, channel, null));
    }
}
