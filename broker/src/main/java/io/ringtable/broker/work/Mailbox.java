package io.ringtable.broker.work;

/**
 * Gathers outcomes and deliveries of a connection until its event loop takes them.
 * <p>
 * Thread: any calls {@link #wake}, which never blocks; once per flush however much was put in.
 */
public interface Mailbox {
    void wake();

    /** Serves work whose outcome no event loop waits for. */
    Mailbox NONE = () -> {};
}
