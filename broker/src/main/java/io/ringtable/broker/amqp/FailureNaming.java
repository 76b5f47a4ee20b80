package io.ringtable.broker.amqp;

import org.apache.qpid.protonj2.codec.DecodeException;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.exceptions.EngineFailedException;
import org.apache.qpid.protonj2.engine.exceptions.FrameDecodingException;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.engine.impl.ProtonEngineHandlerContext;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Stands in the engine's pipeline and names the condition of the close frame when the engine fails: many of the
 * engine's own violations carry none, and a close without a condition looks like a normal one.
 * <p>
 * Thread: its connection's event loop.
 */
final class FailureNaming implements EngineHandler {
    static final String NAME = "failure-naming";

    @Override
    public void handlerAdded(EngineHandlerContext context) {
        // Frames on their way out pass it by.
        ((ProtonEngineHandlerContext) context).interestMask(ProtonEngineHandlerContext.HANDLER_READS);
    }

    @Override
    public void engineFailed(EngineHandlerContext context, EngineFailedException failure) {
        if (context.engine().connection().getCondition() == null) {
            context.engine()
                    .connection()
                    .setCondition(conditionOf(context.engine().failureCause()));
        }
        context.fireFailed(failure);
    }

    static ErrorCondition conditionOf(Throwable cause) {
        String text = "RT-4030 " + (cause == null ? "the connection failed" : cause.getMessage());
        return new ErrorCondition(symbolOf(cause), text);
    }

    private static Symbol symbolOf(Throwable cause) {
        if (cause instanceof FrameDecodingException && cause.getCause() == null) {
            return ConnectionError.FRAMING_ERROR; // size, offset or type of a frame
        }
        if (cause instanceof FrameDecodingException || cause instanceof DecodeException) {
            return AmqpError.DECODE_ERROR;
        }
        if (cause instanceof ProtocolViolationException violation) {
            Symbol condition = violation.getErrorCondition();
            return condition == null ? ConnectionError.FRAMING_ERROR : condition;
        }
        return AmqpError.INTERNAL_ERROR;
    }

    /** Whether the peer is to blame. */
    static boolean isViolation(Throwable cause) {
        return cause instanceof ProtocolViolationException || cause instanceof DecodeException;
    }
}
