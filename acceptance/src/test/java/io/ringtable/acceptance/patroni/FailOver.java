package io.ringtable.acceptance.patroni;

import io.ringtable.acceptance.harness.Pace;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;

/** Names what becomes of the primary. Thread: the test's. */
enum FailOver {
    /** SIGKILL of Patroni and PostgreSQL. */
    KILL {
        @Override
        void strike(PatroniCluster cluster, PatroniMember primary) {
            primary.kill();
        }

        @Override
        void heal(PatroniMember former, Random random) throws IOException {
            former.start();
        }
    },
    /** SIGSTOP of both; they go on when another one is the primary, and believe for a moment that they are. */
    STOP {
        @Override
        void strike(PatroniCluster cluster, PatroniMember primary) {
            primary.pause();
        }

        @Override
        void heal(PatroniMember former, Random random) {
            Pace.pass(Duration.ofMillis(random.nextInt(1_000)));
            former.resume();
        }
    },
    /** An orderly change, as an operator asks for it. */
    SWITCH {
        @Override
        void strike(PatroniCluster cluster, PatroniMember primary) {
            String answer = primary.switchOver(cluster.standby().name());
            System.out.println(answer);
        }

        @Override
        void heal(PatroniMember former, Random random) {
            // Patroni does.
        }
    };

    abstract void strike(PatroniCluster cluster, PatroniMember primary);

    /** Brings the former primary back, once there is another one. */
    abstract void heal(PatroniMember former, Random random) throws IOException;
}
