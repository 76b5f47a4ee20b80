package io.ringtable.broker.amqp.link;

import java.util.ArrayDeque;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What one connection asks of the catalogue: a few requests at once, the rest waits here in order, so that a client that
 * attaches thousands of links does not stand before everybody else at the committer.
 * <p>
 * Thread: the connection's event loop.
 */
public final class CatalogRequests {
    private static final int AT_ONCE = 16;

    private final ConnectionMailbox mailbox;
    private final Consumer<Runnable> inTurn;
    private final ArrayDeque<Request<?>> waiting = new ArrayDeque<>();
    private int asked; // and not answered
    private boolean lost;

    private record Request<T>(Supplier<CompletionStage<T>> question, BiConsumer<T, Throwable> answer, Runnable drop) {}

    /** @param inTurn does what follows an answer in the connection's turn */
    public CatalogRequests(ConnectionMailbox mailbox, Consumer<Runnable> inTurn) {
        this.mailbox = mailbox;
        this.inTurn = inTurn;
    }

    /**
     * Asks as soon as it is its turn.
     *
     * @param answer gets what was found, or the failure
     * @param drop runs instead if the connection is lost before it is asked
     */
    public <T> void ask(Supplier<CompletionStage<T>> question, BiConsumer<T, Throwable> answer, Runnable drop) {
        Request<T> request = new Request<>(question, answer, drop);
        if (lost) {
            drop.run();
        } else if (asked < AT_ONCE) {
            ask(request);
        } else {
            waiting.add(request);
        }
    }

    private <T> void ask(Request<T> request) {
        asked++;
        request.question
                .get()
                .whenComplete((found, failure) -> mailbox.post(() -> inTurn.accept(() -> {
                    asked--;
                    request.answer.accept(found, failure);
                    askNext();
                })));
    }

    private void askNext() {
        if (asked < AT_ONCE && !waiting.isEmpty()) {
            ask(waiting.poll());
        }
    }

    /** The connection is gone: what was not asked never will be. */
    public void lost() {
        lost = true;
        for (Request<?> request; (request = waiting.poll()) != null; ) {
            request.drop.run();
        }
    }
}
