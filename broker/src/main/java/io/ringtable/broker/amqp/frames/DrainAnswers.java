package io.ringtable.broker.amqp.frames;

import io.ringtable.wire.RingtableSymbols;
import java.util.Map;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.OutgoingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.transport.Flow;

/**
 * Says in the answer to a drain that more comes nevertheless. Protonj2 has no call for properties of a flow frame.
 * <p>
 * Thread: its connection's event loop.
 */
final class DrainAnswers implements EngineHandler {
    static final String NAME = "drain-answers";

    private boolean replays; // what the next flow frame says

    /** Answers the drain of a link, as {@link FramePipeline#drained} says. */
    void drained(Sender sender, boolean itReplays) {
        replays = itReplays;
        try {
            sender.drained();
        } finally {
            replays = false;
        }
    }

    @Override
    public void handleWrite(EngineHandlerContext context, OutgoingAMQPEnvelope envelope) {
        if (replays && envelope.getBody() instanceof Flow flow) {
            flow.setProperties(Map.of(RingtableSymbols.REPLAYS, true));
        }
        context.fireWrite(envelope);
    }
}
