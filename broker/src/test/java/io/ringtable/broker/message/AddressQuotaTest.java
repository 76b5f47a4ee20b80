package io.ringtable.broker.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Thousands may wait for room in an address; only those wake for whom there is some. */
class AddressQuotaTest {
    private static final int WAITING = 3_000;

    /** Takes one place when it is called, else waits on, as a link does. */
    private static final class Link {
        private final AddressQuota quota;
        private final AtomicInteger woken;
        private int places;

        Link(AddressQuota quota, AtomicInteger woken) {
            this.quota = quota;
            this.woken = woken;
        }

        void ask() {
            places += quota.reserve(1);
            if (places == 0) {
                quota.onRoom(() -> {
                    woken.incrementAndGet();
                    ask();
                });
            }
        }
    }

    @Test
    void onePlaceWakesOneOfThoseWhoWait() {
        AddressQuota quota = new AddressQuota(10, 1_000);
        AtomicInteger woken = new AtomicInteger();
        assertThat(quota.reserve(10)).isEqualTo(10);
        for (int i = 0; i < WAITING; i++) {
            new Link(quota, woken).ask();
        }
        assertThat(woken).hasValue(0);

        quota.release(1, 0);

        assertThat(woken).hasValue(1);
        assertThat(quota.messages()).isEqualTo(10);
    }

    @Test
    void aHigherBoundWakesThoseWhoWaitAndALowerOneTakesNothingUntilThereIsRoom() {
        AddressQuota quota = new AddressQuota(10, 1_000);
        AtomicInteger woken = new AtomicInteger();
        assertThat(quota.reserve(10)).isEqualTo(10);
        new Link(quota, woken).ask();

        quota.limit(new QuotaLimits(12, 0));
        assertThat(woken).hasValue(1);
        assertThat(quota.messages()).isEqualTo(11);
        assertThat(quota.bytesMax()).isEqualTo(1_000);

        quota.limit(new QuotaLimits(3, 500));
        assertThat(quota.isBeyond()).isTrue();
        assertThat(quota.reserve(1)).isZero();
        assertThat(quota.tryReserve(0, 1)).as("with a place from before").isFalse();
        quota.release(8, 0);
        assertThat(quota.isBeyond()).isFalse();
        assertThat(quota.tryReserve(0, 501)).isFalse();
        assertThat(quota.tryReserve(0, 500)).isTrue();
        assertThat(quota.reserve(1)).isZero();

        quota.limit(QuotaLimits.NONE);
        assertThat(quota.messagesMax()).isEqualTo(10);
        assertThat(quota.reserve(10)).isEqualTo(7);
    }
}
