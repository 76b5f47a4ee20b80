package io.ringtable.broker.amqp.frames;

import org.apache.qpid.protonj2.engine.Engine;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.SASLEnvelope;
import org.apache.qpid.protonj2.engine.sasl.SaslServerListener;
import org.apache.qpid.protonj2.types.security.SaslChallenge;
import org.apache.qpid.protonj2.types.security.SaslResponse;

/**
 * Leads challenges and responses around the library's handler of SASL. That of protonj2 1.1 forgets that a response has
 * come: after one challenge it refuses to send another, and the outcome.
 * <p>
 * One handler stands on each side of the library's. Thread: the connection's event loop.
 */
final class SaslDialogue {
    static final String CHALLENGES = "sasl-challenges";
    static final String RESPONSES = "sasl-responses";

    private final Engine engine;
    private final SaslServerListener login;
    private EngineHandlerContext socketSide;

    SaslDialogue(Engine engine, SaslServerListener login) {
        this.engine = engine;
        this.login = login;
    }

    /** Makes the handler that stands on the side of the broker. */
    EngineHandler challenges() {
        return new EngineHandler() {
            @Override
            public void handleWrite(EngineHandlerContext context, SASLEnvelope envelope) {
                if (envelope.getBody() instanceof SaslChallenge) {
                    socketSide.fireWrite(envelope);
                } else {
                    context.fireWrite(envelope);
                }
            }
        };
    }

    /** Makes the handler that stands on the side of the socket. */
    EngineHandler responses() {
        return new EngineHandler() {
            @Override
            public void handlerAdded(EngineHandlerContext context) {
                socketSide = context;
            }

            @Override
            public void handleRead(EngineHandlerContext context, SASLEnvelope envelope) {
                if (envelope.getBody() instanceof SaslResponse response && isUnderWay()) {
                    login.handleSaslResponse(engine.saslDriver().server(), response.getResponse());
                } else {
                    context.fireRead(envelope); // the library refuses responses that come too early or too late
                }
            }
        };
    }

    private boolean isUnderWay() {
        return engine.saslDriver().server().getChosenMechanism() != null
                && !engine.saslDriver().server().isDone();
    }
}
