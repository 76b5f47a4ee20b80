package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.HandOff;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.UserLimit;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import io.ringtable.broker.watermark.Watermarks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Session;

/**
 * Decides when the publishing links of one connection are read and get credit. A full committer stops the credit of its
 * own links. Too many bytes stop credit and reading, never the socket, so that settlements go on. While there is no
 * room, the transfer that began first goes on, so that each of them ends. A user who has used up its rate gets no
 * credit until time has paid for it; what has credit is read.
 * <p>
 * Thread: the connection's event loop.
 */
public final class FlowControl {
    /** Sets the least window of a session. */
    private static final int SESSION_FRAMES_LEAST = 16;
    /** Bounds the time until the next look at a rate that is used up: a lost connection is not kept for longer. */
    private static final long LOOK_MS = 1_000;

    private record Deferred(PublisherLink link, IncomingDelivery delivery, int bytes) {}

    private final OpenConnection connection;
    private final ConnectionMemory memory;
    private final HandOff handOff;
    private final Watermarks watermarks;
    private final long bufferedMax; // bytes
    private final int frameMax; // bytes
    private int sessions; // that are open
    private long windowsGiven; // to them, in bytes
    private final ArrayDeque<Deferred> deferred = new ArrayDeque<>(); // complete in protonj2, unread
    private final Set<PublisherLink> unfinished = new LinkedHashSet<>(); // in the order in which they began
    private final Set<PublisherLink> unread = new LinkedHashSet<>(); // the beginning of a transfer waits in protonj2
    private final List<PublisherLink> creditWanted = new ArrayList<>();
    private UserLimit limit = UserLimit.NONE; // until the connection is open
    private boolean looking; // whether the rate has been paid for, at a time that is set

    public FlowControl(
            OpenConnection connection,
            AmqpProperties settings,
            ConnectionMemory memory,
            HandOff handOff,
            Watermarks watermarks) {
        this.connection = connection;
        this.memory = memory;
        this.handOff = handOff;
        this.watermarks = watermarks;
        this.bufferedMax = settings.bufferedBytesMax().toBytes();
        this.frameMax = (int) settings.maxFrameSize().toBytes();
    }

    /** Begins to count what is published for the user whose connection is open now. */
    public void begin(UserLimit ofUser) {
        limit = ofUser;
    }

    // ---- sessions

    /**
     * Counts a session, and returns what its window lets in beyond what has been read, in bytes. The first sessions get
     * much, later ones half of what is left of twice the bound. The window counts frames, so it is generous for small
     * messages. Frames that are read immediately never count.
     */
    public int beginSession() {
        long left = Math.max(0, 2 * bufferedMax - windowsGiven);
        long capacity = Math.min(bufferedMax, Math.max(leastCapacity(frameMax), left / 2));
        windowsGiven += capacity;
        sessions++;
        return (int) Math.min(Integer.MAX_VALUE / 2, capacity);
    }

    /** Returns what the window of any session lets in, in bytes. @param frameMax bytes of the largest frame */
    public static int leastCapacity(int frameMax) {
        return SESSION_FRAMES_LEAST * frameMax;
    }

    public void sessionEnded(int capacity) {
        windowsGiven -= capacity;
        sessions--;
    }

    /** Returns how many sessions are open. */
    public int sessions() {
        return sessions;
    }

    /** Gives back what protonj2 counts against the session's window although nobody will read it. */
    static void giveBack(Session session, int unreadBytes) {
        session.setIncomingCapacity(session.getIncomingCapacity() + unreadBytes);
    }

    // ---- reading

    /**
     * Tells whether a link's transfer may be read: there is room, or the transfer began first and goes on without. It
     * does not while an earlier one of its link waits, of which a part may have been read.
     */
    boolean mayRead(PublisherLink link) {
        if (isHeldBack() && link.waitingRoom().isPatient()) {
            return false;
        }
        boolean beganFirst = !unfinished.isEmpty() && unfinished.iterator().next() == link;
        return !isFull() || beganFirst && !hasDeferred(link);
    }

    /** Tells whether arriving frames stay unread in protonj2, where they narrow the session's window. */
    private boolean isFull() {
        return memory.isFull() || !deferred.isEmpty();
    }

    /** Tells whether transfers must wait although they have credit, since the broker runs short of a resource. */
    private boolean isHeldBack() {
        return watermarks.isReached();
    }

    /** Counts more bytes read of a transfer whose end has not come. */
    void unfinished(PublisherLink link, int more) {
        unfinished.add(link);
        memory.unfinished(more);
    }

