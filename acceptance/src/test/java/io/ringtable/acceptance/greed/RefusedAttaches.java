package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Performatives;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.qpid.protonj2.types.transport.Detach;

/** Attaches 16,000 links to an address that cannot be, and detaches none of them. */
final class RefusedAttaches implements Attack {
    private static final int SESSIONS = 16;
    private static final int LINKS = 1_000; // of each session
    private static final int AT_ONCE = 100;

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        try (GreedyConnection connection = victim.connect("greedy", SESSIONS)) {
            for (int from = 0; from < LINKS; from += AT_ONCE) {
                for (int channel = 0; channel < SESSIONS; channel++) {
                    ByteArrayOutputStream attaches = new ByteArrayOutputStream();
                    for (int link = from; link < from + AT_ONCE; link++) {
                        attaches.writeBytes(connection.encode(
                                channel, Performatives.sender(link, "refused." + link, "\u0001", "queue")));
                    }
                    connection.write(attaches.toByteArray());
                    victim.deeds().add("attaches sent", AT_ONCE);
                }
            }
            connection.awaitAnswers(Detach.class, (long) SESSIONS * LINKS);
        }
    }

    @Override
    public Bite bite() {
        return new Bite("attaches sent", 16_000);
    }
}
