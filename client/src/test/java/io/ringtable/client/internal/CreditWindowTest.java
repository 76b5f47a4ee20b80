package io.ringtable.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CreditWindowTest {

    private static final long MIB = 1024 * 1024;

    @Test
    void grantsThePrefetchOnceSmallMessagesAreKnownToBeSmall() {
        CreditWindow window = new CreditWindow(1_000, 16 * MIB);
        int credit = window.grant();
        assertThat(credit).as("until then messages of 64 KiB are assumed").isEqualTo(256);
        while (credit > 0) {
            window.arrived(300);
            window.settled(300);
            credit += window.grant() - 1;
            if (credit > 900) {
                return;
            }
        }
        throw new AssertionError("the credit ran out");
    }

    @Test
    void waitsForAPortionBeforeItGrantsAgain() {
        CreditWindow window = new CreditWindow(8, 16 * MIB);
        assertThat(window.grant()).isEqualTo(8);
        window.arrived(10);
        window.settled(10);
        assertThat(window.grant()).isZero();
        window.arrived(10);
        window.settled(10);
        assertThat(window.grant()).isEqualTo(2);
    }

    @Test
    void letsOneLargeMessageThroughAtATimeWhateverItsSize() {
        CreditWindow window = new CreditWindow(1_000, MIB);
        int credit = window.grant();
        assertThat(credit).isEqualTo(16);
        for (int i = 0; i < 16; i++) {
            window.arrived((int) (5 * MIB));
            assertThat(window.grant()).isZero();
        }
        for (int i = 0; i < 15; i++) {
            window.settled((int) (5 * MIB));
            assertThat(window.grant()).as("more than the bound is here").isZero();
        }
        window.settled((int) (5 * MIB));
        assertThat(window.grant()).isEqualTo(1);
    }

    @Test
    void neverHasMoreThanThePrefetchUnderWayAndNeverStallsForEver() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            int prefetch = 1 + random.nextInt(200);
            CreditWindow window = new CreditWindow(prefetch, 1 + random.nextInt(1_000_000));
            ArrayDeque<Integer> here = new ArrayDeque<>();
            int credit = window.grant();
            for (int step = 0; step < 2_000; step++) {
                if (credit > 0 && random.nextBoolean()) {
                    int bytes = 1 + random.nextInt(100_000);
                    window.arrived(bytes);
                    here.add(bytes);
                    credit--;
                } else if (!here.isEmpty()) {
                    window.settled(here.poll());
                }
                credit += window.grant();
                assertThat(credit + here.size()).isLessThanOrEqualTo(prefetch);
                assertThat(credit + here.size()).isPositive();
            }
        }
    }
}
