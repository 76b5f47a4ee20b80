package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Pace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import org.apache.qpid.protonj2.types.transport.Attach;

/** Attaches thousands of links at once, each of which makes something, and does it again by another connection. */
abstract class ManyAttaches implements Attack {
    private static final int AT_ONCE = 100;
    private static final Duration REST = Duration.ofMillis(20);

    private long number; // of links since the beginning

    /** Of one connection. */
    abstract int links();

    /** @param number never the same again */
    abstract Attach attach(int handle, String name, long number);

    @Override
    public final void round(Victim victim, int attacker) throws IOException {
        try (GreedyConnection connection = victim.connect("greedy", 1)) {
            for (int from = 0; from < links(); from += AT_ONCE) {
                ByteArrayOutputStream attaches = new ByteArrayOutputStream();
                for (int link = from; link < from + AT_ONCE; link++) {
                    attaches.writeBytes(connection.encode(0, attach(link, "greedy." + link, number++)));
                }
                connection.write(attaches.toByteArray());
            }
            connection.awaitAnswers(Attach.class, links());
            victim.deeds().add("attaches answered", links());
            Pace.pass(REST);
        }
    }

    @Override
    public final Bite bite() {
        return new Bite("attaches answered", links());
    }
}
