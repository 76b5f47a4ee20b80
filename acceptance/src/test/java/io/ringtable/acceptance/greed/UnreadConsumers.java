package io.ringtable.acceptance.greed;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Source;

/** Browsers with all the credit there is on a queue of 1 MB messages, whose client does not read what it gets. */
final class UnreadConsumers implements Attack {
    private static final int MESSAGES = 100;
    private static final int MESSAGE_BYTES = 1_000_000;
    private static final int BROWSERS = 100; // of a connection
    private static final long UNREAD_MS = 2_500;
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
    public void round(Victim victim, int attacker) throws IOException, InterruptedException {
        try (UnreadConnection connection = new UnreadConnection(victim, "unread-" + attacker)) {
            for (int link = 0; link < BROWSERS; link++) {
                Source source = GreedyConnection.source("unread", "queue");
                source.setDistributionMode(Symbol.valueOf("copy"));
                connection.send(GreedyConnection.receiver(link, "browser." + link, source));
                connection.send(GreedyConnection.credit(link, 0, 1_000_000));
            }
            victim.deeds().add("browsers that do not read", BROWSERS);
            TimeUnit.MILLISECONDS.sleep(UNREAD_MS);
            victim.deeds().add("bytes that had been written to them", connection.read(READ_MS));
        }
    }

    @Override
    public Bite bite() {
        return new Bite("bytes that had been written to them", 1_000_000);
    }
}
