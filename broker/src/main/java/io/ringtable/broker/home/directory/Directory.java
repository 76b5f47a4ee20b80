package io.ringtable.broker.home.directory;

import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows where names live, as the directory says, and changes that. Everything known is of one version. Changes of
 * another node are read after the next change of this one, and when somebody asks for them ({@link #refresh}).
 * <p>
 * Thread: any looks up and asks, and never waits; {@code directory} asks the store. Stages complete on that thread.
 * <p>
 * Failure: a change that the store does not answer is asked for again, for at most {@value #PATIENCE_SECONDS} s from
 * when it was handed in. Then it is refused (RT-4538), made or not: the next change of the name sees which.
 * <p>
 * The others may add shards after they took this node for dead. It is about to end, and hears nothing more once a name
 * lives in a shard that it does not know (RT-4616).
 */
public final class Directory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Directory.class);
    private static final int PATIENCE_SECONDS = 10;
    private static final long PAUSE_MS = 100;
    /** Bounds how often another node may be faster with the same name: each time its answer is known. */
    private static final int TRIES = 10;

    private static final int CLOSE_SECONDS = 10;

    private final DirectoryStore store;
    private final int shards; // that this node knows
    private final ExecutorService thread;
    private final LongSupplier nanoTime;
    private final Runnable pause;
    /** Replaced as a whole after a removal by another node; written by directory, and before it by the starter. */
    private volatile Map<Name, List<HomeRow>> homes = new ConcurrentHashMap<>();

    /** Hears which name has other rows now; null = perhaps all. Written by the starter before anybody asks. */
    private volatile Consumer<String> onAddress = any -> {};

    /** The reading of other nodes' changes that has not begun yet; null = none. */
    private final AtomicReference<CompletableFuture<Void>> refreshing = new AtomicReference<>();

    private long version; // directory's, and before it the starter's
    private volatile boolean closing;

    private record Name(HomeRow.Scope scope, String name) {
        static Name of(HomeRow row) {
            return new Name(row.scope(), row.name());
        }
    }

    /**
     * @param shards how many there are
     * @param thread runs one task after the other
     */
    Directory(DirectoryStore store, int shards, ExecutorService thread, LongSupplier nanoTime, Runnable pause) {
        this.store = store;
        this.shards = shards;
        this.thread = thread;
        this.nanoTime = nanoTime;
        this.pause = pause;
        follow();
    }

    /**
     * Reads the directory, and starts its thread.
     *
     * @param shards how many this node knows
     * @throws StoreFailure if it cannot be read
     */
    public static Directory start(DirectoryStore store, int shards) {
        return new Directory(
                store,
                shards,
                Executors.newSingleThreadExecutor(task -> new Thread(task, "directory")),
                System::nanoTime,
                () -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MS)));
    }

    /** Returns the rows of a name by part; empty if there are none. */
    public List<HomeRow> of(HomeRow.Scope scope, String name) {
        return homes.getOrDefault(new Name(scope, name), List.of());
    }

    /** Returns what is known, by name. */
    public Collection<List<HomeRow>> all() {
        return homes.values();
    }

    /**
     * Names who hears which address has other rows, or null if any may have. The listener hears that on the thread that
     * asked the store, after {@link #of} says so, and returns soon.
     */
    public void listen(Consumer<String> listener) {
        onAddress = listener;
    }

    // ---- changes of other nodes

    /** Reads what other nodes have changed up to now. @return fails if the directory does not answer */
    public CompletionStage<Void> refresh() {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> waiting =
                refreshing.updateAndGet(before -> before == null ? mine : before); // one answer for all who wait
        return waiting != mine
                ? waiting
                : run(mine, () -> {
                    refreshing.set(null); // who asks from here on wants what is there from here on
                    follow();
                });
    }

    /** Runs a task between two changes, on the thread of the directory. @return fails as the task does */
    public CompletionStage<Void> between(Runnable task) {
        return run(new CompletableFuture<>(), task);
    }

    private CompletionStage<Void> run(CompletableFuture<Void> answer, Runnable task) {
        try {
            thread.execute(() -> {
                try {
                    task.run();
                    answer.complete(null);
                } catch (RuntimeException failure) {
                    answer.completeExceptionally(failure);
                }
            });
        } catch (RejectedExecutionException ended) {
            answer.completeExceptionally(stops());
        }
        return answer;
    }

    // ---- changes

    /**
     * Asks for changes until there is none to ask for. Refused with RT-4537 if other nodes are faster each time, and
     * with RT-4538 or RT-4539 if there is no answer.
     *
     * @param wanted says what is to be changed of what is known; asked on the caller's thread and on {@code directory}
     */
    public CompletionStage<Void> change(Supplier<List<HomeChange>> wanted) {
        return change(wanted, TRIES);
    }

    private CompletionStage<Void> change(Supplier<List<HomeChange>> wanted, int tries) {
        List<HomeChange> changes = wanted.get();
        if (changes.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        if (tries == 0) {
            HomeRow row = changes.get(0).row();
            return CompletableFuture.failedFuture(new Refusal.Refused(new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-4537",
                    "other nodes have changed where '" + row.name() + "' lives " + TRIES
                            + " times in a row: try again")));
        }
        return ask(changes).thenCompose(asked -> change(wanted, tries - 1));
    }

    private CompletionStage<Void> ask(List<HomeChange> changes) {
        long deadline = nanoTime.getAsLong() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        return between(() -> askUntil(deadline, changes));
    }

    private void askUntil(long deadline, List<HomeChange> changes) {
        while (!closing) {
            try {
                alter(changes);
                return;
            } catch (StoreFailure failure) {
                if (!isPassing(failure) || nanoTime.getAsLong() - deadline >= 0) {
                    throw new Refusal.Refused(new Refusal(
                            Refusal.Reason.LIMIT,
                            "RT-4538",
                            "the directory did not take where '"
                                    + changes.get(0).row().name() + "' lives: try again. " + failure.getMessage()));
                }
                LOG.debug("the directory is asked again", failure);
                pause.run();
            }
        }
        throw stops();
    }

    private static Refusal.Refused stops() {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.UNAVAILABLE, "RT-4539", "this node stops serving: connect again, perhaps elsewhere"));
    }

    private static boolean isPassing(StoreFailure failure) {
        return switch (failure.kind()) {
            case UNAVAILABLE, OUTCOME_UNKNOWN, RETRYABLE, NOT_WRITABLE -> true;
            case REFUSED, CORRUPT, UNSUPPORTED, FENCED -> false;
        };
    }

    /**
     * Asks for changes once, on the caller's thread: that of the starter, before anybody else asks.
     *
     * @return whether they are made
     * @throws StoreFailure as the store has it
     */
    public boolean alter(List<HomeChange> changes) {
        DirectoryStore.Answer answer = store.alter(changes);
        checkShards(answer.rows());
        Map<Name, List<HomeRow>> now = answer.rows().stream().collect(Collectors.groupingBy(Name::of));
        for (HomeChange change : changes) {
            Name name = Name.of(change.row());
            know(name, now.getOrDefault(name, List.of()));
        }
        if (answer.version() == (answer.isApplied() ? version + 1 : version)) {
            version = answer.version();
        } else {
            followAnother();
        }
        return answer.isApplied();
    }

    private void know(Name name, List<HomeRow> rows) {
        if (rows.isEmpty()) {
            homes.remove(name);
        } else {
            homes.put(
                    name,
                    rows.stream().sorted(Comparator.comparingInt(HomeRow::part)).toList());
        }
        if (name.scope() == HomeRow.Scope.ADDRESS) {
            onAddress.accept(name.name());
        }
    }

    /** Reads what another node has changed. If that fails, the next change reads it. */
    private void followAnother() {
        try {
            follow();
        } catch (StoreFailure | Refusal.Refused failure) {
            LOG.debug("what another node has changed in the directory is read later", failure);
        }
    }

    private void follow() {
        DirectoryStore.Changes changes = store.changes(version);
        checkShards(changes.rows());
        if (changes.isWhole()) {
            Map<Name, List<HomeRow>> all = new ConcurrentHashMap<>();
            changes.rows().stream()
                    .sorted(Comparator.comparingInt(HomeRow::part))
                    .collect(Collectors.groupingBy(Name::of))
                    .forEach(all::put);
            homes = all;
            onAddress.accept(null);
        } else {
            changes.rows().stream() // a name is told once, with all of its parts
                    .collect(Collectors.groupingBy(Name::of, LinkedHashMap::new, Collectors.toList()))
                    .forEach((name, rows) -> know(name, replaced(name, rows)));
        }
        version = changes.version();
    }

    /** Refuses rows in shards that this node does not know: links would take some parts of a name for all of them. */
    private void checkShards(List<HomeRow> rows) {
        rows.stream()
                .filter(row -> row.scope().livesInShards())
                .filter(row -> Math.max(row.shard(), row.next()) >= shards)
                .findFirst()
                .ifPresent(row -> {
                    throw new Refusal.Refused(new Refusal(
                            Refusal.Reason.UNAVAILABLE,
                            "RT-4616",
                            "'" + Printable.value(row.name()) + "' lives in shard "
                                    + Math.max(row.shard(), row.next()) + ", and this node knows " + shards
                                    + " shards: connect to another node, as this one ends"));
                });
    }

    private List<HomeRow> replaced(Name name, List<HomeRow> changed) {
        List<HomeRow> rows = new ArrayList<>(of(name.scope(), name.name()));
        rows.removeIf(earlier -> changed.stream().anyMatch(row -> row.part() == earlier.part()));
        rows.addAll(changed);
        return rows;
    }

    /** Refuses what is asked from now on. A call that is under way may still be made. */
    @Override
    public void close() {
        closing = true;
        thread.shutdown();
        try {
            if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the directory did not answer within {} s: its last change is made or not", CLOSE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
