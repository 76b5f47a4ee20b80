package io.ringtable.broker.home.going;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.home.directory.DirectoryEntry;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks names of durable subscriptions whose topics have parts at several nodes, while these may differ (ADR 82). The
 * mark is that of one making, change or deletion: a word of its own in {@code owner} of all rows. The subscription
 * counts once one change of the directory finds the mark as it was, and takes it from all rows. Anybody else may
 * condemn the name instead, in one change too. Then each node deletes what it has of it, and removes its rows.
 * <p>
 * Thread: any. Failure: a mark that stays over {@value #LOOKS_MAX} looks of a node has been left by one that died, and
 * is condemned.
 */
public final class GoingSubscriptions {
    private static final Logger LOG = LoggerFactory.getLogger(GoingSubscriptions.class);

    /** Is three leases, as a node looks five times in each: whoever was cut off for longer is given up by all. */
    static final int LOOKS_MAX = 15;

    private static final String MAKING = "//making ";
    private static final long PAUSE_MS = 50; // between two looks of whoever waits

    /** Bounds how often whoever waits looks: for 20 s and the time of the looks. */
    private static final int WAITS_MAX = 400;

    private final List<? extends Shard> shards;
    private final Directory directory;
    private final Turns turns;
    private final Consumer<Subscription> onDeleted;
    private final Executor later = CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS);
    private final Map<String, Seen> seen = new ConcurrentHashMap<>(); // marks, by name

    /** Says how often a mark has been seen. */
    private record Seen(String mark, int looks) {}

    /** Holds what a change of a name has begun with. @param before the rows that the name had */
    public record Mark(String name, String word, Collection<Integer> shards, List<HomeRow> before) {}

    /** Lets steps of one name follow each other. */
    @FunctionalInterface
    public interface Turns {
        CompletionStage<Void> next(String name, Supplier<CompletionStage<Void>> step);
    }

    /**
     * Makes one for the shards of a node.
     *
     * @param turns has steps that wait for no other node
     * @param onDeleted hears of each that this node has deleted as it was condemned, once no row has it here
     */
    public GoingSubscriptions(
            List<? extends Shard> shards, Directory directory, Turns turns, Consumer<Subscription> onDeleted) {
        this.shards = shards;
        this.directory = directory;
        this.turns = turns;
        this.onDeleted = onDeleted;
    }

    public List<HomeRow> rows(String name) {
        return directory.of(HomeRow.Scope.SUBSCRIPTION, name);
    }

    private boolean isHere(HomeRow row) {
        return row.shard() < shards.size() && !shards.get(row.shard()).lease().isOver();
    }

    private static boolean isGoing(HomeRow row) {
        return row.state() == HomeRow.State.GOING;
    }

    // ---- one change of a name

    /**
     * Waits until nobody else makes or deletes the name. A mark that nobody takes back is condemned at last.
     *
     * @return fails with RT-4610 if that takes too long
     */
    public CompletionStage<Void> settled(String name) {
        return settled(name, WAITS_MAX);
    }

    private CompletionStage<Void> settled(String name, int waits) {
        if (rows(name).stream().noneMatch(GoingSubscriptions::isGoing)) {
            return CompletableFuture.completedFuture(null);
        }
        if (waits == 0) {
            return CompletableFuture.failedFuture(new Refusal.Refused(goes(name)));
        }
        step(name);
        return CompletableFuture.runAsync(() -> {}, later)
                .thenCompose(rested -> directory.refresh().exceptionally(away -> null))
                .thenCompose(fresh -> settled(name, waits - 1));
    }

    private Refusal goes(String name) {
        return new Refusal(
                Refusal.Reason.IN_USE,
                "RT-4610",
                "subscription '" + Printable.value(name) + "' is being made or deleted in the shards "
                        + rows(name).stream().map(HomeRow::shard).toList()
                        + " at this moment. Or its deletion waits until each of these is served: try again");
    }

    /**
     * Marks a name, which nobody else makes or deletes.
     *
     * @param in shards that have it or are to have it
     * @param more is changed together with the mark
     */
    public CompletionStage<Mark> mark(String name, Collection<Integer> in, Supplier<Stream<HomeChange>> more) {
        List<HomeRow> before = rows(name);
        Set<Integer> all = new TreeSet<>(in);
        before.forEach(row -> all.add(row.shard()));
        Mark mark = new Mark(name, MAKING + UUID.randomUUID(), all, before);
        return directory
                .change(() -> {
                    List<HomeRow> rows = rows(name);
                    if (isUnchanged(mark, rows)) {
                        return List.of();
                    }
                    if (rows.stream().anyMatch(GoingSubscriptions::isGoing)) {
                        throw new Refusal.Refused(goes(name));
                    }
                    return Stream.concat(entry(mark, mark.word).changes(rows, HomeRow.State.GOING).stream(), more.get())
                            .toList();
                })
                .thenApply(marked -> mark);
    }

    private static DirectoryEntry entry(Mark mark, String owner) {
        return new DirectoryEntry(HomeRow.Scope.SUBSCRIPTION, mark.name, null, owner, mark.shards);
    }

    private static boolean isUnchanged(Mark mark, List<HomeRow> rows) {
        return rows.size() == mark.shards.size()
                && rows.stream().allMatch(row -> row.owner().equals(mark.word));
    }

    /**
     * Says that all parts have what was made.
     *
     * @param owner of a global subscription; empty = nobody
     * @return fails if somebody has condemned it meanwhile
     */
    public CompletionStage<Void> confirm(Mark mark, String owner) {
        return directory.change(() -> {
            List<HomeRow> rows = rows(mark.name);
            if (isUnchanged(mark, rows)) {
                return entry(mark, owner).changes(rows, HomeRow.State.HERE);
            }
            if (rows.size() == mark.shards.size()
                    && rows.stream().noneMatch(GoingSubscriptions::isGoing)
                    && rows.stream().allMatch(row -> row.owner().equals(owner))) {
                return List.of();
            }
            throw new Refusal.Refused(changed(mark.name));
        });
    }

    /** Returns why a subscription is not there, which a node has given up meanwhile. */
    public static Refusal changed(String name) {
        return new Refusal(
                Refusal.Reason.LIMIT,
                "RT-4656",
                "subscription '" + Printable.value(name)
                        + "' was changed or deleted at another node while it was attached: attach again");
    }

    /** Takes a mark back: nothing has been changed. */
    public CompletionStage<Void> takeBack(Mark mark) {
        return directory.change(() -> {
            List<HomeRow> rows = rows(mark.name);
            return isUnchanged(mark, rows)
                    ? rows.stream().map(row -> asBefore(mark, row)).toList()
                    : List.of();
        });
    }

    private static HomeChange asBefore(Mark mark, HomeRow row) {
        return mark.before.stream()
                .filter(before -> before.shard() == row.shard())
                .findFirst()
                .map(before -> HomeChange.put(new HomeRow(
                        row.scope(),
                        row.name(),
                        row.part(),
                        row.kind(),
                        row.shard(),
                        before.owner(),
                        before.state(),
                        row.version())))
                .orElseGet(() -> HomeChange.remove(row));
    }

    /** Has each node delete what it has of a name. This one is to have nothing of it any more. */
    public CompletionStage<Void> condemn(String name) {
        return directory.change(() -> condemning(name).toList()).thenRun(() -> step(name));
    }

    private Stream<HomeChange> condemning(String name) {
        return rows(name).stream()
                .filter(row -> isGoing(row) && !row.isCondemned())
                .map(row -> HomeChange.put(row.going(HomeRow.DELETED)));
    }

    // ---- what each node does

    /** Deletes what is condemned, and condemns what nobody goes on with. */
    public void look() {
        Map<String, List<HomeRow>> going = new HashMap<>();
        for (List<HomeRow> rows : directory.all()) {
            HomeRow row = rows.get(0);
            if (row.scope() == HomeRow.Scope.SUBSCRIPTION
                    && rows.stream().anyMatch(GoingSubscriptions::isGoing)
                    && rows.stream().anyMatch(this::isHere)) {
                going.put(row.name(), rows);
            }
        }
        seen.keySet().retainAll(going.keySet());
        going.forEach((name, rows) -> {
            if (rows.stream().noneMatch(HomeRow::isCondemned) && isLeft(name, rows)) {
                LOG.info(
                        "A node has gone that made or deleted subscription '{}' in the shards {}: it is deleted, as no"
                                + " client knows of it",
                        Printable.value(name),
                        rows.stream().map(HomeRow::shard).toList());
                condemn(name).exceptionally(later -> null);
            } else {
                step(name);
            }
        });
    }

    /** Tells whether a mark has stayed for too long. */
    private boolean isLeft(String name, List<HomeRow> rows) {
        String mark = rows.stream().map(row -> row.part() + ":" + row.version()).collect(Collectors.joining(","));
        Seen now = seen.merge(
                name,
                new Seen(mark, 1),
                (before, one) -> before.mark.equals(mark) ? new Seen(mark, before.looks + 1) : one);
        return now.looks > LOOKS_MAX;
    }

    /** Deletes what this node has of a name, if that is condemned. */
    private void step(String name) {
        if (rows(name).stream().anyMatch(row -> row.isCondemned() && isHere(row))) {
            turns.next(name, () -> delete(name)).exceptionally(failure -> {
                LOG.debug("subscription '{}' is deleted at a later look", name, failure);
                return null;
            });
        }
    }

    private CompletionStage<Void> delete(String name) {
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        List<Subscription> deleted = new ArrayList<>();
        for (HomeRow row : rows(name)) {
            Subscription its = row.isCondemned() && isHere(row) ? find(row) : null;
            if (its != null) {
                deleted.add(its);
                all = all.thenCompose(
                        done -> shards.get(row.shard()).catalog().unsubscribe(SubscriptionUser.NOBODY, its));
            }
        }
        return all.thenCompose(done -> directory.change(() -> rows(name).stream()
                        .filter(row -> row.isCondemned() && isHere(row) && find(row) == null)
                        .map(HomeChange::remove)
                        .toList()))
                .thenRun(() -> deleted.forEach(onDeleted));
    }

    private Subscription find(HomeRow row) {
        Shard shard = shards.get(row.shard());
        return shard.lookup().addresses().stream()
                .filter(address -> !address.isQueue())
                .flatMap(topic -> shard.lookup().subscriptionsOf(topic).stream())
                .filter(each -> each.isStored() && !each.isRetention())
                .filter(each -> DirectoryEntry.subscriptionName(each.clientId(), each.name())
                        .equals(row.name()))
                .findFirst()
                .orElse(null);
    }
}
