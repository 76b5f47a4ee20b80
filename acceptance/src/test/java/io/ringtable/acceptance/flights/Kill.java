package io.ringtable.acceptance.flights;

import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Pace;
import java.time.Duration;
import java.util.Random;

/** {@code kill -9} and a start; now and then a second kill falls into the start. */
record Kill(BrokerProcess broker) implements FlightRun.Blow {
    private static final int START_MS = 2_500; // about as long as a start takes
    private static final int SECOND_AFTER = 4; // kills

    @Override
    public int strike(Random random, int before) {
        broker.kill();
        broker.launch();
        int kills = 1;
        if (before % SECOND_AFTER == SECOND_AFTER - 2) {
            Pace.pass(Duration.ofMillis(random.nextInt(START_MS)));
            broker.kill();
            broker.launch();
            kills++;
        }
        broker.awaitReady();
        return kills;
    }
}
