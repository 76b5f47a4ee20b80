package io.ringtable.broker.home.move;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the steps of moves. Each leaves a state from which the next start, or the next look, goes on:
 * <ol>
 *   <li>the row of the directory names the next shard;
 *   <li>the old home stores nothing more of the queue;
 *   <li>the next home has the queue, and in the same transaction all that the old one knew of stored messages.
 *       Publishers go there. The row says so;
 *   <li>the old home owes nothing that is ready: consumers get what the next home has;
 *   <li>the old home owes nothing: the queue is deleted there;
 *   <li>the row of the directory says that the queue lives in the next shard.
 * </ol>
 * One node has both shards when a move begins. If two nodes have them later, each finishes its side by the row: the old
 * home is emptied and ends, whoever has the next one. A next home that never got the queue takes the move back.
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

    public AddressMoves(List<? extends Shard> shards, Directory directory, CurrentMoves current, Queues queues) {
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

    /** Changes what is known of a move, unless it has ended meanwhile. */
    private void update(AddressMove move, UnaryOperator<CurrentMoves.Step> change) {
        CurrentMoves.Step now = current.step(move.queue());
        if (now != null && now.move().equals(move)) {
            current.put(change.apply(now));
        }
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
                    follow(move.queue());
                    onBegun.run();
                    return open(move);
                });
    }

    private List<HomeRow> rows(String queue) {
        return directory.of(HomeRow.Scope.ADDRESS, queue);
    }

    private CompletionStage<Void> change(AddressMove move, Function<HomeRow, HomeChange> change) {
        return directory.change(() -> rows(move.queue()).stream()
                .filter(row -> row.shard() == move.from() && row.next() == move.to())
                .map(change)
                .filter(wanted ->
                        wanted.isRemoval() || rows(move.queue()).stream().noneMatch(row -> row.says(wanted.row())))
                .toList());
    }

    /**
     * Closes the queue at its old home and opens it at the next one. A start, and a shard that comes back, do the same
     * with what they find.
     */
    private CompletionStage<Void> open(AddressMove move) {
        Address old = find(move.from(), move.queue());
        Address next = find(move.to(), move.queue());
        if (old == null) {
            return next == null ? gone(move) : settled(move);
        }
        Shard from = shards.get(move.from());
        if (next != null) {
            return from.catalog().close(old).thenCompose(known -> opened(move));
        }
        return from.catalog()
                .close(old)
                .thenCompose(once -> shards.get(move.to()).catalog().receive(move.queue(), once))
                .handle((made, failure) -> failure)
                .thenCompose(failure -> failure == null ? opened(move) : notOpened(move, old, failure));
    }

    /** Says in the directory that the next home has the queue. */
    private CompletionStage<Void> opened(AddressMove move) {
        return change(move, row -> HomeChange.put(row.with(HomeRow.State.GOING)))
                .thenRun(() -> update(move, CurrentMoves.Step::open));
    }

    /** Takes back what was begun if the next home refuses. If it did not answer, a later look goes on. */
    private CompletionStage<Void> notOpened(AddressMove move, Address old, Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        boolean isRefused =
                cause instanceof Refusal.Refused refused && refused.refusal().reason() != Refusal.Reason.UNAVAILABLE;
        if (!isRefused) {
            return CompletableFuture.failedFuture(cause);
        }
        return stays(move)
                .thenCompose(unmarked -> shards.get(move.from()).catalog().reopen(old))
                .thenCompose(undone -> CompletableFuture.failedFuture(cause));
    }

    /** Says in the directory that the queue stays where it is, as the next home never got it. */
    private CompletionStage<Void> stays(AddressMove move) {
        LOG.warn(
                "RT-4635 queue '{}' stays in shard {}: shard {} did not get it",
                Printable.value(move.queue()),
                move.from(),
                move.to());
        return change(move, row -> HomeChange.put(row.moving(HomeRow.NO_SHARD)))
                .thenRun(() -> current.remove(move.queue()));
    }

    // ---- what the directory says

    /**
     * Follows what the directory says of moves: another node may have begun one, or an earlier owner of the shards.
     *
     * @param queue null = perhaps every one
     */
    public void follow(String queue) {
        if (queue != null) {
            followOne(queue);
            return;
        }
        directory.all().stream().flatMap(List::stream).filter(HomeRow::isMoving).forEach(row -> followOne(row.name()));
        List.copyOf(current.all()).forEach(step -> followOne(step.move().queue()));
    }

    private void followOne(String queue) {
        HomeRow row = rows(queue).stream()
                .filter(each -> each.isMoving() && each.next() < shards.size())
                .findFirst()
                .orElse(null);
        CurrentMoves.Step known = current.step(queue);
        if (row == null) {
            if (known != null) {
                ended(known.move());
            }
            return;
        }
        AddressMove move = new AddressMove(queue, row.shard(), row.next());
        if (known == null || !known.move().equals(move)) {
            current.put(CurrentMoves.Step.begun(move));
            Address next = find(move.to(), queue);
            if (next != null) {
                next.quota().reopen(); // this node heard that it left there, and not that it came back
            }
        }
        Address old = find(move.from(), queue);
        if (old != null && !old.quota().isClosed()) { // also of a shard that has come back
            old.quota().close();
        }
        if (row.state() == HomeRow.State.GOING) {
            update(move, CurrentMoves.Step::open);
        }
    }

    /** Hears that a move has ended, perhaps by another node: the queue is in the next shard, or stays. */
    private void ended(AddressMove move) {
        current.remove(move.queue());
        Address old = find(move.from(), move.queue());
        boolean stays = rows(move.queue()).stream().anyMatch(row -> row.shard() == move.from());
        if (old != null && stays) {
            old.quota().reopen();
        }
        queues.partMade(move.queue());
    }

    /** Goes on with all moves whose shards are there. Never fails: what fails is left to a later look. */
    public CompletionStage<Void> resume() {
        follow(null);
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (CurrentMoves.Step step : List.copyOf(current.all())) {
            AddressMove move = step.move();
            if (!step.isOpen() && isThere(move.from()) && isThere(move.to())) {
                all = all.thenCompose(before -> step(move, () -> open(move)));
            }
        }
        return all;
    }

    /** Takes one step in its turn, unless one is under way. */
    private CompletionStage<Void> step(AddressMove move, Step step) {
        if (!asked.add(move.queue())) {
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
        if (step.isOpen()) {
            empty(step);
        } else if (isThere(step.move().to())) {
            lookForNext(step.move());
        }
    }

    private void lookForNext(AddressMove move) {
        if (isThere(move.from())) {
            step(move, () -> open(move));
        } else if (find(move.to(), move.queue()) == null) {
            step(move, () -> stays(move));
        } else {
            step(move, () -> opened(move));
        }
    }

    /** Looks whether the old home is empty, if this node has it. */
    private void empty(CurrentMoves.Step step) {
        AddressMove move = step.move();
        if (!isThere(move.from())) {
            return;
        }
        Address old = find(move.from(), move.queue());
        if (old == null) {
            step(move, () -> settled(move));
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
        update(move, CurrentMoves.Step::nextRead);
        queues.partMade(move.queue());
    }

    /** Deletes the queue at its old home, which owes nothing. */
    private CompletionStage<Void> leave(AddressMove move, Address old) {
        update(move, step -> step.left(true));
        queues.leaves(move.queue(), move.from());
        return shards.get(move.from())
                .catalog()
                .deleteStored(old, false)
                .exceptionallyCompose(failure -> {
                    update(move, step -> step.left(false));
                    queues.partMade(move.queue());
                    return CompletableFuture.failedFuture(failure);
                })
                .thenCompose(deleted -> settled(move));
    }

    /** Says in the directory that the queue lives in the next shard, as the old home has it no more. */
    private CompletionStage<Void> settled(AddressMove move) {
        update(move, step -> step.left(true));
        queues.partMade(move.queue());
        return change(move, row -> HomeChange.put(row.moved(move.to()))).thenRun(() -> {
            current.remove(move.queue());
            LOG.info("queue '{}' has moved to shard {}", move.queue(), move.to());
        });
    }

    /** Forgets a queue that neither home has: the shards are of backups of different moments. */
    private CompletionStage<Void> gone(AddressMove move) {
        return change(move, HomeChange::remove).thenRun(() -> current.remove(move.queue()));
    }
}
