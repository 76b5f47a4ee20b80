package io.ringtable.client.internal.receive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LinkCreditTest {

    private static final long MIB = 1024 * 1024;

    @Test
    void grantsThePrefetchOnceSmallMessagesAreKnownToBeSmall() {
        LinkCredit linkCredit = new LinkCredit(1_000, 16 * MIB);
        int credit = linkCredit.grant();
        assertThat(credit).as("until then messages of 64 KiB are assumed").isEqualTo(256);
        while (credit > 0) {
            linkCredit.arrived(300);
            linkCredit.settled(300);
            credit += linkCredit.grant() - 1;
            if (credit > 900) {
                return;
            }
        }
        throw new AssertionError("the credit ran out");
    }

    @Test
    void waitsForAPortionBeforeItGrantsAgain() {
        LinkCredit linkCredit = new LinkCredit(8, 16 * MIB);
        assertThat(linkCredit.grant()).isEqualTo(8);
        linkCredit.arrived(10);
        linkCredit.settled(10);
        assertThat(linkCredit.grant()).isZero();
        linkCredit.arrived(10);
        linkCredit.settled(10);
        assertThat(linkCredit.grant()).isEqualTo(2);
    }

    @Test
    void letsOneLargeMessageThroughAtATimeWhateverItsSize() {
        LinkCredit linkCredit = new LinkCredit(1_000, MIB);
        int credit = linkCredit.grant();
        assertThat(credit).isEqualTo(16);
        for (int i = 0; i < 16; i++) {
            linkCredit.arrived((int) (5 * MIB));
            assertThat(linkCredit.grant()).isZero();
        }
        for (int i = 0; i < 15; i++) {
            linkCredit.settled((int) (5 * MIB));
            assertThat(linkCredit.grant()).as("more than the bound is here").isZero();
        }
        linkCredit.settled((int) (5 * MIB));
        assertThat(linkCredit.grant()).isEqualTo(1);
    }

    @Test
    void neverHasMoreThanThePrefetchUnderWayAndNeverStallsForEver() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            int prefetch = 1 + random.nextInt(200);
            LinkCredit linkCredit = new LinkCredit(prefetch, 1 + random.nextInt(1_000_000));
            ArrayDeque<Integer> here = new ArrayDeque<>();
            int credit = linkCredit.grant();
            for (int step = 0; step < 2_000; step++) {
                if (credit > 0 && random.nextBoolean()) {
                    int bytes = 1 + random.nextInt(100_000);
                    linkCredit.arrived(bytes);
                    here.add(bytes);
                    credit--;
                } else if (!here.isEmpty()) {
                    linkCredit.settled(here.poll());
                }
                credit += linkCredit.grant();
                assertThat(credit + here.size()).isLessThanOrEqualTo(prefetch);
                assertThat(credit + here.size()).isPositive();
            }
        }
    }
}
