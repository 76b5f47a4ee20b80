package io.ringtable.cli.bridge;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts what a bridge has moved, across interruptions.
 * <p>
 * Thread: the event loop of the bridge writes; any reads the counts.
 */
public final class BridgeTally {
    private volatile long moved; // written by the event loop, read by the command
    private volatile long repeated; // written by the event loop, read by the command
    private volatile long interruptions; // written by the command's thread

    /** The keys of messages that were sent and whose end the source has not confirmed; true = the target has them. */
    private final Map<String, Boolean> unconfirmed = new HashMap<>();

    /** Returns how many messages the target has and the source has let go of. */
    public long moved() {
        return moved;
    }

    /** Returns how many messages the source has sent again after an interruption of this run. */
    public long repeated() {
        return repeated;
    }

    /** Returns how often messages could go no further and the bridge had to connect anew. */
    public long interruptions() {
        return interruptions;
    }

    void interrupted() {
        interruptions++;
    }

    /** Counts a message that has arrived. @return whether the target has it already */
    boolean arrived(String key) {
        if (key == null) {
            return false;
        }
        Boolean accepted = unconfirmed.putIfAbsent(key, false);
        if (accepted != null) {
            repeated++;
        }
        return accepted != null && accepted;
    }

    /** Remembers that the target has a message. */
    void accepted(String key) {
        if (key != null) {
            unconfirmed.put(key, true);
        }
    }

    /** Counts a message that the source has let go of. */
    void confirmed(String key) {
        moved++;
        if (key != null) {
            unconfirmed.remove(key);
        }
    }
}
