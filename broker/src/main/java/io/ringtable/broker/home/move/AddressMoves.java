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
 *   <li>the old home stores nothing more of the address;
 *   <li>the next home has the address, and in the same transaction all that the old one knew of stored messages, and a
 *       topic's durable subscriptions. Publishers go there. The row says so;
 *   <li>the old home owes nothing that is ready: consumers get what the next home has, those of a topic by
 *       subscription;
 *   <li>the old home owes nothing: the address is deleted there;
 *   <li>the row of the directory says that the address lives in the next shard.
 * </ol>
 * One node has both shards when a move begins. If two nodes have them later, each finishes its side by the row: the old
 * home is emptied and ends, whoever has the next one. A next home that never got the queue takes the move back.
 * <p>Longer than others, because all steps of a move stand together.
 * <p>
 * Thread: any. The steps of one address follow each other, and all other changes of its name.
 */
public final class AddressMoves {
    private static final Logger LOG = LoggerFactory.getLogger(AddressMoves.class);

    private final List<? extends Shard> shards;
    private final Directory directory;
    private final CurrentMoves current;
    private final Turns turns;
    private final Consumers consumers;
    private final TopicMoves topics;
    private final Set<String> asked = ConcurrentHashMap.newKeySet(); // whose next step is under way
    private volatile Runnable onBegun = () -> {};

    /** Lets what is done with a name follow each other. */
    @FunctionalInterface
    public interface Turns {
        /** Asks in turn with all other changes of the name. */
        CompletionStage<Void> inTurn(String name, Step step);
    }

    /** Hears of moves, for those who read addresses. */
    public interface Consumers extends TopicMoves.Consumers {
        /** Hears that consumers may read another part, as {@link CurrentMoves} says. */
        void partMade(String name);

        /** Hears that the address ends in the shard that it leaves, while its consumers stay. */
        void leaves(AddressMove move);
    }

    /** Knows the subscriptions of topics, and changes them. */
    public interface Subscriptions extends TopicMoves.Subscriptions {}

    /** Is one step of a move. */
    @FunctionalInterface
    public interface Step {
        CompletionStage<Void> take();
    }

    public AddressMoves(
            List<? extends Shard> shards,
            Directory directory,
            CurrentMoves current,
            Turns turns,
            Consumers consumers,
            Subscriptions subscriptions) {
        this.shards = shards;
        this.directory = directory;
        this.current = current;
        this.turns = turns;
        this.consumers = consumers;
        this.topics = new TopicMoves(shards, consumers, subscriptions);
    }

    /** Has the listener called when a move begins, whose {@link #look} must follow. */
    void onBegun(Runnable listener) {
        onBegun = listener;
    }

    private Address find(int shard, String name) {
        return shards.get(shard).lookup().find(name);
    }

    private boolean isThere(int shard) {
        return !shards.get(shard).lease().isOver();
    }

    /** Changes what is known of a move, unless it has ended meanwhile. */
    private void update(AddressMove move, UnaryOperator<CurrentMoves.Step> change) {
        current.update(move, change);
    }

    // ---- the beginning

    /**
     * Begins to move an address that lives in one shard, in its turn. Completes once publishers go to the next shard,
     * or if nothing moves.
     */
    public CompletionStage<Void> begin(AddressMove move) {
        return directory
                .change(() -> rows(move.name()).stream()
                        .filter(row -> !row.isMoving())
                        .map(row -> HomeChange.put(row.moving(move.to())))
                        .toList())
                .thenCompose(marked -> {
                    LOG.info("'{}' moves from shard {} to shard {}", move.name(), move.from(), move.to());
                    follow(move.name());
                    onBegun.run();
                    return open(move);
                });
    }

    private List<HomeRow> rows(String name) {
        return directory.of(HomeRow.Scope.ADDRESS, name);
    }

    private CompletionStage<Void> change(AddressMove move, Function<HomeRow, HomeChange> change) {
        return directory.change(() -> rows(move.name()).stream()
                .filter(row -> row.shard() == move.from() && row.next() == move.to())
                .map(change)
                .filter(wanted ->
                        wanted.isRemoval() || rows(move.name()).stream().noneMatch(row -> row.says(wanted.row())))
                .toList());
    }

    /**
     * Closes the address at its old home and opens it at the next one. A start, and a shard that comes back, do the
     * same with what they find.
     */
    private CompletionStage<Void> open(AddressMove move) {
        Address old = find(move.from(), move.name());
        Address next = find(move.to(), move.name());
        if (old == null) {
            return next == null ? gone(move) : settled(move);
        }
        if (!old.isQueue()) {
            return topics.alone(move, () -> openTopic(move, old));
        }
        Shard from = shards.get(move.from());
        if (next != null) {
            return from.catalog().close(old).thenCompose(known -> opened(move));
        }
        return from.catalog()
                .close(old)
                .thenCompose(moving -> shards.get(move.to()).catalog().receive(moving))
                .handle((made, failure) -> failure)
                .thenCompose(failure -> failure == null ? opened(move) : notOpened(move, old, failure));
    }

    private CompletionStage<Void> openTopic(AddressMove move, Address old) {
        return topics.give(move, old)
                .handle((next, failure) -> failure == null
                        ? topics.open(move, old, next).thenCompose(open -> opened(move))
                        : notOpened(move, old, failure))
                .thenCompose(answer -> answer);
    }

