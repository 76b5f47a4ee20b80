package io.ringtable.broker.amqp.frames;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.message.Printable;
import java.util.Arrays;
import org.apache.qpid.protonj2.codec.DecodeException;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.engine.AMQPPerformativeEnvelopePool;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.engine.ConnectionState;
import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.EngineSaslDriver.SaslState;
import org.apache.qpid.protonj2.engine.OutgoingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.exceptions.EngineFailedException;
import org.apache.qpid.protonj2.engine.exceptions.FrameDecodingException;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.engine.exceptions.ProtonException;
import org.apache.qpid.protonj2.engine.impl.ProtonEngineHandlerContext;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Open;
import org.apache.qpid.protonj2.types.transport.Performative;

/**
 * Names the condition of the close frame when protonj2 fails. Many of its violations carry no condition, and a close
 * without one looks normal. On a connection that is not open protonj2 writes nothing: this handler opens it to close it
 * (AMQP 1.0 section 2.4.3).
 * <p>
 * Thread: its connection's event loop.
 */
public final class FailureNaming implements EngineHandler {
    public static final String NAME = "failure-naming";

    private final AMQPPerformativeEnvelopePool<OutgoingAMQPEnvelope> envelopes =
            AMQPPerformativeEnvelopePool.outgoingEnvelopePool();
    private final String containerId;

    FailureNaming(String containerId) {
        this.containerId = containerId;
    }

    @Override
    public void handlerAdded(EngineHandlerContext context) {
        // Outgoing frames bypass this handler.
        ((ProtonEngineHandlerContext) context).interestMask(ProtonEngineHandlerContext.HANDLER_READS);
    }

    @Override
    public void engineFailed(EngineHandlerContext context, EngineFailedException failure) {
        Connection connection = context.engine().connection();
        if (connection.getCondition() == null) {
            connection.setCondition(conditionOf(context.engine().failureCause()));
        }
        if (connection.getState() == ConnectionState.IDLE && isPastSasl(context.engine())) {
            write(context, new Open().setContainerId(containerId));
            write(context, new Close().setError(connection.getCondition()));
        }
        context.fireFailed(failure);
    }

    /** Tells whether the SASL layer is done, or absent. */
    private static boolean isPastSasl(Engine engine) {
        SaslState state = engine.saslDriver().getSaslState();
        return state == SaslState.NONE || state == SaslState.AUTHENTICATED;
    }

    private void write(EngineHandlerContext context, Performative frame) {
        context.fireWrite(envelopes.take(frame, 0, null));
    }

    /** Returns the condition by which a peer hears of a failure. */
    public static ErrorCondition conditionOf(Throwable cause) {
        String text = cause == null ? "the connection failed" : cause.getMessage();
        if (isTruncated(cause)) {
            text = "a frame ends before its fields do: " + text;
        }
        boolean named = text != null && text.startsWith("RT-");
        return Conditions.of(symbolOf(cause), (named ? "" : "RT-4030 ") + Printable.value(text));
    }

    private static Symbol symbolOf(Throwable cause) {
        if (cause instanceof FrameDecodingException && cause.getCause() == null) {
            return ConnectionError.FRAMING_ERROR; // size, offset or type of a frame
        }
        if (cause instanceof FrameDecodingException || cause instanceof DecodeException || isTruncated(cause)) {
            return AmqpError.DECODE_ERROR;
        }
        if (cause instanceof ProtocolViolationException violation) {
            Symbol condition = violation.getErrorCondition();
            return condition == null ? ConnectionError.FRAMING_ERROR : condition;
        }
        return AmqpError.INTERNAL_ERROR;
    }

    /**
     * Recognizes a truncated frame: the library's decoder does not check that the frame has as many bytes as it says.
     */
    private static boolean isTruncated(Throwable failure) {
        Throwable cause = failure instanceof ProtonException ? failure.getCause() : failure;
        return cause instanceof IndexOutOfBoundsException
                && Arrays.stream(cause.getStackTrace())
                        .anyMatch(call -> call.getClassName().startsWith(Decoder.class.getPackageName()));
    }

    /** Tells whether the peer caused the failure. */
    public static boolean isViolation(Throwable cause) {
        return cause instanceof ProtocolViolationException || cause instanceof DecodeException || isTruncated(cause);
    }
}
