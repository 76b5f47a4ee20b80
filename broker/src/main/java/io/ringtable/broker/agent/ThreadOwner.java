package io.ringtable.broker.agent;

/**
 * Refuses a second thread, by one reference comparison; active in production.
 * <p>
 * The first thread that calls {@link #check} becomes the owner.
 */
public final class ThreadOwner {
    private final String what;
    private Thread owner;

    /** Makes an owner that has no thread yet. @param what the owned state, for the error */
    public ThreadOwner(String what) {
        this.what = what;
    }

    public void check() {
        Thread current = Thread.currentThread();
        if (owner != current) {
            adopt(current);
        }
    }

    private void adopt(Thread current) {
        if (owner != null) {
            throw new IllegalStateException(
                    "RT-2900 " + what + " belongs to thread " + owner.getName() + ", not to " + current.getName());
        }
        owner = current;
    }

    /** Lets the next thread become the owner: after construction or recovery on another thread. */
    public void release() {
        owner = null;
    }
}