    /** Ends the count of a transfer that has ended, or never will. @param all of its bytes that were counted */
    void finished(PublisherLink link, int all) {
        unfinished.remove(link);
        memory.unfinished(-all);
    }

    /** Leaves a complete transfer in protonj2. */
    void defer(PublisherLink link, IncomingDelivery delivery, int bytes) {
        deferred.add(new Deferred(link, delivery, bytes));
        connection.waitsForTurn();
    }

    /** Tells whether a complete transfer of a link waits in protonj2. */
    boolean hasDeferred(PublisherLink link) {
        return deferred.stream().anyMatch(item -> item.link == link);
    }

    /** Lets go of the transfers of a link that wait in protonj2. @return those that are complete, in their order */
    List<IncomingDelivery> withdraw(PublisherLink link) {
        List<IncomingDelivery> its = new ArrayList<>();
        deferred.removeIf(item -> {
            if (item.link == link) {
                memory.unread(-item.bytes);
                its.add(item.delivery);
            }
            return item.link == link;
        });
        unread.remove(link);
        return its;
    }

    /** Leaves the beginning of a transfer in protonj2. */
    void leftUnread(PublisherLink link) {
        unread.add(link);
        connection.waitsForTurn();
    }

    // ---- credit

    /** Asks for credit at {@link #endOfBatch}: the link has used enough of its own. */
    void wantCredit(PublisherLink link) {
        creditWanted.add(link);
        connection.waitsForTurn();
    }

    boolean mayGiveCredit() {
        return isReady() && !isHeldBack();
    }

    private boolean isReady() {
        return !isFull() && !connection.isStopping() && connection.canWrite() && !limit.isUsedUp();
    }

    /** Counts what a transfer takes of the user's rate. */
    void published(int messages, int bytes) {
        limit.take(messages, bytes);
    }

    /** Returns how many transfers a link may have on their way. @param bytes of a usual one */
    int window(int most, int bytes) {
        return limit.window(most, bytes);
    }

    /**
     * Returns what keeps a link from getting credit that its target would give; null if nothing does.
     *
     * @param stalled whether the committer of its messages takes none
     * @param transfers whether the link has some without an outcome
     */
    WaitsFor waitsFor(boolean stalled, boolean transfers) {
        if (isHeldBack()) {
            return WaitsFor.WATERMARK;
        }
        if (stalled) {
            return WaitsFor.COMMITTER;
        }
        if (isFull()) {
            return WaitsFor.MEMORY;
        }
        if (limit.isUsedUp()) {
            return WaitsFor.RATE;
        }
        if (!connection.canWrite()) {
            return WaitsFor.READING;
        }
        return transfers ? WaitsFor.OUTCOMES : null;
    }

    /** Looks again when time has paid for what the user has published. */
    private void lookAgain() {
        long waitMs = limit.waitMs();
        if (waitMs > 0 && !looking) {
            looking = true;
            limit.stalled();
            connection.mailbox().later(() -> looking = false, Math.min(waitMs, LOOK_MS));
        }
    }

    // ---- after everything that arrived together

    /** Tells whether a transfer waits to be read, or a link for credit: {@link #endOfBatch} has something to do. */
    public boolean hasWaiting() {
        return !creditWanted.isEmpty() || !deferred.isEmpty() || !unread.isEmpty();
    }

    public void endOfBatch() {
        while (!deferred.isEmpty() && memory.hasRoomAgain() && !isHeldBack()) {
            Deferred next = deferred.poll();
            memory.unread(-next.bytes);
            next.link.take(next.delivery);
        }
        takeUnread();
        if (creditWanted.isEmpty()) {
            return;
        }
        if (!isReady()) {
            lookAgain();
            return; // the links stay listed until a later call
        }
        if (isHeldBack() || handOff.isFull()) {
            giveSome();
            return;
        }
        for (int i = 0; i < creditWanted.size(); i++) { // giving credit may end a link
            creditWanted.get(i).giveCredit();
        }
        creditWanted.clear();
    }

    /** Gives credit to the links that neither a shortage nor their committer holds back; the others stay listed. */
    private void giveSome() {
        List<PublisherLink> listed = List.copyOf(creditWanted);
        creditWanted.clear();
        for (PublisherLink link : listed) {
            if (link.isServed(isHeldBack())) {
                link.giveCredit();
            } else if (!link.isEnded()) {
                creditWanted.add(link);
            }
        }
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
                return; // no link has room
            }
        }
    }

    /** Forgets a link that has ended. */
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
