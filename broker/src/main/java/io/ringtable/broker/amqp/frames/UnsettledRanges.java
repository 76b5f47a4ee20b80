package io.ringtable.broker.amqp.frames;

import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.IncomingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.OutgoingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.engine.impl.ProtonEngine;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Performative;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * Stands in the engine's pipeline and gives it the deliveries of a disposition's range one by one: the engine takes a range
 * whose last delivery is settled already for one without an end. A range costs what is unsettled in it, and a long one is
 * gone through in turns.
 * <p>
 * Thread: its connection's event loop.
 */
final class UnsettledRanges implements EngineHandler {
    public static final String NAME = "unsettled-ranges";

    /** Longest range taken from a peer; nobody may have more deliveries unsettled on a session. */
    private static final int RANGE_MAX = 1 << 20;

    private static final long IDS = 1L << 32;

    /** What one session has unsettled. */
    private record Ids(UnsettledIds outgoing, UnsettledIds incoming) {}

    /** How far the event loop has come in a range. */
    private static final class Range {
        private final Disposition disposition;
        private final int channel;
        private final UnsettledIds ids;
        private long at;
        private long last; // may be beyond the number after which ids begin again

        Range(Disposition disposition, int channel, UnsettledIds ids, int count) {
            this.disposition = disposition;
            this.channel = channel;
            this.ids = ids;
            this.at = Integer.toUnsignedLong((int) disposition.getFirst());
            this.last = at + count - 1;
        }

        /** The next one that is unsettled, or {@link UnsettledIds#NONE}. */
        long next() {
            long id = ids.next(at, Math.min(last, IDS - 1));
            if (id == UnsettledIds.NONE && last >= IDS) {
                at = 0;
                last -= IDS;
                id = ids.next(at, last);
            }
            at = id + 1;
            return id;
        }
    }

    private final FrameTurns turns;
    private final Map<Integer, Ids> byLocalChannel = new HashMap<>();
    private final Map<Integer, Ids> byRemoteChannel = new HashMap<>();
    private int lastLocalChannel = -1;
    private Ids lastLocal; // most frames follow one of the same session
    private int lastRemoteChannel = -1;
    private Ids lastRemote;

    private EngineHandlerContext context;

    UnsettledRanges(FrameTurns turns) {
        this.turns = turns;
    }

    @Override
    public void handlerAdded(EngineHandlerContext added) {
        context = added;
    }

    // ---- what is unsettled

    @Override
    public void handleWrite(EngineHandlerContext writing, OutgoingAMQPEnvelope envelope) {
        Performative frame = envelope.getBody();
        int channel = envelope.getChannel();
        if (frame instanceof Transfer transfer) {
            if (!transfer.getSettled()) {
                add(ofLocal(channel), true, transfer);
            }
        } else if (frame instanceof Disposition disposition) {
            if (disposition.getSettled()) {
                settled(ofLocal(channel), disposition.getRole() == Role.SENDER, disposition);
            }
        } else if (frame instanceof Begin begin && begin.hasRemoteChannel()) {
            Ids ids = new Ids(new UnsettledIds(), new UnsettledIds());
            byLocalChannel.put(channel, ids);
            byRemoteChannel.put(begin.getRemoteChannel(), ids);
            forgetLast();
        } else if (frame instanceof End) {
            byLocalChannel.remove(channel);
            forgetLast();
        }
        writing.fireWrite(envelope);
    }

    private static void add(Ids ids, boolean outgoing, Transfer transfer) {
        if (ids != null && transfer.hasDeliveryId()) {
            (outgoing ? ids.outgoing : ids.incoming).add((int) transfer.getDeliveryId());
        }
    }

    private static void settled(Ids ids, boolean outgoing, Disposition disposition) {
        if (ids != null) {
            (outgoing ? ids.outgoing : ids.incoming).remove((int) disposition.getFirst());
        }
    }

    private Ids ofLocal(int channel) {
        if (channel != lastLocalChannel) {
            lastLocalChannel = channel;
            lastLocal = byLocalChannel.get(channel);
        }
        return lastLocal;
    }

    private Ids ofRemote(int channel) {
        if (channel != lastRemoteChannel) {
            lastRemoteChannel = channel;
            lastRemote = byRemoteChannel.get(channel);
        }
        return lastRemote;
    }

    private void forgetLast() {
        lastLocalChannel = -1;
        lastRemoteChannel = -1;
    }

    // ---- ranges

    @Override
    public void handleRead(EngineHandlerContext reading, IncomingAMQPEnvelope envelope) {
        Performative frame = envelope.getBody();
        int channel = envelope.getChannel();
        if (frame instanceof Transfer transfer) {
            if (!transfer.getSettled()) {
                add(ofRemote(channel), false, transfer);
            }
        } else if (frame instanceof Disposition disposition) {
            Ids ids = ofRemote(channel);
            boolean outgoing = disposition.getRole() == Role.RECEIVER;
            if (disposition.hasLast() && ids != null) {
                envelope.release();
                begin(disposition, channel, outgoing ? ids.outgoing : ids.incoming);
                return;
            }
            if (disposition.getSettled()) {
                settled(ids, outgoing, disposition);
            }
        } else if (frame instanceof End) {
            byRemoteChannel.remove(channel);
            forgetLast();
        }
        reading.fireRead(envelope);
    }

    private void begin(Disposition disposition, int channel, UnsettledIds ids) {
        int count = (int) disposition.getLast() - (int) disposition.getFirst() + 1; // serial numbers, RFC 1982
        if (count < 1 || count > RANGE_MAX) {
            throw new ProtocolViolationException("disposition of deliveries " + disposition.getFirst() + " to "
                    + disposition.getLast() + ": a range has 1 to " + RANGE_MAX + " deliveries");
        }
        disposition.clearLast();
        Range range = new Range(disposition, channel, ids, count);
        if (!goThrough(range)) {
            turns.later(() -> goThrough(range));
        }
    }

    /** As far as this turn lets it. @return whether that was all of it */
    private boolean goThrough(Range range) {
        ProtonEngine engine = (ProtonEngine) context.engine();
        Disposition disposition = range.disposition;
        while (engine.isRunning()) {
            if (!turns.spend()) {
                return false;
            }
            long id = range.next();
            if (id == UnsettledIds.NONE) {
                return true;
            }
            if (disposition.getSettled()) {
                range.ids.remove((int) id);
            }
            disposition.setFirst(id);
            engine.connection().handleDisposition(disposition, null, range.channel, engine);
        }
        return true;
    }
}
