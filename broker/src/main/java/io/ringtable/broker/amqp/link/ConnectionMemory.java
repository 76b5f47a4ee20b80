package io.ringtable.broker.amqp.link;

import io.ringtable.broker.amqp.settings.AmqpSettings;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Counts what one connection holds in memory, in every form, and has the connection closed when that is too much.
 * <p>
 * Thread: the connection's event loop.
 */
public final class ConnectionMemory {
    /** What a link takes, whatever its state. */
    private static final long LINK_BYTES = 4_096;

    private final long bufferedMax;
    private final long totalMax;
    private final long allMax;
    private final Consumer<ErrorCondition> close;
    private long withoutOutcome; // bytes of transfers
    private long unfinished; // bytes read of transfers whose end has not come
    private long unread; // bytes that wait in the engine
    private long inTransactions; // bytes
    private long links; // of every state
    private HeldBytes.Part part; // null before the connection is open
    private boolean closing;

    /** @param close is told why the connection is to be closed, once, while something of it is being gone through */
    public ConnectionMemory(AmqpSettings settings, Consumer<ErrorCondition> close) {
        this.bufferedMax = settings.bufferedBytesMax();
        this.totalMax = settings.heldBytesMax();
        this.allMax = settings.allHeldBytesMax();
        this.close = close;
    }

    /** The user is known, whose connections share a bound. */
    public void begin(HeldBytes.Part counted) {
        part = counted;
    }

    /** The connection is gone, and what it held. */
    public void lost() {
        if (part != null) {
            part.leave();
            part = null;
        }
    }

    /** @param bytes more of transfers that wait for their outcome, or fewer if negative */
    public void withoutOutcome(long bytes) {
        withoutOutcome += bytes;
        changed();
    }

    /** @param bytes more of transfers whose end has not come, or fewer if negative */
    public void unfinished(long bytes) {
        unfinished += bytes;
        changed();
    }

    /** @param bytes more of transfers left unread in the engine, or fewer if negative */
    public void unread(long bytes) {
        unread += bytes;
        changed();
    }

    /** @param bytes more that open transactions hold, or fewer if negative */
    public void inTransactions(long bytes) {
        inTransactions += bytes;
        changed();
    }

    /** Bytes that open transactions hold. */
    public long inTransactions() {
        return inTransactions;
    }

    /** @param more links that the client has attached and not detached, or fewer if negative */
    public void links(int more) {
        links += more;
        changed();
    }

    /** Whether there is no room for another transfer. */
    public boolean isFull() {
        long held = withoutOutcome + unfinished;
        return held >= bufferedMax || part != null && held > 0 && held >= part.share();
    }

    /** Whether there is room again for transfers that were left unread. */
    public boolean hasRoomAgain() {
        return withoutOutcome < bufferedMax / 2;
    }

    private void changed() {
        long held = withoutOutcome + unfinished + unread + inTransactions + LINK_BYTES * links;
        if (part != null) {
            part.holds(held);
        }
        if (closing) {
            return;
        }
        if (held > totalMax) {
            closing = true;
            close.accept(overTotal());
        } else if (part != null && part.isTooMuch(held)) {
            closing = true;
            close.accept(overShare(held));
        }
    }

    private ErrorCondition overShare(long held) {
        return Conditions.limit(
                "RT-4326",
                "the connection holds " + held
                        + " bytes while all connections hold half as much again as"
                        + " amqp.all-held-bytes-max=" + allMax
                        + ", and each has room for an equal share: publish on fewer links and sessions at once,"
                        + " end what was begun, or raise it");
    }

    private ErrorCondition overTotal() {
        return Conditions.limit(
                "RT-4321",
                "the connection holds more than amqp.held-bytes-max=" + totalMax + " bytes (transfers without an end "
                        + unfinished + ", unread " + unread + ", without an outcome " + withoutOutcome
                        + ", in transactions " + inTransactions + ", for links " + LINK_BYTES * links
                        + "): publish on fewer links and sessions at once, end what was begun, or raise it");
    }
}
