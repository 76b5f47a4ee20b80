package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Performatives;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transport.Attach;

/** Asks for 1,500 temporary addresses at once, more than a connection may have. */
final class TemporaryAddresses extends ManyAttaches {
    @Override
    int links() {
        return 1_500;
    }

    @Override
    Attach attach(int handle, String name, long number) {
        Source source = new Source();
        source.setDynamic(true);
        return Performatives.receiver(handle, name, source);
    }
}
