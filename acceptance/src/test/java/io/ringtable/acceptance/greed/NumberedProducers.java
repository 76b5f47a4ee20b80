package io.ringtable.acceptance.greed;

import io.ringtable.wire.RingtableSymbols;
import java.util.Map;
import org.apache.qpid.protonj2.types.transport.Attach;

/** Opens 5,000 numbered producers at once, each under a new name. */
final class NumberedProducers extends ManyAttaches {
    @Override
    int links() {
        return 5_000;
    }

    @Override
    Attach attach(int handle, String name, long number) {
        return GreedyConnection.sender(handle, name, "numbered", "queue")
                .setProperties(Map.of(RingtableSymbols.PRODUCER, "producer " + number));
    }
}