    /** Says in the directory that the next home has the address. */
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
                .thenCompose(unmarked -> topics.takeBack(move, old))
                .thenCompose(unowned -> shards.get(move.from()).catalog().reopen(old))
                .thenCompose(undone -> CompletableFuture.failedFuture(cause));
    }

    /** Says in the directory that the address stays where it is, as the next home never got it. */
    private CompletionStage<Void> stays(AddressMove move) {
        LOG.warn(
                "RT-4635 '{}' stays in shard {}: shard {} did not get it",
                Printable.value(move.name()),
                move.from(),
                move.to());
        return change(move, row -> HomeChange.put(row.moving(HomeRow.NO_SHARD)))
                .thenRun(() -> current.remove(move.name()));
    }

    // ---- what the directory says

    /**
     * Follows what the directory says of moves: another node may have begun one, or an earlier owner of the shards.
     *
     * @param name null = perhaps every one
     */
    public void follow(String name) {
        if (name != null) {
            followOne(name);
            return;
        }
        directory.all().stream().flatMap(List::stream).filter(HomeRow::isMoving).forEach(row -> followOne(row.name()));
        List.copyOf(current.all()).forEach(step -> followOne(step.move().name()));
    }

    private void followOne(String name) {
        HomeRow row = rows(name).stream()
                .filter(each -> each.isMoving() && each.next() < shards.size())
                .findFirst()
                .orElse(null);
        CurrentMoves.Step known = current.step(name);
        if (row == null) {
            if (known != null) {
                isOver(known.move());
            }
            return;
        }
        AddressMove move = new AddressMove(name, row.shard(), row.next());
        if (known == null || !known.move().equals(move)) {
            current.put(CurrentMoves.Step.begun(move));
            Address next = find(move.to(), name);
            if (next != null) {
                next.quota().reopen(); // this node heard that it left there, and not that it came back
            }
        }
        Address old = find(move.from(), name);
        if (old != null && !old.quota().isClosed()) { // also of a shard that has come back
            old.quota().close();
        }
        if (row.state() == HomeRow.State.GOING) {
            RetentionWord word = RetentionWord.of(row);
            update(move, step -> step.open().says(word));
            if (word.onlyKeeps()) {
                consumers.partMade(name); // those that read the next home alone go on
            }
        }
    }

    /** Hears that a move has ended, perhaps by another node: the address is in the next shard, or stays. */
    private void isOver(AddressMove move) {
        current.remove(move.name());
        Address old = find(move.from(), move.name());
        boolean stays = rows(move.name()).stream().anyMatch(row -> row.shard() == move.from());
        if (old != null && stays) {
            old.quota().reopen();
        }
        consumers.partMade(move.name());
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
        if (!asked.add(move.name())) {
            return CompletableFuture.completedFuture(null);
        }
        return turns.inTurn(
                        move.name(),
                        () -> move.equals(current.of(move.name()))
                                ? step.take()
                                : CompletableFuture.completedFuture(null))
                .handle((done, failure) -> {
                    asked.remove(move.name());
                    if (failure != null) {
                        LOG.debug("the move of '{}' goes on later", move.name(), failure);
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
            if (isThere(step.move().to())) {
                say(step, topics.used(step.move()));
            }
            empty(step);
        } else if (isThere(step.move().to())) {
            lookForNext(step.move());
        }
    }

    private void lookForNext(AddressMove move) {
        if (isThere(move.from())) {
            step(move, () -> open(move));
        } else if (find(move.to(), move.name()) == null) {
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
        Address old = find(move.from(), move.name());
        if (old == null) {
            step(move, () -> topics.alone(move, () -> settled(move)));
            return;
        }
        if (!old.isQueue()) {
            topics.keepBeside(old, step.word());
            topics.look(move, old).thenAccept(left -> {
                if (left == TopicMoves.Left.NOTHING) {
                    step(move, () -> topics.alone(move, () -> leave(move, old)));
                } else if (left == TopicMoves.Left.KEPT) {
                    say(step, new RetentionWord(true, 0));
                }
            });
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

    /** Says in the row what the owner of the other home has to know, unless the row says it. */
    private void say(CurrentMoves.Step step, RetentionWord word) {
        if (!step.word().covers(word)) {
            AddressMove move = step.move();
            step(move, () -> change(move, row -> HomeChange.put(word.and(row))).thenRun(() -> follow(move.name())));
        }
    }

    private void readNext(AddressMove move) {
        update(move, CurrentMoves.Step::nextRead);
        consumers.partMade(move.name());
    }

    /** Deletes the address at its old home, which owes nothing. */
    private CompletionStage<Void> leave(AddressMove move, Address old) {
        update(move, step -> step.left(true));
        consumers.leaves(move);
        CompletionStage<Void> deleted =
                old.isQueue() ? shards.get(move.from()).catalog().deleteStored(old, false) : topics.leave(move, old);
        return deleted.exceptionallyCompose(failure -> {
                    update(move, step -> step.left(false));
                    consumers.partMade(move.name());
                    return CompletableFuture.failedFuture(failure);
                })
                .thenCompose(done -> settled(move));
    }

    /** Says in the directory that the address lives in the next shard, as the old home has it no more. */
    private CompletionStage<Void> settled(AddressMove move) {
        update(move, step -> step.left(true));
        consumers.partMade(move.name());
        Address next = isThere(move.to()) ? find(move.to(), move.name()) : null;
        CompletionStage<Void> agreed =
                next == null || next.isQueue() ? CompletableFuture.completedFuture(null) : topics.agree(move, next);
        return agreed.thenCompose(told -> change(move, row -> HomeChange.put(row.moved(move.to()))))
                .thenRun(() -> ended(move));
    }

    private void ended(AddressMove move) {
        current.remove(move.name());
        consumers.partMade(move.name());
        LOG.info("'{}' has moved to shard {}", move.name(), move.to());
    }

    /** Forgets an address that neither home has: the shards are of backups of different moments. */
    private CompletionStage<Void> gone(AddressMove move) {
        return change(move, HomeChange::remove).thenRun(() -> current.remove(move.name()));
    }
}
