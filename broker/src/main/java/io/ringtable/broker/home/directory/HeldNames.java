package io.ringtable.broker.home.directory;

import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Gives the names of shared volatile subscriptions one topic each in all nodes of a cluster (ADR 79). The row of a name
 * says in which shard its topic is, as long as a link attends the subscription there. A row that a lost node has left
 * goes when its shard is taken, as rows do that no catalogue has.
 * <p>
 * Thread: any; the caller sees to it that questions of one name follow each other.
 */
public final class HeldNames {
    private static final HomeRow.Scope SCOPE = HomeRow.Scope.SUBSCRIPTION;

    /** Bounds the looks before a refusal: the last link may just have left, and its node says so in a moment. */
    private static final int LOOKS = 5;

    private static final long PAUSE_MS = 50; // between two of them

    private final Directory directory;
    private final Executor later;

    /** Has names in a directory. */
    public HeldNames(Directory directory) {
        this(directory, CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS));
    }

    /** @param later runs what is to be done after a pause */
    HeldNames(Directory directory, Executor later) {
        this.directory = directory;
        this.later = later;
    }

    /**
     * Holds a name for a topic.
     *
     * @param topic shards of all of its parts: whoever has the name there judges by itself
     * @param here those of them that this node has
     * @param holder says of any other shard why it keeps the name; null if nobody there can have it any more
     * @return fails with what the holder says
     */
    public CompletionStage<Void> hold(
            String clientId,
            String name,
            Collection<Integer> topic,
            Collection<Integer> here,
            IntFunction<Refusal> holder) {
        Supplier<Refusal> refused = () -> refusal(clientId, name, topic, holder);
        return look(refused, LOOKS)
                .thenCompose(known -> directory.change(() -> {
                    Refusal refusal = refused.get();
                    if (refusal != null) {
                        throw new Refusal.Refused(refusal);
                    }
                    List<HomeRow> rows = rows(clientId, name);
                    Collection<Integer> shards = new TreeSet<>(here);
                    rows.stream().map(HomeRow::shard).filter(topic::contains).forEach(shards::add);
                    return new DirectoryEntry(SCOPE, DirectoryEntry.volatileName(clientId, name), null, "", shards)
                            .changes(rows, HomeRow.State.HERE);
                }));
    }

    /** Looks at what other nodes have changed until nobody has the name, or often enough. */
    private CompletionStage<Void> look(Supplier<Refusal> refused, int looks) {
        if (looks == 0 || refused.get() == null) {
            return CompletableFuture.completedFuture(null);
        }
        return directory
                .refresh()
                .exceptionally(away -> null) // the change that follows says so
                .thenComposeAsync(known -> look(refused, looks - 1), looks == LOOKS ? Runnable::run : later);
    }

    /** Lets go of a name that no link attends any more. @param isHere tells which shards this node has */
    public CompletionStage<Void> release(String clientId, String name, IntPredicate isHere) {
        return directory.change(() -> rows(clientId, name).stream()
                .filter(row -> isHere.test(row.shard()))
                .map(HomeChange::remove)
                .toList());
    }

    private Refusal refusal(String clientId, String name, Collection<Integer> topic, IntFunction<Refusal> holder) {
        return rows(clientId, name).stream()
                .map(HomeRow::shard)
                .filter(shard -> !topic.contains(shard))
                .map(holder::apply)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private List<HomeRow> rows(String clientId, String name) {
        return directory.of(SCOPE, DirectoryEntry.volatileName(clientId, name));
    }
}
