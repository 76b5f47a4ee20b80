package io.ringtable.broker.home.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Questions with one key follow each other, whatever becomes of them. */
class InTurnsTest {
    private final InTurns turns = new InTurns();
    private final List<String> asked = new ArrayList<>();

    private CompletionStage<String> ask(String key, String name, CompletableFuture<String> answer) {
        return turns.next(key, () -> {
            asked.add(name);
            return answer;
        });
    }

    @Test
    void aQuestionWaitsForTheAnswerOfTheOneBeforeIt() {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> second = new CompletableFuture<>();
        ask("orders", "first", first);
        CompletionStage<String> answer = ask("orders", "second", second);
        assertThat(asked).containsExactly("first");

        second.complete("made");
        assertThat(answer.toCompletableFuture()).isNotDone();
        first.complete("made");
        assertThat(asked).containsExactly("first", "second");
        assertThat(answer.toCompletableFuture()).isCompletedWithValue("made");
    }

    @Test
    void questionsWithOtherKeysDoNotWait() {
        ask("orders", "first", new CompletableFuture<>());
        ask("prices", "other", new CompletableFuture<>());
        assertThat(asked).containsExactly("first", "other");
    }

    @Test
    void aFailureIsPassedOnAsItIsAndTheNextQuestionIsAsked() {
        IllegalStateException failure = new IllegalStateException("refused");
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletionStage<String> answer = ask("orders", "first", first);
        ask("orders", "second", new CompletableFuture<>());
        first.completeExceptionally(failure);

        List<Throwable> heard = new ArrayList<>();
        answer.whenComplete((made, thrown) -> heard.add(thrown));
        assertThat(heard).containsExactly(failure);
        assertThat(asked).containsExactly("first", "second");
    }

    @Test
    void aQuestionThatThrowsFailsItsStage() {
        IllegalStateException failure = new IllegalStateException("refused");
        CompletionStage<String> answer = turns.next("orders", () -> {
            throw failure;
        });
        assertThat(answer.toCompletableFuture()).isCompletedExceptionally();
        ask("orders", "next", new CompletableFuture<>());
        assertThat(asked).containsExactly("next");
    }
}
