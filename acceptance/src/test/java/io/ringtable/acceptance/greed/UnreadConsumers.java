package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.Performatives;
import java.io.IOException;
import java.time.Duration;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Source;

/** Browsers with all the credit there is on a queue of 1 MB messages, whose client does not read what it gets. */
final class UnreadConsumers implements Attack {
    private static final int MESSAGES = 100;
    private static final int MESSAGE_BYTES = 1_000_000;
    private static final int BROWSERS = 100; // of a connection
    private static final Duration UNREAD = Duration.ofMillis(2_500);
    private static final int READ_MS = 200;

    @Override
    public int attackers() {
        return 2;
    }

    @Override
    public void prepare(Victim victim) throws IOException {
        Filler.fill(victim, "unread", MESSAGES, MESSAGE_BYTES);
    }

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        try (UnreadConnection connection = new UnreadConnection(victim, "unread-" + attacker)) {
            for (int link = 0; link < BROWSERS; link++) {
                Source source = Performatives.source("unread", "queue");
                source.setDistributionMode(Symbol.valueOf("copy"));
                connection.send(Performatives.receiver(link, "browser." + link, source));
                connection.send(Performatives.credit(link, 0, 1_000_000));
            }
            victim.deeds().add("browsers that do not read", BROWSERS);
            Pace.pass(UNREAD);
            victim.deeds().add("bytes that had been written to them", connection.read(READ_MS));
        }
    }

    @Override
    public Bite bite() {
        return new Bite("bytes that had been written to them", 1_000_000);
    }
}
