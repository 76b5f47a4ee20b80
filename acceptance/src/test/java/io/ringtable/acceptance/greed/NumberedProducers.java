package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Performatives;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.Attach;

/** Opens 5,000 numbered producers at once, each under a new name. */
final class NumberedProducers extends ManyAttaches {
    private static final Symbol PRODUCER = Symbol.valueOf("ringtable:producer");

    @Override
    int links() {
        return 5_000;
    }

    @Override
    Attach attach(int handle, String name, long number) {
        return Performatives.sender(handle, name, "numbered", "queue")
                .setProperties(Map.of(PRODUCER, "producer " + number));
    }
}
