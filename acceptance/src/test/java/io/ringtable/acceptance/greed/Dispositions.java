package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Performatives;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.qpid.protonj2.types.transport.Flow;

/** Settles the widest range there is, in bursts of 42 KB; each burst begins when the broker has read the one before. */
final class Dispositions implements Attack {
    private static final int BURST_BYTES = 42_000;

    @Override
    public int attackers() {
        return 4;
    }

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        try (GreedyConnection connection = victim.connect("greedy-" + attacker, 1)) {
            byte[] widest = connection.encode(0, Performatives.accepted(0).setLast(Performatives.WINDOW - 1));
            ByteArrayOutputStream burst = new ByteArrayOutputStream();
            int frames = 0;
            for (; burst.size() < BURST_BYTES; frames++) {
                burst.writeBytes(widest);
            }
            burst.writeBytes(connection.encode(0, Performatives.question()));
            for (int n = 1; ; n++) {
                connection.write(burst.toByteArray());
                connection.awaitAnswers(Flow.class, n);
                victim.deeds().add("frames read by the broker", frames);
            }
        }
    }

    @Override
    public Bite bite() {
        return new Bite("frames read by the broker", 10_000);
    }
}
