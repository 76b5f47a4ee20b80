package io.ringtable.client.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.client.InFlightLimit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class InFlightMessagesTest {

    private static final long SECONDS = TimeUnit.SECONDS.toNanos(20);

    @Test
    void letsASingleMessageLargerThanTheLimitInWhenItIsAlone() throws Exception {
        InFlightMessages inFlight = new InFlightMessages(new InFlightLimit(10, 100));
        assertThat(inFlight.enter(50, 0)).isTrue();
        assertThat(inFlight.enter(1_000, 0)).isFalse();
        inFlight.leave(1, 50);
        assertThat(inFlight.enter(1_000, 0)).isTrue();
        assertThat(inFlight.enter(1, 0)).isFalse();
    }

    @Test
    void letsWaitersInWhenWholeTransfersLeave() throws Exception {
        InFlightMessages inFlight = new InFlightMessages(new InFlightLimit(2, 100));
        assertThat(inFlight.enter(1, 0)).isTrue();
        assertThat(inFlight.enter(1, 0)).isTrue();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> enter(inFlight));
        CompletableFuture<Boolean> behind = CompletableFuture.supplyAsync(() -> enter(inFlight));
        inFlight.leave(2, 2);
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(behind.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(inFlight.messages()).isEqualTo(2);
    }

    @Test
    void turnsEverybodyAwayOnceItIsShut() throws Exception {
        InFlightMessages inFlight = new InFlightMessages(new InFlightLimit(1, 100));
        assertThat(inFlight.enter(1, 0)).isTrue();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> enter(inFlight));
        inFlight.shut();
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isFalse();
        assertThat(inFlight.enter(1, 0)).isFalse();
        assertThat(inFlight.awaitEmpty(1)).isFalse();
        inFlight.leave(1, 1);
        assertThat(inFlight.awaitEmpty(SECONDS)).isTrue();
    }

    private static boolean enter(InFlightMessages inFlight) {
        try {
            return inFlight.enter(1, SECONDS);
        } catch (InterruptedException interrupted) {
            return false;
        }
    }
}
