package io.ringtable.broker.amqp;

import io.ringtable.broker.work.Work;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * What one connection has taken from its publishers and not yet answered: bounded in bytes, handed to the committer,
 * and the reason why credit pauses. A full hand-off or too many bytes stop credit and hand-offs, never the socket, so
 * that settlements go on. Transfers whose end has not come count too; while there is no room for them, the one that began
 * first goes on, so that each of them ends.
 * <p>
 * Thread: the connection's event loop.
 */
final class Intake {
    /** Something that the committer had no room for. */
    interface Waiting {
        /** Tries again, and waits again if it must. */
        void advance();
    }

    /** What a link takes, whatever its state. */
    private static final long LINK_BYTES = 4_096;

    /** The least window of a session. */
    private static final int SESSION_FRAMES_LEAST = 16;

    private record Deferred(PublisherLink link, IncomingDelivery delivery, int bytes) {}

    private final AmqpConnection connection;
    private final long bytesMax;
    private final long totalMax;
    private long bytes; // of messages without an outcome
    private long unfinishedBytes; // read, of transfers whose end has not come
    private long unreadBytes; // they wait in the engine
    private long windowsGiven; // to sessions, in bytes
    private HeldBytes.Part part; // null before the connection is open
    private int handedIn; // transfers that the committer will answer
    private boolean handOffFull;
    private boolean closing; // it holds too much
    private final ArrayDeque<Deferred> deferred = new ArrayDeque<>(); // complete in the engine, unread
    private final Set<PublisherLink> unfinished = new LinkedHashSet<>(); // in the order in which they began
    private final Set<PublisherLink> unread = new LinkedHashSet<>(); // the beginning of a transfer waits in the engine
    private final Set<Waiting> waiting = new LinkedHashSet<>();
    private final List<PublisherLink> creditWanted = new ArrayList<>();

    Intake(AmqpConnection connection) {
        this.connection = connection;
        this.bytesMax = connection.settings().bufferedBytesMax();
        this.totalMax = connection.settings().heldBytesMax();
    }

    /** The user is known, whose connections share a bound. */
    void begin(HeldBytes.Part counted) {
        part = counted;
    }

    /** The connection is gone, and what it held. */
    void lost() {
        if (part != null) {
            part.leave();
            part = null;
        }
    }

    /**
     * What a session's window lets in beyond what has been read, in bytes: the first sessions get much, later ones half of
     * what is left of twice the bound. The window is counted in frames, so this is generous for small messages; what is read
     * at once never counts.
     */
    int sessionCapacity() {
        long left = Math.max(0, 2 * bytesMax - windowsGiven);
        long least = (long) SESSION_FRAMES_LEAST * connection.settings().maxFrameSize();
        long capacity = Math.min(bytesMax, Math.max(least, left / 2));
        windowsGiven += capacity;
        return (int) Math.min(Integer.MAX_VALUE / 2, capacity);
    }

    void sessionEnded(int capacity) {
        windowsGiven -= capacity;
    }

    // ---- memory

    /** Whether what arrives stays unread in the engine, where it narrows the session's window. */
    boolean isFull() {
        return isOver() || !deferred.isEmpty();
    }

    private boolean isOver() {
        long held = bytes + unfinishedBytes;
        return held >= bytesMax || part != null && held > 0 && held >= part.share();
    }

    /** Whether a link's transfer may be read: there is room, or it is the one that goes on without. */
    boolean mayRead(PublisherLink link) {
        if (isHeldBack() && link.waitsForEver()) {
            return false;
        }
        return !isFull() || !unfinished.isEmpty() && unfinished.iterator().next() == link;
    }

    /** The broker is short of something: what publishers send with the credit that they have waits. */
    private boolean isHeldBack() {
        return connection.server().watermarks().isReached();
    }

    /** More of a transfer whose end has not come has been read. */
    void unfinished(PublisherLink link, int more) {
        unfinished.add(link);
        unfinishedBytes += more;
        changed();
    }

    /** Its end has come, or never will. @param all of its bytes that were counted */
    void ended(PublisherLink link, int all) {
        unfinished.remove(link);
        unfinishedBytes -= all;
        changed();
    }

