package io.ringtable.broker.amqp.frames;

import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.types.transport.DeliveryState;

/**
 * Writes one transfer in parts, and hears what the peer says of it. {@link RelayedTransfers} makes it.
 * <p>
 * Thread: the connection's event loop.
 */
public final class RelayedTransfer {
    private final RelayedTransfers frames;
    private final OutgoingDelivery delivery; // settled, as far as protonj2 knows
    private final boolean settled;
    private final Runnable onSaid;
    private int channel;
    private int id;
    private boolean begun; // its first frame has left
    private boolean complete;
    private boolean over; // settled by either end, or forgotten
    private DeliveryState remoteState;
    private boolean remotelySettled;

    RelayedTransfer(RelayedTransfers frames, OutgoingDelivery delivery, boolean settled, Runnable onSaid) {
        this.frames = frames;
        this.delivery = delivery;
        this.settled = settled;
        this.onSaid = onSaid;
    }

    /**
     * Writes as much as the session's window takes.
     *
     * @param bytes those that are written are read; null = none
     * @param last whether the transfer ends with them
     */
    public void write(ProtonBuffer bytes, boolean last) {
        frames.write(this, bytes, last, false);
        complete |= last && (bytes == null || !bytes.isReadable());
    }

    /** Aborts the transfer, which has begun; the session's window must be open. */
    public void abort() {
        frames.write(this, null, true, true);
        complete = true;
        forget();
    }

    /** Tells the peer, who has not settled the transfer, what this end says of it. */
    public void settle(DeliveryState state) {
        if (!over && begun) {
            frames.tell(this, state);
        }
        forget();
    }

    /** Hears nothing of the transfer any more. */
    public void forget() {
        over = true;
        frames.forget(this);
    }

    void said(DeliveryState state, boolean isSettled) {
        if (state != null) {
            remoteState = state;
        }
        remotelySettled |= isSettled;
        over |= isSettled;
        onSaid.run();
    }

    OutgoingDelivery delivery() {
        return delivery;
    }

    boolean awaitsAnswer() {
        return !settled && !over;
    }

    /** Notes under which id the first frame leaves. */
    void began(int itsChannel, int itsId) {
        channel = itsChannel;
        id = itsId;
        begun = true;
    }

    boolean isBegun() {
        return begun;
    }

    int channel() {
        return channel;
    }

    int id() {
        return id;
    }

    /** Tells whether no answer is wanted. */
    public boolean isSettled() {
        return settled;
    }

    /** Tells whether all of it is written. */
    public boolean isComplete() {
        return complete;
    }

    /** Returns what the peer has said last; null before. */
    public DeliveryState remoteState() {
        return remoteState;
    }

    public boolean isRemotelySettled() {
        return remotelySettled;
    }
}
