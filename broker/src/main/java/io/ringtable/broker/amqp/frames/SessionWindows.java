package io.ringtable.broker.amqp.frames;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.IncomingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.OutgoingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.impl.ProtonEngine;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Performative;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * Stands in the engine's pipeline and opens the incoming window of a session anew when half of it is used up, if there is room. The
 * engine waits for the window's last frame; a client may keep that back until its window is opened (Qpid JMS does until its next
 * heartbeat), and would wait for a flow in any case.
 * <p>
 * Thread: its connection's event loop.
 */
final class SessionWindows implements EngineHandler {
    public static final String NAME = "session-windows";

    /** The incoming window of one session, in frames, and what its peer has said of its own. */
    private static final class Window {
        private final int channel; // on which the peer sends
        private final Flow peer = new Flow(); // as it stands for the peer
        private Session session; // null until the engine has it
        private long size; // when it was opened
        private long left;

        Window(int channel, Begin begin) {
            this.channel = channel;
            peer.setNextIncomingId(0); // the engine's first
            peer.setIncomingWindow(begin.getIncomingWindow());
            peer.setNextOutgoingId(begin.getNextOutgoingId());
            peer.setOutgoingWindow(begin.getOutgoingWindow());
        }

        void hears(Flow flow) {
            if (flow.hasNextIncomingId()) {
                peer.setNextIncomingId(flow.getNextIncomingId());
            }
            peer.setIncomingWindow(flow.getIncomingWindow());
            peer.setNextOutgoingId(flow.getNextOutgoingId());
            peer.setOutgoingWindow(flow.getOutgoingWindow());
        }

        void opened(long frames) {
            size = frames;
            left = frames;
        }

        boolean isHalfUsed() {
            return left <= size / 2;
        }
    }

    private final long maxFrameSize;
    private final Map<Integer, Window> ofPeer = new HashMap<>(); // by the channel on which the peer sends
    private final Map<Integer, Window> ofBroker = new HashMap<>(); // by the channel on which the broker sends
    private final Set<Window> narrow = new LinkedHashSet<>(); // half used, without room to open them
    private Window beginning;

    SessionWindows(int maxFrameSize) {
        this.maxFrameSize = maxFrameSize;
    }

    /** The engine has a session for the begin that it has just been given. */
    public void begun(Session session) {
        beginning.session = session;
    }

    @Override
    public void handleRead(EngineHandlerContext context, IncomingAMQPEnvelope envelope) {
        Performative frame = envelope.getBody();
        int channel = envelope.getChannel();
        if (frame instanceof Transfer) {
            Window window = ofPeer.get(channel);
            if (window != null) {
                window.left--;
            }
            context.fireRead(envelope); // upon which the engine may open it
            if (window != null && window.isHalfUsed()) {
                open(window, (ProtonEngine) context.engine());
            }
            return;
        }
        if (frame instanceof Flow flow) {
            Window window = ofPeer.get(channel);
            if (window != null) {
                window.hears(flow);
            }
        } else if (frame instanceof Begin begin) {
            beginning = new Window(channel, begin);
            ofPeer.put(channel, beginning);
        } else if (frame instanceof End) {
            forget(ofPeer.remove(channel));
        }
        context.fireRead(envelope);
    }

    private void forget(Window ended) {
        ofBroker.values().remove(ended);
        narrow.remove(ended);
    }

    @Override
    public void handleWrite(EngineHandlerContext context, OutgoingAMQPEnvelope envelope) {
        Performative frame = envelope.getBody();
        if (frame instanceof Begin begin) {
            Window window = begin.hasRemoteChannel() ? ofPeer.get(begin.getRemoteChannel()) : null;
            if (window != null) {
                window.opened(begin.getIncomingWindow());
                ofBroker.put(envelope.getChannel(), window);
            }
        } else if (frame instanceof Flow flow) {
            Window window = ofBroker.get(envelope.getChannel());
            if (window != null) {
                window.opened(room(window));
                flow.setIncomingWindow(window.size);
            }
        }
        context.fireWrite(envelope);
    }

    private void open(Window window, ProtonEngine engine) {
        if (!engine.isRunning() || window.session == null || window.session.isLocallyClosed()) {
            return;
        }
        if (room(window) <= window.left + window.left / 2) {
            narrow.add(window); // when more has been read
            return;
        }
        // What the peer has said last, once more, with a request for an answer: the engine has no other way to be asked
        // for a flow.
        Flow again = window.peer.copy().setEcho(true);
        engine.connection().handleFlow(again, null, window.channel, engine);
    }

    /** Frames that there is room for. */
    private long room(Window window) {
        return Math.max(0, window.session.getRemainingIncomingCapacity() / maxFrameSize);
    }

    /** Something may have been read. */
    public void endOfBatch(ProtonEngine engine) {
        if (!narrow.isEmpty()) {
            List<Window> waiting = new ArrayList<>(narrow);
            narrow.clear();
            waiting.forEach(window -> open(window, engine));
        }
    }
}
