package io.ringtable.spring.boot.health;

/**
 * Is one connection to the broker, as far as health asks. All methods answer at once and never fail.
 * <p>
 * Thread: any.
 */
public interface WatchedConnection {

    /** Tells who connects: {@code jms} or {@code client}. */
    String kind();

    /** Returns whether the application closed it, so that it counts no longer. */
    boolean isOver();

    /** Returns why the connection does not stand; null while it does. */
    String trouble();
}
