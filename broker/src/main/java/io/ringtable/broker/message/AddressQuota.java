package io.ringtable.broker.message;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What may be owed on an address, and what of it is taken: places by messages that are owed and by credit given to publishers,
 * bytes by messages from the moment they arrive. So the bound in bytes holds whatever credit was given before.
 * <p>
 * Thread: any, by compare-and-set. Links reserve places before they give credit and release what they did not use; every
 * message that is handed to the committer holds a place and its bytes, which the committer gives back once the last
 * reference is durably settled, or if it is not stored.
 */
public final class AddressQuota {
    /** So many who wait are woken by whoever makes room; each of them wakes the next one if it leaves some. */
    private static final int WAKE_MAX = 16;

    private final long messagesMax;
    private final long bytesMax;
    private final AtomicLong messages = new AtomicLong(); // owed and reserved
    private final AtomicLong bytes = new AtomicLong(); // owed, or on their way to be
    private final AtomicInteger held = new AtomicInteger(); // readers in memory that have no room
    private final Waiters waiters = new Waiters();

    /**
     * @param messagesMax most messages owed or reserved; at least 1
     * @param bytesMax most bytes owed or on their way; at least 1
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

    /** Takes exactly so many places and bytes, or nothing. @param places 0 if they are held already */
    public boolean tryReserve(int places, long messageBytes) {
        if (!hasRoomFor(places, messageBytes) || !take(bytes, messageBytes, bytesMax)) {
            return false;
        }
        if (places > 0 && !take(messages, places, messagesMax)) {
            freed(0, messageBytes); // others were quicker by a moment
            return false;
        }
        return true;
    }

    /** Whether {@link #tryReserve} would take so much now. */
    public boolean hasRoomFor(int places, long messageBytes) {
        return held.get() == 0 && bytes.get() + messageBytes <= bytesMax && messages.get() + places <= messagesMax;
    }

    private static boolean take(AtomicLong counter, long more, long max) {
        while (true) {
            long taken = counter.get();
            if (taken + more > max) {
                return false;
            }
            if (counter.compareAndSet(taken, taken + more)) {
                return true;
            }
        }
    }

    /** Gives back places, and the bytes of messages, that nobody will owe. */
    public void release(int places, long messageBytes) {
        freed(places, messageBytes);
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

    /** Whether readers in memory keep it from taking anything. */
    public boolean isHeld() {
        return held.get() > 0;
    }

    private void wakeWaiting() {
        wake(WAKE_MAX);
    }

    private void wake(int most) {
        if (!waiters.isEmpty() && hasRoom()) {
            waiters.wake((int) Math.max(1, Math.min(most, messagesMax - messages.get())));
        }
    }

    /**
     * Calls the listener once when there is room, on whatever thread makes it; at once if there is room already. The listener
     * must see to it that {@link #passOn} is called, unless it waits again.
     *
     * @return stops waiting; may be called more than once
     */
    public Runnable onRoom(Runnable listener) {
        Runnable stop = waiters.add(listener);
        wakeWaiting();
        return stop;
    }

    /** The same when more has become free, for one for whom the room that there is does not suffice: it must try again after this. */
    public Runnable onMoreRoom(Runnable listener) {
        return waiters.add(listener);
    }

    /** Somebody who was woken needs no more: the next one is woken if there is room left. */
    public void passOn() {
        wake(1);
    }

    /** Whether {@link #reserve} would grant anything now. */
    public boolean hasRoom() {
        return messages.get() < messagesMax && bytes.get() < bytesMax && held.get() == 0;
    }
}
