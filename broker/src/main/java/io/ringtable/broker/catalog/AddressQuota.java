package io.ringtable.broker.catalog;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What may be owed on an address, and what of it is taken: by messages that are owed and by credit given to publishers.
 * <p>
 * Thread: any, by compare-and-set. Links reserve before they give credit and release what they did not use; the
 * committer gives back the place of a message once its last reference is durably settled.
 */
public final class AddressQuota {
    private final long messagesMax;
    private final long bytesMax;
    private final AtomicLong messages = new AtomicLong(); // owed and reserved
    private final AtomicLong bytes = new AtomicLong(); // owed
    private final AtomicInteger held = new AtomicInteger(); // readers in memory that have no room
    private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    /**
     * @param messagesMax most messages owed or reserved; at least 1
     * @param bytesMax most bytes owed; no more is reserved above it
     */
    public AddressQuota(long messagesMax, long bytesMax) {
        if (messagesMax < 1 || bytesMax < 1) {
            throw new IllegalArgumentException("a quota is at least 1: messages=" + messagesMax + " bytes=" + bytesMax);
        }
        this.messagesMax = messagesMax;
        this.bytesMax = bytesMax;
    }

    public long messagesMax() {
        return messagesMax;
    }

    public long bytesMax() {
        return bytesMax;
    }

    /** Messages owed or reserved. */
    public long messages() {
        return messages.get();
    }

    public long bytes() {
        return bytes.get();
    }

    /** Takes up to {@code wanted} places; 0 if the address is full. */
    public int reserve(int wanted) {
        if (bytes.get() >= bytesMax || held.get() > 0) {
            return 0;
        }
        while (true) {
            long taken = messages.get();
            int granted = (int) Math.max(0, Math.min(wanted, messagesMax - taken));
            if (granted == 0 || messages.compareAndSet(taken, taken + granted)) {
                return granted;
            }
        }
    }

    /** Takes exactly so many places, or none. */
    public boolean tryReserve(int places) {
        if (bytes.get() >= bytesMax || held.get() > 0) {
            return false;
        }
        while (true) {
            long taken = messages.get();
            if (taken + places > messagesMax) {
                return false;
            }
            if (messages.compareAndSet(taken, taken + places)) {
                return true;
            }
        }
    }

    /** Gives back places that no message took. */
    public void release(int places) {
        freed(places, 0);
    }

    /** A reserved place has become a message that is owed. */
    public void owed(long messageBytes) {
        bytes.addAndGet(messageBytes);
    }

    /** Messages found owed at recovery, or written by the broker itself: they take their place whatever the bound says. */
    public void occupied(long count, long messageBytes) {
        messages.addAndGet(count);
        bytes.addAndGet(messageBytes);
    }

    /** Messages whose last reference is durably settled. */
    public void freed(long count, long messageBytes) {
        bytes.addAndGet(-messageBytes);
        messages.addAndGet(-count);
        wakeWaiting();
    }

    /** A reader that is served from memory has no room: no credit is given until {@link #resume}. */
    public void hold() {
        held.incrementAndGet();
    }

    public void resume() {
        if (held.decrementAndGet() == 0) {
            wakeWaiting();
        }
    }

    private void wakeWaiting() {
        // One pass over those who waited before; a listener that finds no room registers again.
        for (int n = waiting.size(); n > 0; n--) {
            Runnable listener = waiting.poll();
            if (listener == null) {
                return;
            }
            listener.run();
        }
    }

    /** Calls the listener once, on whatever thread frees a place; at once if there is room already. */
    public void onRoom(Runnable listener) {
        waiting.add(listener);
        if (hasRoom() && waiting.remove(listener)) {
            listener.run();
        }
    }

    /** Whether {@link #reserve} would grant anything now. */
    public boolean hasRoom() {
        return messages.get() < messagesMax && bytes.get() < bytesMax && held.get() == 0;
    }
}
