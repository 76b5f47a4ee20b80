package io.ringtable.broker.amqp.frames;

import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.IncomingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.impl.ProtonEngineHandlerContext;
import org.apache.qpid.protonj2.types.transport.Flow;

/**
 * Takes a link's credit of 2^31 and more for one less than that. Protonj2 (1.1.0) counts credit in an int, in which
 * more would look as if the client had taken credit back.
 * <p>
 * Thread: its connection's event loop.
 */
final class BoundlessCredit implements EngineHandler {
    static final String NAME = "boundless-credit";

    @Override
    public void handlerAdded(EngineHandlerContext context) {
        // Outgoing frames bypass this handler.
        ((ProtonEngineHandlerContext) context).interestMask(ProtonEngineHandlerContext.HANDLER_READS);
    }

    @Override
    public void handleRead(EngineHandlerContext context, IncomingAMQPEnvelope envelope) {
        if (envelope.getBody() instanceof Flow flow && flow.getLinkCredit() > Integer.MAX_VALUE) {
            flow.setLinkCredit(Integer.MAX_VALUE);
        }
        context.fireRead(envelope);
    }
}
