package io.ringtable.broker.amqp.frames;

import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.impl.ProtonEngineHandlerContext;

/**
 * The last in the engine's pipeline: changes of the engine's state end here. What protonj2 has behind it hands them on to itself until
 * the stack is full, and drops the error: that took 5 ms of an event loop for each connection that ended.
 * <p>
 * Thread: its connection's event loop.
 */
final class StateChangesEnd implements EngineHandler {
    public static final String NAME = "state-changes-end";

    @Override
    public void handlerAdded(EngineHandlerContext context) {
        ((ProtonEngineHandlerContext) context).interestMask(0); // reads and writes pass it by
    }

    @Override
    public void handleEngineStateChanged(EngineHandlerContext context) {
        // Everybody before it has heard.
    }
}
