package io.ringtable.broker.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** An agent that hangs in a turn, as at a database that does not answer. */
class AgentRunnerTest {
    private final CountDownLatch hanging = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);
    private final AtomicBoolean closed = new AtomicBoolean();

    private final class Hanging implements Agent {
        @Override
        public String roleName() {
            return "hanging";
        }

        @Override
        public int doWork() {
            hanging.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return 0;
        }

        @Override
        public void onClose() {
            closed.set(true);
        }
    }

    @Test
    void aCallerWithPatienceGoesOnAndTheAgentEndsAfterItsTurn() throws Exception {
        AgentRunner runner = new AgentRunner(new Hanging(), 0, new Doorbell(), new LongestTurn(), failure -> {});
        runner.start();
        hanging.await();

        runner.close(100);

        assertThat(closed).isFalse();
        answer.countDown();
        await().untilTrue(closed);
    }
}
