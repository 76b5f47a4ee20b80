package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Performatives;
import java.io.IOException;
import java.util.Map;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;

/**
 * 2,000 consumers of a queue, each with a selector that wants nothing, and messages as fast as they are taken, a few at
 * once.
 */
final class QueueSelectors implements Attack {
    private static final int AT_ONCE = 100;

    @Override
    public void prepare(Victim victim) throws IOException {
        Crowd.attach(
                victim,
                "consumer",
                number -> Crowd.selecting(
                        Performatives.source("selected-of-queue", "queue"), "text LIKE '%none of " + number + "%'"),
                1_000);
    }

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        try (GreedyConnection connection = victim.connect("publisher", 1)) {
            connection.send(0, Performatives.sender(0, "p.0", "selected-of-queue", "queue"));
            byte[] message = connection.section(new ApplicationProperties(Map.of("text", "n".repeat(100))));
            for (long n = 0; ; n++) {
                long number = n;
                connection.await(() -> connection.sendLimit(0, 0) > number);
                connection.awaitOutcomes(n + 1 - AT_ONCE);
                connection.transfer(0, 0, n, message);
                victim.deeds().add("messages that nobody wants");
            }
        }
    }

    @Override
    public Bite bite() {
        return new Bite("messages that nobody wants", 1_000);
    }
}
