package io.ringtable.broker.home.move;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Changes of a topic's subscriptions go on side by side, and a step of its move goes on alone. */
class SubscriptionTurnsTest {
    private final SubscriptionTurns turns = new SubscriptionTurns();
    private final List<String> begun = new ArrayList<>();

    private CompletionStage<Void> change(String name, CompletableFuture<Void> answer, String... topics) {
        return turns.change(List.of(topics), () -> begins(name, answer));
    }

    private CompletionStage<Void> step(String name, CompletableFuture<Void> answer, String topic) {
        return turns.alone(topic, () -> begins(name, answer));
    }

    private CompletionStage<Void> begins(String name, CompletableFuture<Void> answer) {
        begun.add(name);
        return answer;
    }

    private static CompletableFuture<Void> answer() {
        return new CompletableFuture<>();
    }

    @Test
    void aStepWaitsForChangesUnderWayAndLaterOnesWaitForTheStep() {
        CompletableFuture<Void> first = answer();
        CompletableFuture<Void> second = answer();
        CompletableFuture<Void> step = answer();
        change("first", first, "news");
        change("second", second, "news");
        CompletionStage<Void> stepped = step("step", step, "news");
        change("third", answer(), "news");
        change("other", answer(), "weather");
        assertThat(begun).containsExactly("first", "second", "other");

        first.complete(null);
        assertThat(begun).hasSize(3);
        second.completeExceptionally(new IllegalStateException("refused"));
        assertThat(begun).endsWith("step");
        step.complete(null);
        assertThat(stepped.toCompletableFuture()).isCompleted();
        assertThat(begun).endsWith("third");
    }

    @Test
    void aChangeOfTwoTopicsHoldsUpNeitherWhileItWaits() {
        CompletableFuture<Void> news = answer();
        CompletableFuture<Void> weather = answer();
        step("news", news, "news");
        change("both", answer(), "weather", "news");
        step("weather", weather, "weather");
        assertThat(begun).containsExactly("news", "weather");

        news.complete(null);
        assertThat(begun).hasSize(2);
        weather.complete(null);
        assertThat(begun).endsWith("both");
    }

    @Test
    void aStepThatThrowsFailsItsStageAndOthersGoOn() {
        CompletionStage<Void> failed = turns.alone("news", () -> {
            throw new IllegalStateException("refused");
        });
        change("next", answer(), "news");
        assertThat(failed.toCompletableFuture()).isCompletedExceptionally();
        assertThat(begun).containsExactly("next");
    }
}
