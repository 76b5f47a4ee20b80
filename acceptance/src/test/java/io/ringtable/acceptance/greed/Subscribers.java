package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.Performatives;
import java.io.IOException;
import java.time.Duration;
import org.apache.qpid.protonj2.types.messaging.Data;

/**
 * 2,000 subscribers of a topic that take nothing, and as many small messages as the broker takes before it holds its
 * publisher.
 */
final class Subscribers implements Attack {
    private static final int PUBLISHERS = 20; // links
    private static final Duration PAUSE = Duration.ofMillis(500);

    @Override
    public void round(Victim victim, int attacker) throws IOException {
        Crowd crowd = Crowd.attach(victim, "subscriber", number -> Performatives.source("crowded", "topic"), 0);
        try {
            publish(victim);
        } finally {
            crowd.close();
        }
    }

    private static void publish(Victim victim) throws IOException {
        try (GreedyConnection connection = victim.connect("publisher", 1)) {
            for (int link = 0; link < PUBLISHERS; link++) {
                int handle = link;
                connection.send(0, Performatives.sender(link, "p." + link, "crowded", "topic"));
                connection.await(() -> connection.sendLimit(0, handle) > 0);
            }
            byte[] message = connection.section(new Data(new byte[100]));
            long delivery = 0;
            for (int link = 0; link < PUBLISHERS; link++) {
                long credit = connection.sendLimit(0, link);
                for (long n = 0; n < credit; n++) {
                    connection.transfer(0, link, delivery++, message);
                }
                victim.deeds().add("messages to all of them", credit);
            }
            Pace.pass(PAUSE);
        }
    }

    @Override
    public Bite bite() {
        return new Bite("messages to all of them", 1_000);
    }
}
