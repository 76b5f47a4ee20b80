package io.ringtable.broker.amqp.numbering;

import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.frames.Chunks;
import java.util.ArrayList;
import java.util.List;

/**
 * Is one transfer on its way to the owner, or without an outcome, under the number of one sending.
 * <p>
 * Thread: the event loop of the client's connection.
 *
 * @param <T> what its link passes on
 */
public final class NumberedTransfer<T> implements Chunks.Keeper {
    private final NumberedTransfers<T> link;
    private final T of;
    private final long number;
    private final long previous;
    private List<byte[]> kept = new ArrayList<>(1); // all that was read; null = it cannot go again
    private int bytes; // of that, and of what is read next
    private boolean comesBack;

    NumberedTransfer(NumberedTransfers<T> link, T of, long number, long previous) {
        this.link = link;
        this.of = of;
        this.number = number;
        this.previous = previous;
    }

    /** Returns what the link passes on. */
    public T of() {
        return of;
    }

    /** Returns the delivery tag for the owner, which has the numbers. */
    public byte[] tag() {
        return CarriedProducer.tag(number, previous);
    }

    long number() {
        return number;
    }

    long previous() {
        return previous;
    }

    // ---- what is kept

    /** Returns all that was read of the transfer by {@link #read(byte[])}. */
    public byte[] read() {
        if (kept.size() == 1) {
            return kept.get(0);
        }
        byte[] all = new byte[kept.stream().mapToInt(part -> part.length).sum()];
        int at = 0;
        for (byte[] part : kept) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }

    @Override
    public boolean mayRead(int more) {
        return kept == null || link.mayKeep(this, more);
    }

    @Override
    public void read(byte[] part) {
        if (kept != null) {
            kept.add(part);
        }
    }

    /** Counts bytes that are kept. @param more bytes, or fewer if negative */
    void count(int more) {
        bytes += more;
    }

    /** Returns the bytes that are kept. */
    int bytes() {
        return bytes;
    }

    /** Keeps nothing from now on: the transfer cannot go again. */
    void forget() {
        kept = null;
    }

    boolean isKept() {
        return kept != null;
    }

    // ---- again

    /** Notes that the owner has refused it for one before it. */
    void comesBack() {
        comesBack = true;
    }

    boolean isBack() {
        return comesBack;
    }
}
