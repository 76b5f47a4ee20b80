package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Performatives;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.types.transport.Flow;

/**
 * Begins large messages on many sessions of one connection, as fast as the sessions' windows let it, and ends none of
 * them.
 */
final class UnfinishedTransfers implements Attack {
    private static final int SESSIONS = 200;
    private static final int PART_BYTES = 60_000;
    private static final int PARTS = 250; // 15 MB, less than a message may have
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(2);

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        byte[] part = new byte[PART_BYTES];
        try (GreedyConnection connection = victim.connect("greedy", SESSIONS)) {
            for (int channel = 0; channel < SESSIONS; channel++) {
                connection.send(channel, Performatives.sender(0, "greedy-" + channel + ".0", "unfinished", "queue"));
            }
            connection.awaitAnswers(Flow.class, SESSIONS);
            int[] sent = new int[SESSIONS];
            long silent = 0;
            while (silent < SILENT_NANOS) {
                long parts = 0;
                for (int channel = 0; channel < SESSIONS; channel++) {
                    if (sent[channel] < PARTS && sent[channel] < connection.window(channel)) {
                        connection.part(channel, 0, 0, part, 0, PART_BYTES, true);
                        sent[channel]++;
                        parts++;
                    }
                }
                victim.deeds().add("bytes of messages without an end", parts * PART_BYTES);
                if (parts == 0) {
                    long since = System.nanoTime();
                    connection.isWithin(SILENT_NANOS - silent, () -> mayGoOn(connection, sent));
                    silent += System.nanoTime() - since;
                }
            }
            victim.deeds().add("times held back until the end");
        }
    }

    private static boolean mayGoOn(GreedyConnection connection, int[] sent) {
        return IntStream.range(0, SESSIONS)
                .anyMatch(channel -> sent[channel] < PARTS && sent[channel] < connection.window(channel));
    }

    @Override
    public Bite bite() {
        return new Bite("bytes of messages without an end", 100_000_000);
    }
}
