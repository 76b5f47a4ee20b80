package io.ringtable.broker.home.move;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the steps of moves. Each leaves a state from which the next start, or the next look, goes on:
 * <ol>
 *   <li>the row of the directory names the next shard;
 *   <li>the old home stores nothing more of the queue;
 *   <li>the next home has the queue, and in the same transaction all that the old one knew of stored messages.
 *       Publishers go there;
 *   <li>the old home owes nothing that is ready: consumers get what the next home has;
 *   <li>the old home owes nothing: the queue is deleted there;
 *   <li>the row of the directory says that the queue lives in the next shard.
 * </ol>
 * <p>
 * Thread: any. The steps of one queue follow each other, and all other changes of its name.
 */
public final class AddressMoves {
    private static final Logger LOG = LoggerFactory.getLogger(AddressMoves.class);

    private final List<? extends Shard> shards;
    private final Directory directory;
    private final CurrentMoves current;
    private final Queues queues;
    private final Set<String> asked = ConcurrentHashMap.newKeySet(); // whose next step is under way
    private volatile Runnable onBegun = () -> {};

    /** Hears of moves, for those who look queues up, publish to them and read them. */
    public interface Queues {
        /** Asks in turn with all other changes of the name. */
        CompletionStage<Void> inTurn(String queue, Step step);

        /** Has nobody find the queue, until {@link #show}: who names it waits. */
        void hide(String queue);

        /** Has the queue found again. */
        void show(String queue);

        /** Hears that consumers may read another part, as {@link CurrentMoves} says. */
        void partMade(String queue);

        /** Hears that the queue ends in that shard, while its consumers stay. */
        void leaves(String queue, int shard);
    }

    /** Is one step of a move. */
    @FunctionalInterface
    public interface Step {
        CompletionStage<Void> take();
    }

    public AddressMoves(
            List<? extends Shard> shards, Directory directory, CurrentMoves current, Queues queues) {
        this.shards = shards;
        this.directory = directory;
        this.current = current;
        this.queues = queues;
    }

    /** Has the listener called when a move begins, whose {@link #look} must follow. */
    void onBegun(Runnable listener) {
        onBegun = listener;
    }

    private Address find(int shard, String queue) {
        Address found = shards.get(shard).lookup().find(queue);
        return found != null && found.isQueue() ? found : null;
    }

    private boolean isThere(int shard) {
        return !shards.get(shard).lease().isOver();
    }

    // ---- the beginning

    /**
     * Begins to move a queue that lives in one shard, in its turn. Completes once publishers go to the next shard, or
     * if nothing moves.
     */
    public CompletionStage<Void> begin(AddressMove move) {
        return directory
                .change(() -> rows(move.queue()).stream()
                        .filter(row -> !row.isMoving())
                        .map(row -> HomeChange.put(row.moving(move.to())))
                        .toList())
                .thenCompose(marked -> {
                    LOG.info("queue '{}' moves from shard {} to shard {}", move.queue(), move.from(), move.to());
                    current.put(CurrentMoves.Step.begun(move));
                    onBegun.run();
                    return open(move);
                });
    }

    private List<HomeRow> rows(String queue) {
        return directory.of(HomeRow.Scope.ADDRESS, queue);
    }

    /**
     * Closes the queue at its old home and opens it at the next one. A start, and a shard that comes back, do the same
     * with what they find.
     */
    private CompletionStage<Void> open(AddressMove move) {
        Address old = find(move.from(), move.queue());
        Address next = find(move.to(), move.queue());
        if (old == null && next == null) {
            return gone(move);
        }
        if (old == null) {
            current.put(current.step(move.queue()).open());
            return settled(move);
        }
        Shard from = shards.get(move.from());
        if (next != null) {
            current.put(current.step(move.queue()).open());
            return from.catalog().close(old).thenAccept(known -> {});
        }
        queues.hide(move.queue());
        return from.catalog()
                .close(old)
                .thenCompose(once -> shards.get(move.to()).catalog().receive(move.queue(), once))
                .thenAccept(made -> current.put(current.step(move.queue()).open()))
                .exceptionallyCompose(failure -> notOpened(move, old, failure))
                .whenComplete((done, failure) -> queues.show(move.queue()));
    }

    /** Takes back what was begun if the next home refuses. If it did not answer, a later look goes on. */
    private CompletionStage<Void> notOpened(AddressMove move, Address old, Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        boolean isRefused = cause instanceof Refusal.Refused refused
                && refused.refusal().reason() != Refusal.Reason.UNAVAILABLE;
        if (!isRefused) {
            return CompletableFuture.failedFuture(cause);
        }
        return directory
                .change(() -> moving(move, row -> row.moving(HomeRow.NO_SHARD)))
                .thenCompose(unmarked -> shards.get(move.from()).catalog().reopen(old))
                .thenRun(() -> current.remove(move.queue()))
                .thenCompose(undone -> CompletableFuture.failedFuture(cause));
    }

