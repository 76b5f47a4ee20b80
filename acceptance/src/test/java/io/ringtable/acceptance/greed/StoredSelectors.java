package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Performatives;
import java.io.IOException;
import java.util.Map;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;

/**
 * 2,000 durable subscriptions, each with a selector that takes long to say no, and messages as fast as they are taken.
 */
final class StoredSelectors implements Attack {
    private static final int TEXT_CHARACTERS = 30_000;

    @Override
    public void prepare(Victim victim) throws IOException {
        Crowd.attach(victim, "durable", StoredSelectors::source, 1_000);
    }

    private static Source source(int number) {
        Source source = Performatives.source("selected-durably", "topic");
        source.setDurable(TerminusDurability.UNSETTLED_STATE);
        source.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        return Crowd.selecting(source, "text LIKE '%none of " + number + "%'");
    }

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        try (GreedyConnection connection = victim.connect("publisher", 1)) {
            connection.send(0, Performatives.sender(0, "p.0", "selected-durably", "topic"));
            byte[] message = connection.section(new ApplicationProperties(Map.of("text", "n".repeat(TEXT_CHARACTERS))));
            for (long n = 0; ; n++) {
                long number = n;
                connection.await(() -> connection.sendLimit(0, 0) > number);
                connection.transfer(0, 0, n, message);
                victim.deeds().add("messages of 30 KB for all selectors");
            }
        }
    }

    @Override
    public Bite bite() {
        return new Bite("messages of 30 KB for all selectors", 50);
    }
}
