package io.ringtable.broker.amqp.frames;

import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.impl.ProtonEngineHandlerContext;

/**
 * Ends the way of state changes through protonj2's pipeline. The pipeline's own last handler passes them to itself
 * until the stack is full, and drops the error. That took 5 ms of an event loop for each connection that ended.
 * <p>
 * Thread: its connection's event loop.
 */
final class StateChangesEnd implements EngineHandler {
    public static final String NAME = "state-changes-end";

    @Override
    public void handlerAdded(EngineHandlerContext context) {
        ((ProtonEngineHandlerContext) context).interestMask(0); // reads and writes bypass this handler
    }

    @Override
    public void handleEngineStateChanged(EngineHandlerContext context) {
        // Every handler before this one has heard of the change.
    }
}
