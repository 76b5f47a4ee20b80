package io.ringtable.broker.amqp;

import io.ringtable.broker.commit.Work;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Session;

/**
 * What one connection has taken from its publishers and not yet answered: bounded in bytes, handed to the committer,
 * and the reason why credit pauses. A full hand-off or too many bytes stop credit and hand-offs, never the socket, so
 * that settlements go on.
 * <p>
 * Thread: the connection's event loop.
 */
final class Intake {
    /** Something that the committer had no room for. */
    interface Waiting {
        /** Tries again, and waits again if it must. */
        void advance();
    }

    private record Deferred(PublisherLink link, IncomingDelivery delivery) {}

    private final AmqpConnection connection;
    private final long bytesMax;
    private long bytes; // of messages without an outcome
    private int handedIn; // transfers that the committer will answer
    private boolean handOffFull;
    private final ArrayDeque<Deferred> deferred = new ArrayDeque<>(); // complete in the engine, unread
    private final Set<PublisherLink> unread = new LinkedHashSet<>(); // the beginning of a transfer waits in the engine
    private final Set<Waiting> waiting = new LinkedHashSet<>();
    private final List<PublisherLink> creditWanted = new ArrayList<>();

    Intake(AmqpConnection connection) {
        this.connection = connection;
        this.bytesMax = connection.settings().bufferedBytesMax();
    }

    /**
     * What a session's window lets in beyond what has been read, in bytes. The window is counted in frames, so this
     * is generous for small messages; what is read at once never counts.
     */
    int sessionCapacity() {
        return (int) Math.min(Integer.MAX_VALUE / 2, bytesMax);
    }

    // ---- memory

    /** Whether what arrives stays unread in the engine, where it narrows the session's window. */
    boolean isFull() {
        return bytes >= bytesMax || !deferred.isEmpty();
    }

    void defer(PublisherLink link, IncomingDelivery delivery) {
        deferred.add(new Deferred(link, delivery));
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
    }

    void finished(long messageBytes) {
        bytes -= messageBytes;
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

    void endOfBatch() {
        while (!deferred.isEmpty() && bytes < bytesMax / 2) {
            Deferred next = deferred.poll();
            next.link.take(next.delivery);
        }
        if (!unread.isEmpty() && !isFull()) {
            List<PublisherLink> again = List.copyOf(unread);
            unread.clear();
            again.forEach(PublisherLink::takeUnread);
        }
        if (creditWanted.isEmpty() || handOffFull || isFull() || connection.isStopping() || !connection.canWrite()) {
            return; // they stay listed until a later batch
        }
        for (int i = 0; i < creditWanted.size(); i++) { // giving may end one
            creditWanted.get(i).giveCredit();
        }
        creditWanted.clear();
    }

    void forget(PublisherLink link) {
        creditWanted.remove(link);
        unread.remove(link);
        deferred.removeIf(item -> {
            if (item.link == link) {
                giveBack(link.receiver().getSession(), item.delivery.available());
            }
            return item.link == link;
        });
    }
}
