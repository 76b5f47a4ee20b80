package io.ringtable.broker.home.going;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
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
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes addresses whose parts lie at several nodes (ADR 82). The rows of the directory say what each node is to do:
 * <ol>
 *   <li>{@link HomeRow#ASKED}: look whether the part is in use, and take nothing more for it meanwhile;
 *   <li>{@link HomeRow#AGREED}: wait for the others. If one of them finds its part in use, all rows are as before.
 *       Each node that sees all agreed condemns them;
 *   <li>{@link HomeRow#DELETED}: delete the part, then remove its row. All rows say so at once.
 * </ol>
 * A deletion whether the address is in use or not begins with the last.
 * <p>
 * Thread: any. The steps of one name follow each other, and all other changes of it. Failure: a step that fails is
 * taken again at the next {@link #look}.
 */
public final class GoingAddresses {
    private static final Logger LOG = LoggerFactory.getLogger(GoingAddresses.class);
    private static final long PAUSE_MS = 50; // between two looks of whoever has asked

    /** Bounds how often whoever has asked looks: for 15 s and the time of the looks. */
    private static final int LOOKS = 300;

    private final List<? extends Shard> shards;
    private final Directory directory;
    private final Names names;
    private final Executor later = CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS);
    private final Set<String> known = ConcurrentHashMap.newKeySet(); // names of which this node has taken a step

    /** Does with names what this class does not know. */
    public interface Names {
        /** Asks once what concerns the name and was asked before has its answer. */
        CompletionStage<Void> inTurn(String name, Supplier<CompletionStage<Void>> step);

        /** Has nobody find the name. */
        void hide(String name);

        /** Has the name found again, if there is anything of it. The directory is made to say what there is. */
        void show(String name);

        /** Hears that a part is deleted, and the durable subscriptions that it had with it. */
        void deleted(List<Subscription> durable);
    }

    public GoingAddresses(List<? extends Shard> shards, Directory directory, Names names) {
        this.shards = shards;
        this.directory = directory;
        this.names = names;
    }

    private List<HomeRow> rows(String name) {
        return directory.of(HomeRow.Scope.ADDRESS, name);
    }

    private static boolean isMarked(HomeRow row) {
        return row.isAskedFor() || row.isCondemned();
    }

    private boolean isHere(HomeRow row) {
        return row.shard() < shards.size() && !shards.get(row.shard()).lease().isOver();
    }

    private CatalogLookup lookup(HomeRow row) {
        return shards.get(row.shard()).lookup();
    }

    // ---- asking

    /**
     * Deletes an address. Refused before anything is done if a part has no owner now.
     *
     * @param evenIfUsed if false, it stays while any part is in use
     * @return fails with RT-4612 if it is being deleted, and not yet gone
     */
    public CompletionStage<Void> delete(String name, boolean evenIfUsed) {
        return directory
                .refresh()
                .thenCompose(fresh -> names.inTurn(
                        name, () -> directory.change(() -> marks(name, evenIfUsed ? HomeRow.DELETED : HomeRow.ASKED))))
                .thenCompose(marked -> await(name, LOOKS));
    }

    private List<HomeChange> marks(String name, String step) {
        List<HomeRow> rows = rows(name);
        if (rows.stream().anyMatch(HomeRow::isCondemned)) {
            return List.of(); // it goes already
        }
        for (HomeRow row : rows) {
            Refusal away = isHere(row) ? null : withoutOwner(row);
            if (away != null) {
                throw new Refusal.Refused(away);
            }
        }
        return rows.stream()
                .filter(row -> !row.owner().equals(step) && !row.isAgreed() || step.equals(HomeRow.DELETED))
                .map(row -> HomeChange.put(row.going(step)))
                .toList();
    }

    /** Returns why nobody can delete the part of a row now; null if another node can. */
    private Refusal withoutOwner(HomeRow row) {
        Address part = lookup(row).find(row.name());
        Home home = part == null ? null : shards.get(row.shard()).homeOf(part);
        return home == null || home.elsewhere() != null ? null : home.refusal();
    }

    /** Waits until no node has anything to do for the name. */
    private CompletionStage<Void> await(String name, int looks) {
        List<HomeRow> rows = rows(name);
        if (rows.stream().noneMatch(GoingAddresses::isMarked)) {
            return rows.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(new Refusal.Refused(stays(name)));
        }
        if (looks == 0) {
            return CompletableFuture.failedFuture(new Refusal.Refused(goes(name)));
        }
        return CompletableFuture.runAsync(() -> {}, later)
                .thenCompose(rested -> directory.refresh().exceptionally(away -> null))
                .thenCompose(fresh -> await(name, looks - 1));
    }

    private static Refusal stays(String name) {
        return new Refusal(
                Refusal.Reason.IN_USE,
                "RT-4657",
                "'" + Printable.value(name)
                        + "' is in use: one of its parts has messages, or durable subscriptions. End that, or force the"
                        + " deletion");
    }

    /** Returns why an address is not made that other nodes are deleting; null if they are not. */
    public Refusal refusal(String name) {
        return rows(name).stream().anyMatch(HomeRow::isCondemned) ? goes(name) : null;
    }

    private Refusal goes(String name) {
        return new Refusal(
                Refusal.Reason.IN_USE,
                "RT-4612",
                "'" + Printable.value(name) + "' is being deleted, and its parts in the shards "
                        + rows(name).stream().map(HomeRow::shard).toList()
                        + " are not gone yet. That goes on by itself, as soon as each of these is served: try again");
    }

    // ---- what each node does

    /** Takes nothing for parts of a shard that is about to be served, if they are to be deleted. */
    public void hold(Shard taken) {
        directory.all().stream()
                .flatMap(List::stream)
                .filter(row -> row.scope() == HomeRow.Scope.ADDRESS && row.isCondemned())
                .map(row -> taken.lookup().find(row.name()))
                .filter(part -> part != null)
                .forEach(part -> part.quota().goes());
    }

    /** Takes the next step of whatever the directory has of a name. @param name null = of all names */
    public void follow(String name) {
        if (name == null) {
            look();
        } else if (known.contains(name) || rows(name).stream().anyMatch(GoingAddresses::isMarked)) {
            step(name);
        }
    }

    /** Takes the next step of each name that is due. */
    public void look() {
        Stream<String> marked = directory.all().stream()
                .flatMap(List::stream)
                .filter(row -> row.scope() == HomeRow.Scope.ADDRESS && isMarked(row))
                .map(HomeRow::name);
        Stream.concat(marked, known.stream()).distinct().toList().forEach(this::step);
    }

    /** Takes a step once all is known that the directory has: rows of one change become known one by one. */
    private void step(String name) {
        names.inTurn(name, () -> directory.between(() -> {}).thenCompose(known -> next(name)))
                .exceptionally(failure -> {
                    LOG.debug("the deletion of '{}' goes on later", name, failure);
                    return null;
                });
    }

    private CompletionStage<Void> next(String name) {
        List<HomeRow> rows = rows(name);
        if (rows.stream().noneMatch(GoingAddresses::isMarked)) {
            return over(name, rows);
        }
        known.add(name);
        if (rows.stream().anyMatch(HomeRow::isCondemned)) {
            names.hide(name);
            return each(rows, HomeRow::isCondemned, this::delete).thenCompose(deleted -> forget(name));
        }
        if (rows.stream().allMatch(HomeRow::isAgreed)) {
            return condemn(name);
        }
        return rows.stream().allMatch(HomeRow::isAskedFor)
                ? each(rows, row -> !row.isAgreed(), this::judge)
                : directory.refresh().thenCompose(fresh -> takeBack(name, false));
    }

    /** Does something for each part of this node, one after the other. */
    private CompletionStage<Void> each(
            List<HomeRow> rows, Predicate<HomeRow> which, Function<HomeRow, CompletionStage<Void>> what) {
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (HomeRow row : rows) {
            if (isHere(row) && which.test(row)) {
                all = all.thenCompose(done -> what.apply(row));
            }
        }
        return all;
    }

    /** Lets what there is of the name be used again: the deletion is over, or was taken back. */
    private CompletionStage<Void> over(String name, List<HomeRow> rows) {
        if (known.remove(name)) {
            for (HomeRow row : rows) {
                Address part = isHere(row) ? lookup(row).find(name) : null;
                if (part != null) {
                    part.quota().stays();
                }
            }
            names.show(name);
        }
        return CompletableFuture.completedFuture(null);
    }

    // ---- whether it is in use

    /** Takes nothing more for a part, and looks whether it is in use once all that was accepted is stored. */
    private CompletionStage<Void> judge(HomeRow row) {
        Address part = lookup(row).find(row.name());
        if (part == null) {
            return agree(row);
        }
        part.quota().goes();
        return shards.get(row.shard())
                .catalog()
                .afterEarlier()
                .thenCompose(stored -> isUsed(lookup(row), part) ? takeBack(row.name(), true) : agree(row));
    }

    private static boolean isUsed(CatalogLookup lookup, Address part) {
        if (part.isQueue()) {
            Subscription reader = lookup.readerOf(part);
            return reader != null && lookup.owedBy(reader) > 0;
        }
        return lookup.subscriptionsOf(part).stream()
                .anyMatch(each -> each.isStored() && (!each.isRetention() || lookup.owedBy(each) > 0));
    }

    /** Says that a part may be deleted. */
    private CompletionStage<Void> agree(HomeRow judged) {
        return directory.change(() -> {
            List<HomeRow> rows = rows(judged.name());
            return rows.stream().allMatch(HomeRow::isAskedFor)
                    ? rows.stream()
                            .filter(row -> isOf(judged, row) && !row.isAgreed())
                            .map(row -> HomeChange.put(row.going(HomeRow.AGREED)))
                            .toList()
                    : List.of(); // another part is in use
        });
    }

    /** Has all parts deleted. Each node that sees all agreed says so: two may agree at once, and neither is last. */
    private CompletionStage<Void> condemn(String name) {
        return directory.change(() -> {
            List<HomeRow> rows = rows(name);
            return rows.stream().allMatch(HomeRow::isAgreed)
                    ? rows.stream()
                            .map(row -> HomeChange.put(row.going(HomeRow.DELETED)))
                            .toList()
                    : List.of();
        });
    }

    private static boolean isOf(HomeRow judged, HomeRow row) {
        return row.part() == judged.part() && row.shard() == judged.shard();
    }

    /**
     * Says that the address stays.
     *
     * @param isUsed whether a part is in use; else the shard of one has another owner since, who knows of nothing
     */
    private CompletionStage<Void> takeBack(String name, boolean isUsed) {
        return directory.change(() -> {
            List<HomeRow> rows = rows(name);
            boolean isOver = rows.stream().anyMatch(HomeRow::isCondemned);
            boolean isWhole = rows.stream().allMatch(HomeRow::isAskedFor);
            return isOver || isWhole && !isUsed
                    ? List.of()
                    : rows.stream()
                            .filter(HomeRow::isAskedFor)
                            .map(row -> HomeChange.put(row.staying()))
                            .toList();
        });
    }

    // ---- deleting

    private CompletionStage<Void> delete(HomeRow row) {
        CatalogLookup lookup = lookup(row);
        Address part = lookup.find(row.name());
        if (part == null) {
            return CompletableFuture.completedFuture(null);
        }
        List<Subscription> durable = lookup.subscriptionsOf(part).stream()
                .filter(each -> each.isStored() && !each.isRetention() && !part.isQueue())
                .toList();
        return shards.get(row.shard()).catalog().deleteStored(part, true).thenRun(() -> names.deleted(durable));
    }

    /** Removes the rows of parts that are gone. */
    private CompletionStage<Void> forget(String name) {
        return directory.change(() -> rows(name).stream()
                .filter(row -> row.isCondemned() && isHere(row) && lookup(row).find(name) == null)
                .map(HomeChange::remove)
                .toList());
    }
}
