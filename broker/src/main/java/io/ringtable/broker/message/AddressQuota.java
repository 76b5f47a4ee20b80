package io.ringtable.broker.message;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what an address owes against its bounds. Owed messages and credit given to publishers occupy places. Messages
 * occupy bytes from the moment they arrive, so the bound in bytes holds whatever credit was given before.
 * <p>
 * Thread: any, by compare-and-set. Links reserve places before they give credit, and release those that they did not
 * use. Every message that is handed to the committer holds a place and its bytes. The committer gives them back once
 * the last reference is durably settled, or if the message is not stored.
 */
public final class AddressQuota {
    /** Limits how many waiters one release of room wakes; each of them wakes the next if it leaves room. */
    private static final int WAKE_MAX = 16;

    private final long usualMessagesMax;
    private final long usualBytesMax;
    private volatile long messagesMax; // written by committer, read by any
    private volatile long bytesMax; // as messagesMax
    private final AtomicLong messages = new AtomicLong(); // owed and reserved
    private final AtomicLong bytes = new AtomicLong(); // owed, or on their way to the store
    private final AtomicInteger held = new AtomicInteger(); // subscriptions in memory that have no room
    private final Waiters waiters = new Waiters();
    private volatile boolean closed; // written by committer, read by any
    private volatile boolean going; // written by whoever has the turn of the address's name, read by any

    /**
     * Makes an empty quota, whose bounds count wherever no policy says others.
     *
     * @param messagesMax most messages owed or reserved; at least 1
     * @param bytesMax most bytes owed or on their way to the store; at least 1
     */
    public AddressQuota(long messagesMax, long bytesMax) {
        if (messagesMax < 1 || bytesMax < 1) {
            throw new IllegalArgumentException("a quota is below 1: messages=" + messagesMax + " bytes=" + bytesMax);
        }
        this.usualMessagesMax = messagesMax;
        this.usualBytesMax = bytesMax;
        this.messagesMax = messagesMax;
        this.bytesMax = bytesMax;
    }

    /**
     * Takes the bounds of a policy. Messages that are owed stay, even beyond a bound: then nothing is taken until there
     * is room. Waiters go on at once if there is room now. Thread: committer; before it starts, the starter of the
     * shard.
     */
    public void limit(QuotaLimits policy) {
        messagesMax = policy.messagesMax() == 0 ? usualMessagesMax : policy.messagesMax();
        bytesMax = policy.bytesMax() == 0 ? usualBytesMax : policy.bytesMax();
        wakeWaiting();
    }

    public long messagesMax() {
        return messagesMax;
    }

    public long bytesMax() {
        return bytesMax;
    }

    /** Returns the number of messages owed or reserved. */
    public long messages() {
        return messages.get();
    }

    public long bytes() {
        return bytes.get();
    }

    /**
     * Tells whether more places are taken than there may be now, since the bound was lowered. Then each publisher gives
     * back the places of messages that have not come, or wait: nothing is taken before there is room.
     */
    public boolean isBeyond() {
        return messages.get() > messagesMax;
    }

    /** Takes up to {@code wanted} places. @return how many; 0 if the address is full */
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

    /** Takes all the given places and bytes, or nothing. @param places 0 if the caller holds them already */
    public boolean tryReserve(int places, long messageBytes) {
        if (!hasRoomFor(places, messageBytes) || !take(bytes, messageBytes, bytesMax)) {
            return false;
        }
        if (places > 0 && !take(messages, places, messagesMax)) {
            freed(0, messageBytes); // other threads were faster by a moment
            return false;
        }
        return true;
    }

    /** Tells whether {@link #tryReserve} would succeed now. */
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

    /** Gives back places, and bytes of messages, that nobody will owe. */
    public void release(int places, long messageBytes) {
        freed(places, messageBytes);
    }

    /**
     * Counts messages that recovery found owed, or that the broker itself wrote: they take their place whatever the
     * bound.
     */
    public void occupied(long count, long messageBytes) {
        messages.addAndGet(count);
        bytes.addAndGet(messageBytes);
    }

    /** Gives back what messages held whose last reference is durably settled. */
    public void freed(long count, long messageBytes) {
        bytes.addAndGet(-messageBytes);
        messages.addAndGet(-count);
        wakeWaiting();
    }

    /**
     * Says that the address moves to another shard: the committer stores nothing in this one any more. Publishers that
     * wait for room hear of it at once. Thread: committer; whoever hears that the address moves already.
     */
    public void close() {
        closed = true;
        waiters.wake(Integer.MAX_VALUE);
    }

    /** Takes {@link #close} back: the address stays. Thread: as there. */
    public void reopen() {
        closed = false;
    }

    /** Tells whether the address moves to another shard, where publishers find it. */
    public boolean isClosed() {
        return closed;
    }

    /** Says that the address is being deleted at several nodes: nobody reserves a place, and nothing more is stored. */
    public void goes() {
        if (!going) {
            going = true;
            hold();
        }
    }

    /** Takes {@link #goes} back: the address stays. Thread: as there. */
    public void stays() {
        if (going) {
            going = false;
            resume();
        }
    }

    /** Tells whether the address is being deleted, or somebody looks whether it can be. */
    public boolean isGoing() {
        return going;
    }

    /** Stops all reservations until {@link #resume}: a subscription in memory has no room. */
    public void hold() {
        held.incrementAndGet();
    }

    public void resume() {
        if (held.decrementAndGet() == 0) {
            wakeWaiting();
        }
    }

    /** Tells whether subscriptions in memory stop all reservations. */
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
     * Calls the listener once when there is room, on the thread that makes it; immediately if there is room already.
     * The listener must ensure a call of {@link #passOn}, unless it waits again.
     *
     * @return stops waiting; may be called more than once
     */
    public Runnable onRoom(Runnable listener) {
        Runnable stop = waiters.add(listener);
        wakeWaiting();
        return stop;
    }

    /**
     * Calls the listener once when more becomes free: for callers that need more than the present room. Callers must
     * try again after this call.
     */
    public Runnable onMoreRoom(Runnable listener) {
        return waiters.add(listener);
    }

    /** Wakes the next waiter if there is room left: a woken waiter needs no more. */
    public void passOn() {
        wake(1);
    }

    /** Tells whether {@link #reserve} would grant anything now. */
    public boolean hasRoom() {
        return messages.get() < messagesMax && bytes.get() < bytesMax && held.get() == 0;
    }
}
