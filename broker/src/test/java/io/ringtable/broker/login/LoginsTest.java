package io.ringtable.broker.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.login.LoginAttempt.Verdict;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class LoginsTest {
    private final CountDownLatch hashing = new CountDownLatch(Logins.THREADS);
    private final Logins logins = new Logins(
            TestSettings.of().authenticator(this::hash).logins(),
            new LongAdder(),
            (line, value) -> {},
            System::nanoTime);

    /** Takes until somebody interrupts it. */
    private boolean hash(String name, String password) {
        hashing.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private CompletableFuture<Verdict> attempt(String name) {
        CompletableFuture<Verdict> answer = new CompletableFuture<>();
        logins.check(LoginAttempt.withPassword(
                "127.0.0.1", name, "secret", () -> true, (attempt, verdict) -> answer.complete(verdict)));
        return answer;
    }

    @Test
    void nobodyWaitsForALoginLongerThanTheBrokerLives() throws Exception {
        for (int i = 0; i < Logins.THREADS; i++) {
            attempt("hashed" + i);
        }
        hashing.await();
        CompletableFuture<Verdict> waiting = attempt("waiting");
        assertThat(waiting).isNotDone();

        logins.stop();

        assertThat(waiting).isCompletedWithValue(Verdict.CROWDED);
        for (int i = 0; i <= Logins.THREADS; i++) {
            assertThat(attempt("late" + i)).isCompletedWithValue(Verdict.CROWDED);
        }
    }
}
