package io.ringtable.broker.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ThreadOwnerTest {
    private final ThreadOwner owner = new ThreadOwner("the state of the test");

    private String checkElsewhere() {
        return CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                owner.check();
                                return "";
                            } catch (IllegalStateException e) {
                                return e.getMessage();
                            }
                        },
                        task -> new Thread(task, "stranger").start())
                .join();
    }

    @Test
    void theFirstThreadOwnsAndASecondIsRefusedByName() {
        owner.check();
        owner.check();
        assertThat(checkElsewhere())
                .startsWith("RT-2900")
                .contains("the state of the test", Thread.currentThread().getName(), "stranger");
    }

    @Test
    void aReleasedStateMayBeTakenOver() {
        owner.check();
        owner.release();
        assertThat(checkElsewhere()).isEmpty();
    }
}
