package io.ringtable.wire;

import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.engine.AMQPPerformativeEnvelopePool;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.OutgoingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.impl.ProtonEngineHandlerContext;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Role;

/**
 * Joins dispositions of neighbouring deliveries into ranges (AMQP 1.0 section 2.7.6), as a handler in the engine's
 * pipeline. The engine writes one frame for each delivery; this handler holds them back until a frame of another kind
 * leaves, or {@link #flush} is called. Two outcomes are the same if they are the same object.
 * <p>
 * Thread: its connection's event loop.
 */
public final class DispositionRanges implements EngineHandler {
    public static final String NAME = "disposition-ranges";

    /** Hears what becomes of the dispositions, on the event loop. */
    public interface Listener {
        /** Makes sure that {@link #flush} follows, since the first disposition is held back. */
        void gathering();

        /** Hears of each frame that leaves. */
        void written(Role role);
    }

    private static final Listener NOBODY = new Listener() {
        @Override
        public void gathering() {
            // The connection flushes at the end of each of its turns.
        }

        @Override
        public void written(Role role) {
            // Nobody counts them.
        }
    };

    private final AMQPPerformativeEnvelopePool<OutgoingAMQPEnvelope> envelopes =
            AMQPPerformativeEnvelopePool.outgoingEnvelopePool();
    private final Disposition frame = new Disposition();
    private final List<Range> ranges = new ArrayList<>();
    private final Listener listener;
    private int open;
    private EngineHandlerContext context;

    /** Makes a handler without a listener, for a connection that flushes at the end of each of its turns. */
    public DispositionRanges() {
        this(NOBODY);
    }

    public DispositionRanges(Listener listener) {
        this.listener = listener;
    }

    /** Holds neighbouring deliveries of one channel and role with one outcome. */
    private static final class Range {
        private int channel;
        private Role role;
        private boolean settled;
        private DeliveryState state;
        // Delivery ids have 32 bits and wrap (RFC 1982), so they are compared for equality only.
        private int first;
        private int last;

        boolean isOf(int otherChannel, Disposition disposition) {
            return channel == otherChannel && role == disposition.getRole();
        }

        boolean takes(Disposition disposition) {
            int id = (int) disposition.getFirst();
            if (id != last + 1 || settled != disposition.getSettled() || state != disposition.getState()) {
                return false;
            }
            last = id;
            return true;
        }

        void begin(int newChannel, Disposition disposition) {
            channel = newChannel;
            role = disposition.getRole();
            settled = disposition.getSettled();
            state = disposition.getState();
            first = (int) disposition.getFirst();
            last = first;
        }
    }

    @Override
    public void handlerAdded(EngineHandlerContext added) {
        context = added;
        // Incoming frames bypass this handler.
        ((ProtonEngineHandlerContext) added).interestMask(ProtonEngineHandlerContext.HANDLER_WRITES);
    }

    @Override
    public void handleWrite(EngineHandlerContext writing, OutgoingAMQPEnvelope envelope) {
        if (envelope.getBody() instanceof Disposition disposition && !disposition.hasLast()) {
            gather(envelope.getChannel(), disposition);
            envelope.release();
        } else {
            flush();
            writing.fireWrite(envelope);
        }
    }

    private void gather(int channel, Disposition disposition) {
        for (int i = 0; i < open; i++) {
            Range range = ranges.get(i);
            if (range.isOf(channel, disposition)) {
                if (!range.takes(disposition)) {
                    write(range);
                    range.begin(channel, disposition);
                }
                return;
            }
        }
        if (open == ranges.size()) {
            ranges.add(new Range());
        }
        ranges.get(open++).begin(channel, disposition);
        if (open == 1) {
            listener.gathering();
        }
    }

    /** Writes the frames that are held back. */
    public void flush() {
        int count = open;
        open = 0;
        for (int i = 0; i < count; i++) {
            write(ranges.get(i));
        }
    }

    private void write(Range range) {
        frame.reset();
        frame.setRole(range.role).setFirst(range.first);
        if (range.last != range.first) {
            frame.setLast(range.last);
        }
        frame.setSettled(range.settled).setState(range.state);
        range.state = null;
        listener.written(range.role);
        context.fireWrite(envelopes.take(frame, range.channel, null));
    }
}
