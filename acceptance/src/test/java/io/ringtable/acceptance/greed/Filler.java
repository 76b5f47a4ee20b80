package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Performatives;
import java.io.IOException;
import org.apache.qpid.protonj2.types.messaging.Data;

/** Fills a queue before anything is measured. */
final class Filler {
    private Filler() {}

    /** Returns when all of them are accepted. */
    static void fill(Victim victim, String queue, int messages, int bytes) throws IOException {
        Victim uncounted = new Victim(victim.port(), new Deeds());
        try (GreedyConnection filler = uncounted.connect("filler", 1)) {
            filler.send(0, Performatives.sender(0, "filler.0", queue, "queue"));
            byte[] message = filler.section(new Data(new byte[bytes]));
            for (int n = 0; n < messages; n++) {
                int number = n;
                filler.await(() -> filler.sendLimit(0, 0) > number);
                filler.transfer(0, 0, n, message);
            }
            filler.awaitOutcomes(messages);
        }
    }
}
