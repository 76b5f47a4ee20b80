package io.ringtable.broker.work;

/**
 * Where a connection's outcomes and deliveries gather, to be taken by its event loop.
 * <p>
 * Thread: any calls {@link #wake}; it never blocks. Called once per flush however much was put in.
 */
public interface Mailbox {
    void wake();

    /** For those that nobody's event loop waits for. */
    Mailbox NONE = () -> {};
}
