package io.ringtable.broker.amqp.frames;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.IncomingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.engine.impl.ProtonEngine;
import org.apache.qpid.protonj2.engine.impl.ProtonEngineHandlerContext;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
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
    public static final String NAME = "link-names";

    /** Links that the broker has refused may be so many before their client answers. */
    private static final int REFUSED_MAX = 2_000;
    /** Links that the broker has refused or ended may be so many above its bound before their client answers. */
    private static final int UNANSWERED_MAX = 1_000;

    private record Name(Role role, String link) {}

    /** The links of one channel, each from its attach to its peer's detach. */
    private static final class Links {
        private final Map<Name, Long> handles = new HashMap<>();
        private final Map<Long, Name> names = new HashMap<>();
        private final Set<Long> stolen = new HashSet<>();
        private final Set<Long> refused = new HashSet<>();

        int count() {
            return names.size() + stolen.size();
        }

        void put(Name name, long handle) {
            handles.put(name, handle);
            names.put(handle, name);
        }

        void forget(long handle) {
            Name name = names.remove(handle);
            refused.remove(handle);
            if (name != null) {
                handles.remove(name, handle);
            }
        }
    }

    private final int linksMax;
    private final LinkThief thief;
    private final ConnectionMemory memory;
    private final AmqpCounters counters;
    private final Map<Integer, Links> channels = new HashMap<>();
    private final Map<Session, Integer> channelsOfSessions = new IdentityHashMap<>(); // which the engine does not tell
    private int beginning; // channel of the session that begins
    private int stolen; // on all channels
    private int refused; // on all channels
    private int count; // on all channels, stolen ones too

    /** @param linksMax of the connection */
    LinkNameGuard(int linksMax, LinkThief thief, ConnectionMemory memory, AmqpCounters counters) {
        this.linksMax = linksMax;
        this.thief = thief;
        this.memory = memory;
        this.counters = counters;
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
        if (frame instanceof Transfer && stolen == 0) {
            context.fireRead(envelope); // most frames are
            return;
        }
        if (frame instanceof Attach attach) {
            onAttach(attach, channel, (ProtonEngine) context.engine());
        } else if (frame instanceof Detach detach) {
            if (isAnswered(channel, detach.getHandle())) {
                envelope.release(); // the answer to ours
                return;
            }
        } else if (frame instanceof Begin) {
            beginning = channel;
        } else if (frame instanceof End) {
            channelsOfSessions.values().remove(channel);
            Links ended = channels.remove(channel);
            if (ended != null) {
                stolen -= ended.stolen.size();
                refused -= ended.refused.size();
                counted(-ended.count());
            }
        } else if (stolen > 0 && isForStolen(frame, channel)) {
            envelope.release();
            return;
        }
        context.fireRead(envelope);
    }

    /** @return true if another link of its name has stolen it, so that the engine does not know it any more */
    private boolean isAnswered(int channel, long handle) {
        Links links = channels.get(channel);
        if (links == null) {
            return false;
        }
        int before = links.count();
        boolean wasStolen = links.stolen.remove(handle);
        if (wasStolen) {
            stolen--;
        } else {
            forget(links, handle);
        }
        counted(links.count() - before);
        return wasStolen;
    }

    private void forget(Links links, long handle) {
        int before = links.refused.size();
        links.forget(handle);
        refused += links.refused.size() - before;
    }

    private boolean isForStolen(Performative frame, int channel) {
        Links links = channels.get(channel);
        if (links == null) {
            return false;
        }
        if (frame instanceof Flow flow) {
            return flow.hasHandle() && links.stolen.contains(flow.getHandle());
        }
        if (frame instanceof Transfer transfer && links.stolen.contains(transfer.getHandle())) {
            // The engine would miss it in the session's numbers.
            throw new ProtocolViolationException(
                    SessionError.UNATTACHED_HANDLE, "a transfer on a link that another one of its name has stolen");
        }
        return false;
    }

    private void onAttach(Attach attach, int channel, ProtonEngine engine) {
        checkCount();
        Links links = channels.computeIfAbsent(channel, key -> new Links());
        int known = links.count();
        Name name = new Name(attach.getRole(), attach.getName());
        Long before = links.handles.get(name);
        if (before != null) {
            thief.steal(attach.getName(), attach.getRole() == Role.RECEIVER, channel);
            engine.connection().handleDetach(new Detach().setHandle(before).setClosed(true), null, channel, engine);
            forget(links, before);
            links.stolen.add(before);
            stolen++;
        }
        links.put(name, attach.getHandle());
        counted(links.count() - known);
    }

    /** A refused link takes memory until its client detaches it as well: so many are a client that never does. */
    private void checkCount() {
        if (refused >= REFUSED_MAX) {
            throw tooMany(
                    "the connection has " + refused + " links that were refused and that it has not detached: answer"
                            + " detach frames, attach fewer links before their answers have come");
        }
        int most = linksMax + UNANSWERED_MAX;
        if (count >= most) {
            throw tooMany("the connection has " + count + " links, refused and ended ones that it has not detached"
                    + " included, and amqp.links-max="
                    + linksMax + " lets it have "
                    + most + ": answer detach frames, use fewer links or raise it");
        }
    }

    private static ProtocolViolationException tooMany(String links) {
        return new ProtocolViolationException(AmqpError.RESOURCE_LIMIT_EXCEEDED, "RT-4320 " + links);
    }

    /** The broker has closed it in its answer. */
    public void refused(Link<?> link) {
        Links links = channels.get(channelOf(link.getSession()));
        Name name = new Name(link.isSender() ? Role.RECEIVER : Role.SENDER, link.getName());
        Long handle = links == null ? null : links.handles.get(name);
        if (handle != null && links.refused.add(handle)) {
            refused++;
        }
    }

    // ---- sessions

    /** The engine has a session for the begin that it has just been given. */
    public void begun(Session session) {
        channelsOfSessions.put(session, beginning);
    }

    /** On which the client sends; -1 once it has ended the session. */
    public int channelOf(Session session) {
        return channelsOfSessions.getOrDefault(session, -1);
    }

    // ---- how many

    /** Links of every state on all sessions. */
    public int count() {
        return count;
    }

    private void counted(int more) {
        count += more;
        memory.links(more);
        counters.links.add(more);
    }

    /** The connection is gone, and all its links. */
    public void lost() {
        counted(-count);
        channels.clear();
        stolen = 0;
        refused = 0;
    }
}
