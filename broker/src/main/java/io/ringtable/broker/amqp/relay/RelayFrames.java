package io.ringtable.broker.amqp.relay;

import io.ringtable.wire.RingtableSymbols;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.IncomingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.OutgoingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Performative;

/**
 * Writes on a relay what the engine has no call for. The credit of a client is passed on as it is, also when the client
 * takes some back, and protonj2 (1.1.0) only adds credit. The handler also hears of the owner's windows.
 * <p>
 * Thread: the relay's event loop.
 */
final class RelayFrames implements EngineHandler {
    static final String NAME = "relay-frames";

    /** Says what a receiving link tells the owner in each of its flow frames. */
    interface Credit {
        /** Returns the credit that the client has given, less what is on its way to it. */
        long credit();

        boolean drains();

        /** Hears what a flow frame has told. @param limit delivery-count up to which the owner may send */
        void told(int limit);
    }

    private final Map<Integer, Map<Long, Credit>> credits = new HashMap<>(); // by channel and handle
    private final Map<Integer, Runnable> flows = new HashMap<>(); // by channel: who hears of the owner's windows
    private final Map<Integer, Runnable> flowsOfOwner = new HashMap<>(); // the same by the owner's channel
    private Runnable beginning; // its session is being opened
    private Credit attaching; // its link is being opened
    private boolean drained; // what the latest flow frame of the owner says
    private int count;
    private boolean replays;

    /** Opens a session. @param onFlow hears of each flow frame of the owner on it, once the engine has read it */
    void begin(Session session, Runnable onFlow) {
        beginning = onFlow;
        try {
            session.open();
        } finally {
            beginning = null;
        }
    }

    /** Opens a link whose flow frames say what its client's say. */
    void open(Receiver receiver, Credit credit) {
        attaching = credit;
        try {
            receiver.open();
        } finally {
            attaching = null;
        }
    }

    /** Writes a flow frame for a receiving link. */
    static void flow(Receiver receiver) {
        receiver.addCredit(1); // the only way to get a flow from protonj2, whose own count says nothing here
    }

    /** Tells whether the owner's latest flow frame says that it has used up the credit of a drain. */
    boolean isDrained() {
        return drained;
    }

    /** Tells whether the owner says there that more comes nevertheless, as it replays. */
    boolean replays() {
        return replays;
    }

    /** Returns the delivery-count of the owner's latest flow frame. */
    int count() {
        return count;
    }

    @Override
    public void handleRead(EngineHandlerContext context, IncomingAMQPEnvelope envelope) {
        Performative frame = envelope.getBody();
        int channel = envelope.getChannel();
        if (frame instanceof Begin begin) {
            flowsOfOwner.put(channel, flows.get(begin.getRemoteChannel()));
        } else if (frame instanceof End) {
            flowsOfOwner.remove(channel);
        } else if (frame instanceof Flow flow) {
            drained = flow.getDrain();
            count = (int) flow.getDeliveryCount();
            replays = flow.hasProperties() && flow.getProperties().containsKey(RingtableSymbols.REPLAYS);
            context.fireRead(envelope);
            Runnable onFlow = flowsOfOwner.get(channel);
            if (onFlow != null) {
                onFlow.run();
            }
            return;
        }
        context.fireRead(envelope);
    }

    @Override
    public void handleWrite(EngineHandlerContext context, OutgoingAMQPEnvelope envelope) {
        Performative frame = envelope.getBody();
        if (frame instanceof Flow flow) {
            decorate(flow, envelope.getChannel());
        } else if (frame instanceof Attach attach) {
            if (attaching != null) {
                credits.computeIfAbsent(envelope.getChannel(), channel -> new HashMap<>())
                        .put(attach.getHandle(), attaching);
            }
        } else if (frame instanceof Detach detach) {
            forget(envelope.getChannel(), detach.getHandle());
        } else if (frame instanceof Begin) {
            flows.put(envelope.getChannel(), beginning);
        } else if (frame instanceof End) {
            credits.remove(envelope.getChannel());
            flows.remove(envelope.getChannel());
        }
        context.fireWrite(envelope);
    }

    private void forget(int channel, long handle) {
        Map<Long, Credit> ofChannel = credits.get(channel);
        if (ofChannel != null) {
            ofChannel.remove(handle);
        }
    }

    private void decorate(Flow flow, int channel) {
        Credit credit =
                flow.hasHandle() ? credits.getOrDefault(channel, Map.of()).get(flow.getHandle()) : null;
        if (credit != null) {
            flow.setLinkCredit(credit.credit());
            flow.setDrain(credit.drains());
            if (flow.hasDeliveryCount()) {
                credit.told((int) (flow.getDeliveryCount() + flow.getLinkCredit()));
            }
        }
    }
}
