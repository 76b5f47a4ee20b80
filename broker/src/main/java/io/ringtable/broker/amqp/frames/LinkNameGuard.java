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
 * Guards the link names of each session. Protonj2 knows a link by its name, and would take a second attach for the
 * first link's. Here the second link steals the first (AMQP 1.0 section 2.6.1) before protonj2 sees it. The guard drops
 * what the peer still sends for the first.
 * <p>
 * Thread: its connection's event loop.
 */
final class LinkNameGuard implements EngineHandler {
    public static final String NAME = "link-names";

    /** Limits the refused links that their client has not answered yet. */
    private static final int REFUSED_MAX = 2_000;
    /**
     * Limits how far links may exceed their bound, counting refused and ended links that their client has not answered
     * yet.
     */
    private static final int UNANSWERED_MAX = 1_000;

    private record Name(Role role, String link) {}

    /** Holds the links of one channel, each from its attach to its peer's detach. */
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
    private final Map<Session, Integer> channelsOfSessions = new IdentityHashMap<>(); // protonj2 does not tell it
    private boolean carries; // sessions of several clients: the bounds are those of each session
    private int beginning; // channel of the session that begins
    private int stolen; // on all channels
    private int refused; // on all channels
    private int count; // on all channels, stolen ones too

    /** Makes the guard. @param linksMax of the connection */
    LinkNameGuard(int linksMax, LinkThief thief, ConnectionMemory memory, AmqpCounters counters) {
        this.linksMax = linksMax;
        this.thief = thief;
        this.memory = memory;
        this.counters = counters;
    }

    @Override
    public void handlerAdded(EngineHandlerContext context) {
        // Outgoing frames bypass this handler.
        ((ProtonEngineHandlerContext) context).interestMask(ProtonEngineHandlerContext.HANDLER_READS);
    }

    @Override
    public void handleRead(EngineHandlerContext context, IncomingAMQPEnvelope envelope) {
        Performative frame = envelope.getBody();
        int channel = envelope.getChannel();
        if (frame instanceof Transfer && stolen == 0) {
            context.fireRead(envelope); // most frames are transfers
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

    /**
     * Takes a detach.
     *
     * @return true if another link has stolen the name, so that protonj2 no longer knows this link
     */
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
            // Without the transfer, protonj2 would count the session's numbers wrongly.
            throw new ProtocolViolationException(
                    SessionError.UNATTACHED_HANDLE, "transfer on a link whose name another link has stolen");
        }
        return false;
    }

    private void onAttach(Attach attach, int channel, ProtonEngine engine) {
        Links links = channels.computeIfAbsent(channel, key -> new Links());
        if (carries) {
            checkCount(links.count(), links.refused.size());
        } else {
            checkCount(count, refused);
        }
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

    /** Closes a connection with too many links: a refused link takes memory until its client detaches it as well. */
    private void checkCount(int ofAll, int ofRefused) {
        if (ofRefused >= REFUSED_MAX) {
            throw tooMany("the connection has " + ofRefused + " refused links that its client has not detached: answer"
                    + " detach frames, or attach fewer links before their answers have come");
        }
        int most = linksMax + UNANSWERED_MAX;
        if (ofAll >= most) {
            throw tooMany("the connection has " + ofAll + " links, and ringtable.amqp.links-max="
                    + linksMax + " allows "
                    + most + ": use fewer links or raise it. Refused and ended links count until the client answers"
                    + " their detach frames");
        }
    }

    private static ProtocolViolationException tooMany(String links) {
        return new ProtocolViolationException(AmqpError.RESOURCE_LIMIT_EXCEEDED, "RT-4320 " + links);
    }

    /** Counts a link that the broker refused, that is, closed in its answer. */
    public void refused(Link<?> link) {
        Links links = channels.get(channelOf(link.getSession()));
        Name name = new Name(link.isSender() ? Role.RECEIVER : Role.SENDER, link.getName());
        Long handle = links == null ? null : links.handles.get(name);
        if (handle != null && links.refused.add(handle)) {
            refused++;
        }
    }

    // ---- sessions

    /** Notes the session that protonj2 made for the latest begin. */
    public void begun(Session session) {
        channelsOfSessions.put(session, beginning);
    }

    /** Returns the channel on which the client sends; -1 once the client has ended the session. */
    public int channelOf(Session session) {
        return channelsOfSessions.getOrDefault(session, -1);
    }

    // ---- how many

    /**
     * Hears, before the first link, that each session is one of a client that another node carries. The bounds of links
     * count for each session then, and each client counts its own memory.
     */
    public void carriesClients() {
        carries = true;
    }

    /** Returns how many links protonj2 may have to look through for one: of every state, on sessions of one client. */
    public int count() {
        return carries ? count / Math.max(1, channels.size()) : count;
    }

    private void counted(int more) {
        count += more;
        if (!carries) {
            memory.links(more);
        }
        counters.links.add(more);
    }

    /** Forgets all links: the connection is gone. */
    public void lost() {
        counted(-count);
        channels.clear();
        stolen = 0;
        refused = 0;
    }
}