    /** @param more bytes of a transfer are left unread in the engine, or fewer if negative */
    void unread(int more) {
        unreadBytes += more;
        changed();
    }

    /** Everything that this connection holds, in bytes. */
    long held() {
        return bytes
                + unfinishedBytes
                + unreadBytes
                + connection.transactions().bytes()
                + LINK_BYTES * connection.linksKnown();
    }

    /** What it holds has changed. */
    void changed() {
        long held = held();
        if (part != null) {
            part.holds(held);
        }
        if (held > totalMax && !closing) {
            close(overTotal());
        } else if (part != null && !closing && part.isTooMuch(held)) {
            close(overShare(held));
        }
    }

    private void close(ErrorCondition reason) {
        closing = true;
        connection.mailbox().post(() -> connection.close(reason, true));
    }

    private ErrorCondition overShare(long held) {
        return Conditions.limit(
                "RT-4326",
                "the connection holds " + held
                        + " bytes while all connections hold half as much again as"
                        + " amqp.all-held-bytes-max=" + connection.settings().allHeldBytesMax()
                        + ", and each has room for an equal share: publish on fewer links and sessions at once,"
                        + " end what was begun, or raise it");
    }

    private ErrorCondition overTotal() {
        return Conditions.limit(
                "RT-4321",
                "the connection holds more than amqp.held-bytes-max=" + totalMax + " bytes (transfers without an end "
                        + unfinishedBytes + ", unread " + unreadBytes + ", without an outcome " + bytes
                        + ", in transactions " + connection.transactions().bytes()
                        + ", for links " + LINK_BYTES * connection.linksKnown()
                        + "): publish on fewer links and sessions at once, end what was begun, or raise it");
    }

    void defer(PublisherLink link, IncomingDelivery delivery, int waiting) {
        deferred.add(new Deferred(link, delivery, waiting));
    }

    void leftUnread(PublisherLink link) {
        unread.add(link);
    }

    /** What the engine counts against the session's window although nobody will read it. */
    static void giveBack(Session session, int unreadBytes) {
        session.setIncomingCapacity(session.getIncomingCapacity() + unreadBytes);
    }

    void admitted(long messageBytes) {
        bytes += messageBytes;
        changed();
    }

    void finished(long messageBytes) {
        bytes -= messageBytes;
        changed();
    }

    // ---- hand-off

    /** False if the committer has no room; whoever waits is asked again when it has. */
    boolean submit(Work work) {
        if (handOffFull) {
            return false;
        }
        if (connection.shard().committer().trySubmit(work)) {
            handedIn++;
            return true;
        }
        handOffFull = true;
        connection.counters().creditStalls.increment();
        connection.shard().committer().onRoom(() -> connection.mailbox().post(this::onHandOffRoom));
        return false;
    }

    /** The committer's answer has been passed on. */
    void answered() {
        if (--handedIn == 0) {
            connection.onIdle();
        }
    }

    /** What still waits for a full address or for room was never handed in and needs no answer. */
    boolean isIdle() {
        return handedIn == 0;
    }

    private void onHandOffRoom() {
        handOffFull = false;
        for (Waiting waiter : List.copyOf(waiting)) {
            waiter.advance();
        }
    }

    void waits(Waiting waiter) {
        waiting.add(waiter);
    }

    void waitsNoMore(Waiting waiter) {
        waiting.remove(waiter);
    }

    // ---- credit

    /** The link has used enough of its credit; it is given more at the end of the batch. */
    void wantCredit(PublisherLink link) {
        creditWanted.add(link);
    }

    boolean mayGiveCredit() {
        return !handOffFull && !isFull() && !connection.isStopping() && !isHeldBack() && connection.canWrite();
    }

    void endOfBatch() {
        while (!deferred.isEmpty() && bytes < bytesMax / 2 && !isHeldBack()) {
            Deferred next = deferred.poll();
            unread(-next.bytes);
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

    void forget(PublisherLink link) {
        creditWanted.remove(link);
        unread.remove(link);
        deferred.removeIf(item -> {
            if (item.link == link) {
                giveBack(link.receiver().getSession(), item.delivery.available());
                unread(-item.bytes);
            }
            return item.link == link;
        });
    }
}
