package io.ringtable.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.client.PublishWindow;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WindowGateTest {

    private static final long SECONDS = TimeUnit.SECONDS.toNanos(20);

    @Test
    void letsASingleMessageLargerThanTheWindowInWhenItIsAlone() throws Exception {
        WindowGate gate = new WindowGate(new PublishWindow(10, 100));
        assertThat(gate.enter(50, 0)).isTrue();
        assertThat(gate.enter(1_000, 0)).isFalse();
        gate.leave(1, 50);
        assertThat(gate.enter(1_000, 0)).isTrue();
        assertThat(gate.enter(1, 0)).isFalse();
    }

    @Test
    void letsWaitersInWhenWholeTransfersLeave() throws Exception {
        WindowGate gate = new WindowGate(new PublishWindow(2, 100));
        assertThat(gate.enter(1, 0)).isTrue();
        assertThat(gate.enter(1, 0)).isTrue();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> enter(gate));
        CompletableFuture<Boolean> behind = CompletableFuture.supplyAsync(() -> enter(gate));
        gate.leave(2, 2);
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(behind.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(gate.messages()).isEqualTo(2);
    }

    @Test
    void turnsEverybodyAwayOnceItIsShut() throws Exception {
        WindowGate gate = new WindowGate(new PublishWindow(1, 100));
        assertThat(gate.enter(1, 0)).isTrue();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> enter(gate));
        gate.shut();
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isFalse();
        assertThat(gate.enter(1, 0)).isFalse();
        assertThat(gate.awaitEmpty(1)).isFalse();
        gate.leave(1, 1);
        assertThat(gate.awaitEmpty(SECONDS)).isTrue();
    }

    @Test
    void takesForEverForALongTime() {
        assertThat(WindowGate.nanos(Duration.ofSeconds(Long.MAX_VALUE))).isGreaterThan(TimeUnit.DAYS.toNanos(365));
    }

    private static boolean enter(WindowGate gate) {
        try {
            return gate.enter(1, SECONDS);
        } catch (InterruptedException interrupted) {
            return false;
        }
    }
}
