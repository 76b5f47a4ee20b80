package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.HandOff;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.settings.AmqpSettings;
import io.ringtable.broker.watermark.Watermarks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Session;

/**
 * Decides when the publishing links of one connection are read and given credit. A full hand-off or too many bytes stop
 * credit and reading, never the socket, so that settlements go on. While there is no room, the transfer that began first
 * goes on, so that each of them ends.
 * <p>
 * Thread: the connection's event loop.
 */
public final class FlowControl {
    /** The least window of a session. */
    private static final int SESSION_FRAMES_LEAST = 16;

    private record Deferred(PublisherLink link, IncomingDelivery delivery, int bytes) {}

    private final OpenConnection connection;
    private final ConnectionMemory memory;
    private final HandOff handOff;
    private final Watermarks watermarks;
    private final long bufferedMax; // bytes
    private final int frameMax; // bytes
    private long windowsGiven; // to sessions, in bytes
    private final ArrayDeque<Deferred> deferred = new ArrayDeque<>(); // complete in the engine, unread
    private final Set<PublisherLink> unfinished = new LinkedHashSet<>(); // in the order in which they began
    private final Set<PublisherLink> unread = new LinkedHashSet<>(); // the beginning of a transfer waits in the engine
    private final List<PublisherLink> creditWanted = new ArrayList<>();

    public FlowControl(
            OpenConnection connection,
            AmqpSettings settings,
            ConnectionMemory memory,
            HandOff handOff,
            Watermarks watermarks) {
        this.connection = connection;
        this.memory = memory;
        this.handOff = handOff;
        this.watermarks = watermarks;
        this.bufferedMax = settings.bufferedBytesMax();
        this.frameMax = settings.maxFrameSize();
    }

    // ---- sessions

    /**
     * What a session's window lets in beyond what has been read, in bytes: the first sessions get much, later ones half of
     * what is left of twice the bound. The window is counted in frames, so this is generous for small messages; what is read
     * at once never counts.
     */
    public int sessionCapacity() {
        long left = Math.max(0, 2 * bufferedMax - windowsGiven);
        long least = (long) SESSION_FRAMES_LEAST * frameMax;
        long capacity = Math.min(bufferedMax, Math.max(least, left / 2));
        windowsGiven += capacity;
        return (int) Math.min(Integer.MAX_VALUE / 2, capacity);
    }

    public void sessionEnded(int capacity) {
        windowsGiven -= capacity;
    }

    /** What the engine counts against the session's window although nobody will read it. */
    static void giveBack(Session session, int unreadBytes) {
        session.setIncomingCapacity(session.getIncomingCapacity() + unreadBytes);
    }

    // ---- reading

    /** Whether a link's transfer may be read: there is room, or it is the one that goes on without. */
    boolean mayRead(PublisherLink link) {
        if (isHeldBack() && link.isPatient()) {
            return false;
        }
        return !isFull() || !unfinished.isEmpty() && unfinished.iterator().next() == link;
    }

    /** Whether what arrives stays unread in the engine, where it narrows the session's window. */
    private boolean isFull() {
        return memory.isFull() || !deferred.isEmpty();
    }

    /** The broker is short of something: what publishers send with the credit that they have waits. */
    private boolean isHeldBack() {
        return watermarks.isReached();
    }

    /** More of a transfer whose end has not come has been read, in bytes. */
    void unfinished(PublisherLink link, int more) {
        unfinished.add(link);
        memory.unfinished(more);
    }

    /** Its end has come, or never will. @param all of its bytes that were counted */
    void finished(PublisherLink link, int all) {
        unfinished.remove(link);
        memory.unfinished(-all);
    }

    /** A complete transfer stays in the engine. */
    void defer(PublisherLink link, IncomingDelivery delivery, int bytes) {
        deferred.add(new Deferred(link, delivery, bytes));
    }

    /** The beginning of a transfer stays in the engine. */
    void leftUnread(PublisherLink link) {
        unread.add(link);
    }

    // ---- credit

    /** The link has used enough of its credit; it is given more at the end of the batch. */
    void wantCredit(PublisherLink link) {
        creditWanted.add(link);
    }

    boolean mayGiveCredit() {
        return !handOff.isFull() && !isFull() && !connection.isStopping() && !isHeldBack() && connection.canWrite();
    }

    // ---- after everything that arrived together

    public void endOfBatch() {
        while (!deferred.isEmpty() && memory.hasRoomAgain() && !isHeldBack()) {
            Deferred next = deferred.poll();
            memory.unread(-next.bytes);
            next.link.take(next.delivery);
        }
        takeUnread();
        if (creditWanted.isEmpty() || !mayGiveCredit()) {
            return; // they stay listed until a later batch
        }
        for (int i = 0; i < creditWanted.size(); i++) { // giving may end one
            creditWanted.get(i).giveCredit();
        }
        creditWanted.clear();
    }

    private void takeUnread() {
        if (unread.isEmpty()) {
            return;
        }
        for (PublisherLink link : List.copyOf(unread)) {
            if (mayRead(link)) {
                unread.remove(link);
                link.takeUnread();
            } else if (unfinished.isEmpty() && !isHeldBack()) {
                return; // there is no room for any
            }
        }
    }

    /** The link has ended. */
    void forget(PublisherLink link, Session session) {
        creditWanted.remove(link);
        unread.remove(link);
        deferred.removeIf(item -> {
            if (item.link == link) {
                giveBack(session, item.delivery.available());
                memory.unread(-item.bytes);
            }
            return item.link == link;
        });
    }
}
