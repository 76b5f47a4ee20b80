package io.ringtable.broker.amqp;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.IncomingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.engine.impl.ProtonEngine;
import org.apache.qpid.protonj2.engine.impl.ProtonEngineHandlerContext;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Performative;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.SessionError;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * Stands in the engine's pipeline for links of one name on one session: the engine knows a link by its name and would
 * take a second attach for the first one's. Here the first is stolen (AMQP 1.0 section 2.6.1) before the engine sees
 * the second, and what its peer still sends for it is dropped.
 * <p>
 * Thread: its connection's event loop.
 */
final class LinkNameGuard implements EngineHandler {
    static final String NAME = "link-names";

    private record Name(int channel, Role role, String link) {}

    private record Handle(int channel, long handle) {}

    private final AmqpConnection connection;
    private final Map<Name, Handle> attached = new HashMap<>();
    private final Map<Handle, Name> names = new HashMap<>();
    private final Set<Handle> stolen = new HashSet<>();

    LinkNameGuard(AmqpConnection connection) {
        this.connection = connection;
    }

    @Override
    public void handlerAdded(EngineHandlerContext context) {
        // Frames on their way out pass it by.
        ((ProtonEngineHandlerContext) context).interestMask(ProtonEngineHandlerContext.HANDLER_READS);
    }

    @Override
    public void handleRead(EngineHandlerContext context, IncomingAMQPEnvelope envelope) {
        Performative frame = envelope.getBody();
        int channel = envelope.getChannel();
        if (frame instanceof Transfer && stolen.isEmpty()) {
            context.fireRead(envelope); // most frames are
            return;
        }
        if (frame instanceof Attach attach) {
            onAttach(attach, channel, (ProtonEngine) context.engine());
        } else if (frame instanceof Detach detach) {
            Handle handle = new Handle(channel, detach.getHandle());
            if (stolen.remove(handle)) {
                envelope.release(); // the answer to ours
                return;
            }
            forget(handle);
        } else if (frame instanceof End) {
            attached.keySet().removeIf(name -> name.channel == channel);
            names.keySet().removeIf(handle -> handle.channel == channel);
            stolen.removeIf(handle -> handle.channel == channel);
        } else if (!stolen.isEmpty() && isForStolen(frame, channel)) {
            envelope.release();
            return;
        }
        context.fireRead(envelope);
    }

    private boolean isForStolen(Performative frame, int channel) {
        if (frame instanceof Flow flow) {
            return flow.hasHandle() && stolen.contains(new Handle(channel, flow.getHandle()));
        }
        if (frame instanceof Transfer transfer && stolen.contains(new Handle(channel, transfer.getHandle()))) {
            // The engine would miss it in the session's numbers.
            throw new ProtocolViolationException(
                    SessionError.UNATTACHED_HANDLE, "a transfer on a link that another one of its name has stolen");
        }
        return false;
    }

    private void onAttach(Attach attach, int channel, ProtonEngine engine) {
        Name name = new Name(channel, attach.getRole(), attach.getName());
        Handle handle = new Handle(channel, attach.getHandle());
        Handle before = attached.get(name);
        if (before != null) {
            connection.steal(attach.getName(), attach.getRole() == Role.RECEIVER, channel);
            engine.connection()
                    .handleDetach(new Detach().setHandle(before.handle).setClosed(true), null, channel, engine);
            forget(before);
            stolen.add(before);
        }
        attached.put(name, handle);
        names.put(handle, name);
    }

    private void forget(Handle handle) {
        Name name = names.remove(handle);
        if (name != null) {
            attached.remove(name, handle);
        }
    }
}
