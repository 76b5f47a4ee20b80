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
 * Opens the incoming window of a session again when half of it is used and there is room. Protonj2 itself waits for the
 * window's last frame. A client may keep that frame back until the window opens, and would wait for a flow in any case.
 * Qpid JMS does so until its next heartbeat.
 * <p>
 * Thread: its connection's event loop.
 */
final class SessionWindows implements EngineHandler {
    public static final String NAME = "session-windows";

    /** Holds the incoming window of one session, in frames, and what the peer has said of its own window. */
    private static final class Window {
        private final int channel; // on which the peer sends
        private final Flow peer = new Flow(); // the peer's latest numbers
        private Session session; // null until protonj2 has it
        private long size; // at its opening
        private long left;

        Window(int channel, Begin begin) {
            this.channel = channel;
            peer.setNextIncomingId(0); // protonj2 begins at 0
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

    /** Notes the session that protonj2 made for the latest begin. */
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
            context.fireRead(envelope); // protonj2 may now open the window itself
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
            narrow.add(window); // endOfBatch tries again
            return;
        }
        // The only way to get a flow from protonj2: the peer's last numbers once more, with a request for an answer.
        Flow again = window.peer.copy().setEcho(true);
        engine.connection().handleFlow(again, null, window.channel, engine);
    }

    /** Returns how many frames there is room for. */
    private long room(Window window) {
        return Math.max(0, window.session.getRemainingIncomingCapacity() / maxFrameSize);
    }

    /** Tries again to open windows: the connection may have read something. */
    public void endOfBatch(ProtonEngine engine) {
        if (!narrow.isEmpty()) {
            List<Window> waiting = new ArrayList<>(narrow);
            narrow.clear();
            waiting.forEach(window -> open(window, engine));
        }
    }
}
