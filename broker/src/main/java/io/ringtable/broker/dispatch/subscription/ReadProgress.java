package io.ringtable.broker.dispatch.subscription;

/**
 * Tracks what one subscription reads back from the store: one read at a time, and none while an obstacle is in the way.
 * <p>
 * Thread: dispatcher.
 */
public final class ReadProgress {
    private boolean reading; // a read is under way
    private long ticket; // tells the result from that of a read that was given up
    private int fences; // on their way; when they have passed, earlier settlements are durable
    private boolean parked; // the next message is damaged
    private long missing = -1; // a row that the last read did not find
    private boolean missingInBacklog;

    boolean mayBegin() {
        return !reading && fences == 0 && !parked;
    }

    /** @return the ticket for {@link #end} */
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

    /**
     * Notes a row that was not found.
     *
     * @return whether the last read missed the same row
     */
    public boolean missedAgain(long sequence, boolean inBacklog) {
        boolean again = missing == sequence && missingInBacklog == inBacklog;
        missing = sequence;
        missingInBacklog = inBacklog;
        return again;
    }

    /** Begins no read any more, as the next message is damaged. */
    void park() {
        parked = true;
    }

    /** Lets the damaged message be tried again. */
    void unpark() {
        parked = false;
    }

    /** Returns whether a read is under way, or waits for settlements to be durable. */
    public boolean isUnderWay() {
        return reading || fences > 0;
    }

    public boolean isParked() {
        return parked;
    }
}
