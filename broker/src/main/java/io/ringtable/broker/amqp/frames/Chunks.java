package io.ringtable.broker.amqp.frames;

import java.util.function.BooleanSupplier;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Session;

/**
 * Passes transfers on in parts, so that what was read and not written yet is little. Thread: the event loop of both
 * connections.
 */
public final class Chunks {
    /** Lists how far a transfer has come. */
    public enum Passed {
        /** Means that the transfer has ended. */
        ALL,
        /** Means that its next frame is on its way. */
        ALL_THAT_CAME,
        /** Means that the other end has no room. */
        NO_ROOM,
        /** Means that no more may be kept. */
        NOT_KEPT
    }

    /** Keeps what is read of a transfer. */
    public interface Keeper {
        /** Keeps nothing. */
        Keeper NONE = new Keeper() {
            @Override
            public boolean mayRead(int more) {
                return true;
            }

            @Override
            public void read(byte[] part) {}
        };

        /** Tells whether so many bytes may be read now. */
        boolean mayRead(int more);

        /** Hears what was read after that; the array does not change. */
        void read(byte[] part);
    }

    private static final int BYTES = 32 * 1024;

    private ProtonBuffer rest; // read, and not written

    /** Begins a transfer of which something was read before. @param read null if nothing was */
    public void begin(byte[] read) {
        if (read != null) {
            rest = ProtonByteArrayBufferAllocator.wrapped(read, 0, read.length);
        }
    }

    /**
     * Passes on what has come of a transfer.
     *
     * @param hasRoom tells whether more may be written
     * @param keeper keeps what is read
     */
    public Passed pass(IncomingDelivery from, RelayedTransfer to, BooleanSupplier hasRoom, Keeper keeper) {
        while (true) {
            if (rest == null && from.available() > 0) {
                int length = Math.min(BYTES, from.available());
                if (!keeper.mayRead(length)) {
                    return Passed.NOT_KEPT;
                }
                byte[] part = read(from, length);
                keeper.read(part);
                rest = ProtonByteArrayBufferAllocator.wrapped(part, 0, length);
            }
            boolean last = !from.isPartial() && from.available() == 0;
            if (rest == null && !last) {
                return Passed.ALL_THAT_CAME;
            }
            to.write(rest, last);
            if (rest != null && rest.isReadable()) {
                return Passed.NO_ROOM;
            }
            rest = null;
            if (last) {
                return Passed.ALL;
            }
            if (from.available() > 0 && !hasRoom.getAsBoolean()) {
                return Passed.NO_ROOM;
            }
        }
    }

    /** Forgets what was read of a transfer that will not go on. */
    public void forget() {
        rest = null;
    }

    /** Reads bytes that have come, at least 1, and makes room in the session's window. */
    private static byte[] read(IncomingDelivery delivery, int length) {
        Session session = delivery.getLink().getSession();
        int before = session.getRemainingIncomingCapacity();
        byte[] bytes = new byte[length];
        delivery.readBytes(bytes, 0, length);
        if (session.getRemainingIncomingCapacity() == before) {
            giveBack(session, length); // the link is closed at its other end: protonj2 counts no more
        }
        return bytes;
    }

    /** Forgets what has come, and makes room in the session's window; the link is open at this end. */
    public static void discard(IncomingDelivery delivery) {
        if (delivery.available() > 0) {
            read(delivery, delivery.available());
        }
    }

    /** Makes room in the session's window for bytes that nobody will read. */
    public static void giveBack(Session session, int bytes) {
        if (session.getIncomingCapacity() > 0) {
            session.setIncomingCapacity(session.getIncomingCapacity() + bytes);
        }
    }
}