    private List<HomeChange> moving(AddressMove move, Function<HomeRow, HomeRow> change) {
        return rows(move.queue()).stream()
                .filter(HomeRow::isMoving)
                .map(row -> HomeChange.put(change.apply(row)))
                .toList();
    }

    // ---- after a start

    /**
     * Finds the moves that an earlier owner has begun. Thread: the starter of the shards, before their agents run;
     * {@link #resume} must follow.
     */
    public void recover() {
        for (List<HomeRow> rows : directory.all()) {
            for (HomeRow row : rows) {
                if (row.isMoving() && row.next() < shards.size()) {
                    current.put(CurrentMoves.Step.begun(new AddressMove(row.name(), row.shard(), row.next())));
                }
            }
        }
        for (CurrentMoves.Step step : List.copyOf(current.all())) {
            Address old = find(step.move().from(), step.move().queue());
            if (old != null) {
                old.quota().close();
            }
        }
    }

    /** Goes on with all moves whose shards are there. Never fails: what fails is left to a later look. */
    public CompletionStage<Void> resume() {
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (CurrentMoves.Step step : List.copyOf(current.all())) {
            AddressMove move = step.move();
            all = all.thenCompose(before -> step(move, () -> open(move)));
        }
        return all;
    }

    /** Takes one step in its turn, unless one is under way, or a shard is away. */
    private CompletionStage<Void> step(AddressMove move, Step step) {
        if (!isThere(move.from()) || !isThere(move.to()) || !asked.add(move.queue())) {
            return CompletableFuture.completedFuture(null);
        }
        return queues.inTurn(
                        move.queue(),
                        () -> move.equals(current.of(move.queue()))
                                ? step.take()
                                : CompletableFuture.completedFuture(null))
                .handle((done, failure) -> {
                    asked.remove(move.queue());
                    if (failure != null) {
                        LOG.debug("the move of '{}' goes on later", move.queue(), failure);
                    }
                    return null;
                });
    }

    // ---- how far they are

    /** Takes the next step of each move, as far as it is due. Thread: address-mover. */
    public void look() {
        List.copyOf(current.all()).forEach(this::look);
    }

    private void look(CurrentMoves.Step step) {
        AddressMove move = step.move();
        if (!isThere(move.from()) || !isThere(move.to())) {
            return;
        }
        Address old = find(move.from(), move.queue());
        if (!step.isOpen() || old == null) {
            step(move, () -> open(move));
            return;
        }
        Shard from = shards.get(move.from());
        Subscription reader = from.lookup().readerOf(old);
        if (reader == null) {
            return; // it is being deleted
        }
        if (from.lookup().owedBy(reader) == 0) {
            step(move, () -> leave(move, old));
        } else if (!step.isNextRead()) {
            from.homeOf(old).dispatcher().owedForLaterOnly(reader).thenAccept(forLater -> {
                if (forLater == from.lookup().owedBy(reader)) { // the dispatcher has heard of all that is owed
                    readNext(move);
                }
            });
        }
    }

    private void readNext(AddressMove move) {
        CurrentMoves.Step now = current.step(move.queue());
        if (now != null && now.move().equals(move)) {
            current.put(now.nextRead());
            queues.partMade(move.queue());
        }
    }

    /** Deletes the queue at its old home, which owes nothing. */
    private CompletionStage<Void> leave(AddressMove move, Address old) {
        current.put(current.step(move.queue()).left(true));
        queues.leaves(move.queue(), move.from());
        return shards.get(move.from())
                .catalog()
                .deleteStored(old, false)
                .exceptionallyCompose(failure -> {
                    current.put(current.step(move.queue()).left(false));
                    queues.partMade(move.queue());
                    return CompletableFuture.failedFuture(failure);
                })
                .thenCompose(deleted -> settled(move));
    }

    /** Says in the directory that the queue lives in the next shard, as the old home has it no more. */
    private CompletionStage<Void> settled(AddressMove move) {
        current.put(current.step(move.queue()).left(true));
        queues.partMade(move.queue());
        return directory
                .change(() -> moving(move, row -> row.moved(move.to())))
                .thenRun(() -> {
                    current.remove(move.queue());
                    LOG.info("queue '{}' has moved to shard {}", move.queue(), move.to());
                });
    }

    /** Forgets a queue that neither home has: an operator deleted it with its shard's files, or a restore did. */
    private CompletionStage<Void> gone(AddressMove move) {
        return directory
                .change(() -> rows(move.queue()).stream()
                        .filter(HomeRow::isMoving)
                        .map(HomeChange::remove)
                        .toList())
                .thenRun(() -> current.remove(move.queue()));
    }
}
