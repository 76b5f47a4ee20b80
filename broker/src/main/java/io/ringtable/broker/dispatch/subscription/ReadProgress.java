package io.ringtable.broker.dispatch.subscription;

/**
 * Tracks what one subscription reads back from the store: one read at a time, none while something is in its way.
 * <p>
 * Thread: dispatcher.
 */
public final class ReadProgress {
    private boolean reading; // a read is under way
    private long ticket; // tells its result from that of a read that was given up
    private int fences; // on their way: earlier settlements are durable when they have passed
    private boolean parked; // the next message is damaged
    private long missing = -1; // a row that the last read did not find
    private boolean missingInBacklog;

    boolean mayBegin() {
        return !reading && fences == 0 && !parked;
    }

    /** @return the ticket that {@link #end} is to be given */
    public long begin() {
        reading = true;
        return ++ticket;
    }

    /** @return false if that read was given up: what it found is out of date */
    public boolean end(long itsTicket) {
        if (itsTicket != ticket || !reading) {
            return false;
        }
        reading = false;
        return true;
    }

    /** Ignores what the read under way will find. */
    public void giveUp() {
        reading = false;
    }

    /** Begins no read until the fence has passed. */
    void fence() {
        fences++;
    }

    public void fencePassed() {
        fences--;
    }

    /** Notes a row that was not found. @return whether it was the last one that was not found as well */
    public boolean missedAgain(long sequence, boolean inBacklog) {
        boolean again = missing == sequence && missingInBacklog == inBacklog;
        missing = sequence;
        missingInBacklog = inBacklog;
        return again;
    }

    /** Begins no read: the next message is damaged. */
    void park() {
        parked = true;
    }

    /** Lets the damaged message be tried again. */
    void unpark() {
        parked = false;
    }

    public boolean isParked() {
        return parked;
    }
}
