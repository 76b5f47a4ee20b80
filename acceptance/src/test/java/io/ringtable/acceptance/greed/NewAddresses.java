package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Performatives;
import org.apache.qpid.protonj2.types.transport.Attach;

/** Names 5,000 new queues at once. */
final class NewAddresses extends ManyAttaches {
    @Override
    int links() {
        return 5_000;
    }

    @Override
    Attach attach(int handle, String name, long number) {
        return Performatives.sender(handle, name, "new." + number, "queue");
    }
}
