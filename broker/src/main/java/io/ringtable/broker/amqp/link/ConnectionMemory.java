package io.ringtable.broker.amqp.link;

import io.ringtable.broker.config.AmqpProperties;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Counts what one connection holds in memory, in every form, and closes the connection when that is too much.
 * <p>
 * Thread: the connection's event loop.
 */
public final class ConnectionMemory {
    /** Estimates what a link takes, whatever its state. */
    private static final long LINK_BYTES = 4_096;

    private final long bufferedMax;
    private final long totalMax;
    private final long allMax;
    private final Consumer<ErrorCondition> close;
    private long withoutOutcome; // bytes of transfers
    private long unfinished; // bytes read of transfers whose end has not come
    private long unread; // bytes that wait in protonj2
    private long inTransactions; // bytes
    private long ofManagement; // bytes
    private long passedOn; // bytes of transfers, kept until their outcome
    private long links; // of every state
    private HeldBytes.Part part; // null before the connection is open
    private boolean closing;

    /**
     * Makes a count of nothing.
     *
     * @param close hears once why the connection must close, while the caller may be going through its links or
     *     transfers
     */
    public ConnectionMemory(AmqpProperties settings, Consumer<ErrorCondition> close) {
        this.bufferedMax = settings.bufferedBytesMax().toBytes();
        this.totalMax = settings.heldBytesMax().toBytes();
        this.allMax = settings.allHeldBytesMax().toBytes();
        this.close = close;
    }

    /** Begins to count against the bound that the connections of a user share: the user is known. */
    public void begin(HeldBytes.Part counted) {
        part = counted;
    }

    /** Ends the count: the connection is gone, and what it held. */
    public void lost() {
        if (part != null) {
            part.leave();
            part = null;
        }
    }

    /** Counts transfers that wait for their outcome. @param bytes more, or fewer if negative */
    public void withoutOutcome(long bytes) {
        withoutOutcome += bytes;
        changed();
    }

    /** Counts transfers whose end has not come. @param bytes more, or fewer if negative */
    public void unfinished(long bytes) {
        unfinished += bytes;
        changed();
    }

    /** Counts transfers left unread in protonj2. @param bytes more, or fewer if negative */
    public void unread(long bytes) {
        unread += bytes;
        changed();
    }

    /** Counts what open transactions hold. @param bytes more, or fewer if negative */
    public void inTransactions(long bytes) {
        inTransactions += bytes;
        changed();
    }

    /** Returns the bytes that open transactions hold. */
    public long inTransactions() {
        return inTransactions;
    }

    /** Counts requests to the management node, and their answers. @param bytes more, or fewer if negative */
    public void ofManagement(long bytes) {
        ofManagement += bytes;
        changed();
    }

    /** Counts transfers that went to another node, and are kept until their outcome. @param bytes as above */
    public void passedOn(long bytes) {
        passedOn += bytes;
        changed();
    }

    /** Counts links that the client has attached and not detached. @param more links, or fewer if negative */
    public void links(int more) {
        links += more;
        changed();
    }

    /** Tells whether there is no room for another transfer. */
    public boolean isFull() {
        long held = withoutOutcome + unfinished;
        return held >= bufferedMax || part != null && held > 0 && held >= part.share();
    }

    /** Tells whether there is room again for transfers that were left unread. */
    public boolean hasRoomAgain() {
        return withoutOutcome < bufferedMax / 2;
    }

    /** Returns the bytes that the connection holds in every form. */
    public long held() {
        return withoutOutcome + unfinished + unread + inTransactions + ofManagement + passedOn + LINK_BYTES * links;
    }

    private void changed() {
        long held = held();
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
                        + " bytes, more than its equal share, while all connections hold half as much again as"
                        + " ringtable.amqp.all-held-bytes-max=" + allMax
                        + ": raise it. Or use fewer links and sessions at a time, and finish open transfers and"
                        + " transactions");
    }

    private ErrorCondition overTotal() {
        return Conditions.limit(
                "RT-4321",
                "the connection holds more than ringtable.amqp.held-bytes-max=" + totalMax
                        + " bytes: raise it, use fewer links and sessions at a time, or finish open transfers and"
                        + " transactions. Bytes held: transfers without an end " + unfinished
                        + ", unread " + unread + ", without an outcome " + withoutOutcome
                        + ", in transactions " + inTransactions + ", of management " + ofManagement + ", passed on "
                        + passedOn + ", for links "
                        + LINK_BYTES * links);
    }
}
