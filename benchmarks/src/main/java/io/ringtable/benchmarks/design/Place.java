package io.ringtable.benchmarks.design;

/**
 * Holds what one session leaves for the next one that does the same: the number that is still to be pushed or popped.
 * Thread: one at a time.
 */
final class Place {
    static final int PUSHES = -1;

    private final DesignDatabase database;
    private final int subscriber;
    private Long pending;

    /** @param subscriber for which it pops, or {@link #PUSHES} */
    Place(DesignDatabase database, int subscriber) {
        this.database = database;
        this.subscriber = subscriber;
    }

    boolean pushes() {
        return subscriber == PUSHES;
    }

    boolean hasPending() {
        return pending != null;
    }

    Session open() {
        return pushes() ? database.pusher(pending) : database.popper(subscriber, pending);
    }

    void close(Session session) {
        pending = session.pending();
        session.close();
    }
}
