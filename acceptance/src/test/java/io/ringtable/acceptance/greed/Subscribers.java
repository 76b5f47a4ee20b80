package io.ringtable.acceptance.greed;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.messaging.Data;

/** 2,000 subscribers of a topic that take nothing, and as many small messages as the broker takes before it holds its publisher. */
final class Subscribers implements Attack {
    private static final int PUBLISHERS = 20; // links
    private static final long PAUSE_MS = 500;

    @Override
    public void round(Victim victim, int attacker) throws IOException, InterruptedException {
        Crowd crowd = Crowd.attach(victim, "subscriber", number -> GreedyConnection.source("crowded", "topic"), 0);
        try {
            publish(victim);
        } finally {
            crowd.close();
        }
    }

    private static void publish(Victim victim) throws IOException, InterruptedException {
        try (GreedyConnection connection = victim.connect("publisher", 1)) {
            for (int link = 0; link < PUBLISHERS; link++) {
                int handle = link;
                connection.send(0, GreedyConnection.sender(link, "p." + link, "crowded", "topic"));
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
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
    }

    @Override
    public Bite bite() {
        return new Bite("messages to all of them", 1_000);
    }
}
