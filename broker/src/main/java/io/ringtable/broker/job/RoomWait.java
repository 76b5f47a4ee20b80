package io.ringtable.broker.job;

import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.work.Mailbox;
import java.util.concurrent.atomic.AtomicBoolean;

/** Wakes a job when an address has room for more. Waits for one address at a time. Thread: jobs. */
final class RoomWait {
    private final Mailbox mailbox;
    private final AtomicBoolean waits = new AtomicBoolean(); // any thread clears it
    private AddressQuota quota; // null = of none
    private Runnable stop = () -> {};

    RoomWait(Mailbox mailbox) {
        this.mailbox = mailbox;
    }

    /** Waits for that address, once; the caller tries again after this call, and whenever it is woken. */
    void of(AddressQuota its) {
        if (its != quota || !waits.get()) {
            end();
            quota = its;
            waits.set(true);
            stop = its.onMoreRoom(() -> {
                waits.set(false);
                mailbox.wake();
            });
        }
    }

    /** Waits no more. */
    void end() {
        if (quota != null) {
            stop.run();
            quota = null;
        }
    }
}
