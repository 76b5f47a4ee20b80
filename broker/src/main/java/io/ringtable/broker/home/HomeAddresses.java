package io.ringtable.broker.home;

import io.ringtable.broker.catalog.AddressCreation;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.home.directory.DirectoryEntry;
import io.ringtable.broker.home.directory.InTurns;
import io.ringtable.broker.home.going.GoingAddresses;
import io.ringtable.broker.home.move.AddressMoves;
import io.ringtable.broker.home.move.CurrentMoves;
import io.ringtable.broker.home.move.MoveCheck;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives new addresses their homes, and deletes addresses. The directory hears of it first: it has the name before the
 * home makes the address, and marks the name before the home deletes it. When the home has answered, the directory gets
 * to know what there is now (ADR 47). Calls for one name wait for each other.
 * <p>
 * Thread: any. An address that exists is found without the directory.
 * <p>Longer than others, because all that becomes of a name has its turn here.
 */
final class HomeAddresses {
    private static final Logger LOG = LoggerFactory.getLogger(HomeAddresses.class);

    private final List<? extends Shard> shards;
    private final IntSupplier begun;
    private final HomeLookup lookup;
    private final HomeChoice choice;
    private final HomeParts parts;
    private final Directory directory;
    private final DirectoryCheck check;
    private final CurrentMoves current;
    private final AddressMoves moves;
    private final GoingAddresses going;
    private final Consumer<String> onOwned;
    private final InTurns names = new InTurns();

    /**
     * Makes one for the shards of a node.
     *
     * @param begun gives how many of the shards new addresses may get
     * @param subscriptions hears of each durable one that went with its topic at another node's request
     * @param onOwned hears of an address whose parts in shards of this node are made, as another one has placed them
     */
    HomeAddresses(
            List<? extends Shard> shards,
            IntSupplier begun,
            HomeLookup lookup,
            HomeParts parts,
            Directory directory,
            DirectoryCheck check,
            CurrentMoves current,
            HomeQueues queues,
            HomeSubscriptions subscriptions,
            Consumer<String> onOwned) {
        this.onOwned = onOwned;
        this.shards = shards;
        this.begun = begun;
        this.lookup = lookup;
        this.choice = new HomeChoice(shards, begun);
        this.parts = parts;
        this.directory = directory;
        this.check = check;
        this.current = current;
        this.moves = new AddressMoves(
                shards, directory, current, (name, step) -> names.next(name, step::take), queues, subscriptions);
        this.going = new GoingAddresses(shards, directory, new GoingNames(subscriptions::agree));
    }

    private CatalogMailbox of(Address address) {
        return shards.get(HomeParts.shardOf(address)).catalog();
    }

    // ---- new ones

    /** Finds or creates an address for a client. @param kind null if the client names none */
    CompletionStage<Address> ensure(String name, AddressKind kind) {
        Address known = lookup.find(name);
        boolean isToldOtherwise = known != null
                && kind != null
                && known.kind() != kind
                && AwayShard.of(shards, HomeParts.shardOf(known)) != null;
        CompletionStage<Void> fresh = isToldOtherwise ? refreshed() : CompletableFuture.completedFuture(null);
        return fresh.thenCompose(
                asked -> inHome(name, policies -> policies.kindOf(name, kind), home -> home.ensure(name, kind)));
    }

    /** Reads what other nodes have made and deleted, if the directory answers. */
    private CompletionStage<Void> refreshed() {
        return AwayShard.isAnyShared(shards)
                ? directory.refresh().exceptionally(away -> null)
                : CompletableFuture.completedFuture(null);
    }

    /** Finds or creates an address for an administrator. */
    CompletionStage<Address> create(String name, AddressKind kind) {
        return inHome(
                name,
                policies -> {
                    policies.check(name, kind);
                    return kind;
                },
                home -> home.create(name, kind));
    }

    /**
     * Asks the home of an address, also of a new one.
     *
     * @param kind returns that of a new address, or throws what forbids it
     */
    private CompletionStage<Address> inHome(
            String name,
            Function<AddressPolicies, AddressKind> kind,
            Function<CatalogMailbox, CompletionStage<Address>> ask) {
        Address known = lookup.find(name);
        if (known != null && !known.quota().isClosed()) {
            return ask.apply(of(orPartHere(known)));
        }
        return names.next(name, () -> {
            Address meanwhile = lookup.find(name);
            if (meanwhile != null) {
                requireOpen(meanwhile);
                return ask.apply(of(orPartHere(meanwhile)));
            }
            AddressCreation.checkName(name);
            if (!AwayShard.isAnyShared(shards)) {
                return make(name, kind.apply(shards.get(0).policies().now()), ask);
            }
            return refreshed() // whoever makes a name asks the directory once more
                    .thenCompose(fresh -> owes(name) ? makeOwingNow(name) : CompletableFuture.completedFuture(null))
                    .thenCompose(owned -> {
                        Address byOther = lookup.find(name);
                        return byOther != null
                                ? ask.apply(of(orPartHere(byOther)))
                                : make(name, kind.apply(shards.get(0).policies().now()), ask);
                    });
        });
    }

    /** Returns a part of an address that this node has; the one that is given if it has none. */
    private Address orPartHere(Address any) {
        boolean isMoving = current.of(any.name()) != null;
        return isMoving || AwayShard.of(shards, HomeParts.shardOf(any)) == null
                ? any
                : lookup.parts(any).stream()
                        .filter(part -> AwayShard.of(shards, HomeParts.shardOf(part)) == null)
                        .findFirst()
                        .orElse(any);
    }

    private void requireOpen(Address address) {
        if (current.of(address.name()) != null && address.quota().isClosed()) {
            throw new Refusal.Refused(MoveCheck.notThereYet(address));
        }
    }

    private CompletionStage<Address> make(
            String name, AddressKind kind, Function<CatalogMailbox, CompletionStage<Address>> ask) {
        Refusal goes = going.refusal(name);
        if (goes != null) {
            throw new Refusal.Refused(goes);
        }
        if (directory.of(HomeRow.Scope.ADDRESS, name).isEmpty()) { // else it has its parts
            parts.requireBegun(name);
        }
        int together = choice.together(name);
        int[] chosen = choose(name);
        Collection<Integer> wanted = homesOf(name, kind, chosen);
        for (int home : wanted) {
            AwayShard away = AwayShard.of(shards, home);
            if (away != null && !(away.isShared() && ownAmong(wanted).length > 0)) {
                choice.answered(chosen);
                throw away.refusesNew("address '" + name + "'");
            }
        }
        return place(name, kind, chosen, together)
                .thenCompose(homes -> {
                    int[] own = ownAmong(homes);
                    return settled(
                            name,
                            own.length < 2
                                    ? ask.apply(shards.get(
                                                    own.length == 0
                                                            ? homes.iterator().next()
                                                            : own[0])
                                            .catalog())
                                    : parts.make(name, own, shard -> ask.apply(shard.catalog())));
                })
                .whenComplete((address, failure) -> choice.answered(chosen))
                .exceptionallyCompose(failure -> failure.getCause() instanceof AnotherHome
                        ? make(name, kind, ask)
                        : CompletableFuture.failedFuture(failure));
    }

    /** Means that another node has begun with the affinity of a name. */
    private static final class AnotherHome extends RuntimeException {
        private static final long serialVersionUID = 1L;

        AnotherHome() {
            super("the affinity lives elsewhere", null, false, false);
        }
    }

    /** Returns the homes without those that other nodes may own, which make their parts by themselves. */
    private int[] ownAmong(Collection<Integer> homes) {
        return homes.stream()
                .filter(home -> !(shards.get(home) instanceof AwayShard away && away.isShared()))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /**
     * Hides a name that another node has just given several parts, until all of them are known here, and those of this
     * node made. A publisher that saw some of them would send keys to the wrong ones.
     *
     * @return whether {@link #show} must follow
     */
    boolean hideParted(String name) {
        boolean isNew = directory.of(HomeRow.Scope.ADDRESS, name).size() > 1
                && lookup.parts(name).isEmpty();
        if (isNew) {
            lookup.hide(name);
        }
        return isNew;
    }

    /** Shows a name once it is the turn of nobody who makes it. */
    void show(String name) {
        names.next(name, () -> {
            lookup.show(name);
            return CompletableFuture.completedFuture(null);
        });
    }

    /** Waits for all that has its turn at the name up to now. */
    CompletionStage<Void> afterTurns(String name) {
        return names.next(name, () -> CompletableFuture.completedFuture(null));
    }

    /** Tells whether shards of this node lack a part that another node has placed there. */
    boolean owes(String name) {
        return !owing(name).isEmpty();
    }

    /** Makes the parts that another node has placed in shards of this one. Then its parts are known here too. */
    void makeOwing(String name) {
        names.next(name, () -> makeOwingNow(name));
    }

    /** Does so in the turn of the name. @return never fails */
    private CompletionStage<Void> makeOwingNow(String name) {
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (HomeRow row : owing(name)) { // some are made by whoever had the turn before
            CatalogMailbox home = shards.get(row.shard()).catalog();
            all = all.thenCompose(done -> home.create(name, row.kind())).handle((made, failure) -> {
                if (failure != null) {
                    LOG.warn("a part of '{}' is missing until its shard starts anew", name, failure);
                }
                return null;
            });
        }
        return all.thenRun(() -> onOwned.accept(name));
    }

    private List<HomeRow> owing(String name) {
        List<HomeRow> rows = directory.of(HomeRow.Scope.ADDRESS, name);
        return rows.size() < 2
                ? List.of()
                : rows.stream()
                        .filter(row -> row.state() == HomeRow.State.HERE)
                        .filter(row -> !(shards.get(row.shard()) instanceof AwayShard)
                                && shards.get(row.shard()).lookup().find(name) == null)
                        .toList();
    }

    /** Chooses homes. A shard that is away is none of them, unless the name needs it: for its affinity or its parts. */
    private int[] choose(String name) {
        int count = parts.wanted(name);
        int[] chosen = choice.next(name, count, List.of());
        List<Integer> out = choice.away();
        boolean isFree = Arrays.stream(chosen).noneMatch(out::contains);
        String affinity = shards.get(0).policies().now().of(name).affinity();
        if (isFree || count > begun.getAsInt() - out.size() || !affinity.isEmpty()) {
            return chosen;
        }
        choice.answered(chosen);
        return choice.next(name, count, out);
    }

    /**
     * Gives the name a home in the directory. A name that has one already keeps it: another node was faster, or an
     * earlier owner left the name without its address.
     *
     * @param chosen for a name without a home
     * @param together where its affinity lives, as it was known when that was chosen
     * @return the homes that it has, in ascending order; fails with {@link AnotherHome}
     */
    private CompletionStage<Collection<Integer>> place(String name, AddressKind kind, int[] chosen, int together) {
        return CompletableFuture.completedFuture(null)
                .thenCompose(any -> directory.change(() -> {
                    List<HomeChange> changes =
                            check.placing(DirectoryEntry.address(name, kind, homesOf(name, kind, chosen)));
                    return changes.isEmpty() || together == Affinities.NONE || !AwayShard.isAnyShared(shards)
                            ? changes
                            : Stream.concat(changes.stream(), begun(name, together))
                                    .toList();
                }))
                .thenApply(placed -> homesOf(name, kind, chosen));
    }

    /**
     * Enters where the affinity of a name begins, in the same change as its first address. So of two nodes that begin
     * at once one is first, and the other one follows.
     */
    private Stream<HomeChange> begun(String name, int together) {
        String affinity = shards.get(0).policies().now().of(name).affinity();
        Affinities affinities = choice.affinities();
        HomeRow row = directory.of(HomeRow.Scope.AFFINITY, affinity).stream()
                .findFirst()
                .orElse(null);
        boolean isNew = affinities.isNew(affinity);
        if (isNew && row != null) {
            affinities.begins(affinity, row.shard());
        }
        if (choice.together(name) != together) {
            throw new AnotherHome();
        }
        return isNew && row == null
                ? Stream.of(HomeChange.put(
                        new HomeRow(HomeRow.Scope.AFFINITY, affinity, 0, null, together, "", HomeRow.State.HERE, 0)))
                : Stream.empty();
    }

    private Collection<Integer> homesOf(String name, AddressKind kind, int[] chosen) {
        List<HomeRow> rows = directory.of(HomeRow.Scope.ADDRESS, name);
        TreeSet<Integer> homes = new TreeSet<>(rows.stream().map(HomeRow::shard).toList());
        if (rows.isEmpty() || parts.isDestination(name)) { // of which every shard has a part
            Arrays.stream(chosen).forEach(homes::add);
        }
        boolean hasParts = kind == AddressKind.QUEUE || parts.wanted(name) > 1;
        return hasParts ? homes : List.of(homes.first()); // rows of an earlier queue
    }

    /** Takes the row back if the home refuses the address. */
    private CompletionStage<Address> settled(String name, CompletionStage<Address> made) {
        return check.afterwards(made, () -> Stream.of(check.address(name)));
    }

    /**
     * Makes the parts that an address lacks, whatever {@link io.ringtable.broker.catalog.AddressCreation} says: it
     * exists already, is empty, and nobody uses it.
     *
     * @param all of the parts that there are, by shard
     */
    CompletionStage<Address> complete(String name, List<Address> all) {
        return names.next(name, () -> {
            AddressKind kind = all.get(0).kind();
            List<Integer> taken = all.stream().map(HomeParts::shardOf).toList();
            int[] homes = choice.next(name, parts.wanted(name) - taken.size(), taken);
            List<Integer> wanted = new ArrayList<>(taken);
            IntStream.of(homes).forEach(wanted::add);
            return directory
                    .change(() -> check.changes(DirectoryEntry.address(name, kind, wanted)))
                    .thenCompose(placed -> settled(
                            name,
                            parts.make(name, homes, shard -> shard.catalog().create(name, kind))))
                    .whenComplete((address, failure) -> choice.answered(homes));
        });
    }

    /** Tells the directory of a part that a shard has made by itself: policies move messages to the queue (ADR 49). */
    void agree(String queue) {
        names.next(queue, () -> check.agree(() -> Stream.of(check.address(queue))));
    }

    // ---- those that go

    /**
     * Deletes an address with its parts. Once the home has deleted it, the call succeeds, whether the directory hears
     * of that or not. Parts that other nodes have go by the rows of the directory.
     */
    CompletionStage<Void> delete(Address address, boolean evenIfUsed) {
        String name = address.name();
        if (isOfSeveralNodes(lookup.parts(address))) {
            return names.<Void>next(name, () -> {
                        requireAtRest(name);
                        return CompletableFuture.completedFuture(null);
                    })
                    .thenCompose(rests -> going.delete(name, evenIfUsed));
        }
        return names.next(name, () -> {
            List<Address> all = lookup.parts(name);
            if (!all.contains(address)) { // deleted meanwhile: a later address of the name is another one
                return of(address).deleteStored(address, evenIfUsed);
            }
            refuseWhileAway(all); // before any part is gone
            requireAtRest(name);
            return directory
                    .change(() -> going(name))
                    .thenCompose(marked -> deleteParts(name, all, evenIfUsed))
                    .thenRun(() -> parts.deleted(name));
        });
    }

    private boolean isOfSeveralNodes(List<Address> all) {
        return all.size() > 1 && all.stream().anyMatch(part -> AwayShard.isShared(shards, HomeParts.shardOf(part)));
    }

    private void refuseWhileAway(List<Address> all) {
        for (Address part : all) {
            AwayShard away = AwayShard.of(shards, HomeParts.shardOf(part));
            if (away != null) {
                throw new Refusal.Refused(away.refusal());
            }
        }
    }

    /** Tells those who look names up of deletions at several nodes. */
    private final class GoingNames implements GoingAddresses.Names {
        private final Consumer<Subscription> onGone;

        GoingNames(Consumer<Subscription> onGone) {
            this.onGone = onGone;
        }

        @Override
        public CompletionStage<Void> inTurn(String name, Supplier<CompletionStage<Void>> step) {
            return names.next(name, step);
        }

        @Override
        public void hide(String name) {
            lookup.hide(name);
        }

        @Override
        public void show(String name) {
            lookup.show(name);
            parts.deleted(name);
            check.agree(() -> Stream.of(check.address(name)));
        }

        @Override
        public void deleted(List<Subscription> durable) {
            durable.forEach(onGone);
        }
    }

    /** Returns what deletes addresses with parts at several nodes. */
    GoingAddresses going() {
        return going;
    }

    // ---- those that move

    /** Returns what takes moves on. */
    AddressMoves moves() {
        return moves;
    }

    boolean moves(String name) {
        return current.of(name) != null;
    }

    /** Begins to move an address. Completes once publishers go to the next shard. */
    CompletionStage<Void> move(Address address, int to, boolean evenIfParted) {
        String name = address.name();
        return names.next(name, () -> {
            requireAtRest(name);
            int from = HomeParts.shardOf(address);
            Refusal refusal = new MoveCheck(shards, begun.getAsInt()).refusal(address, to, evenIfParted);
            if (refusal != null) {
                throw new Refusal.Refused(refusal);
            }
            return directory
                    .change(() -> check.changes(check.address(name)))
                    .thenCompose(agreed -> moves.begin(new AddressMove(name, from, to)));
        });
    }

    private void requireAtRest(String name) {
        AddressMove move = current.of(name);
        if (move != null) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.IN_USE,
                    "RT-4629",
                    "'" + name + "' moves from shard " + move.from() + " to shard " + move.to()
                            + ": wait until nothing is left in shard " + move.from() + ", or purge it. Of a topic purge"
                            + " or delete the subscriptions that nobody reads"));
        }
    }

    private List<HomeChange> going(String name) {
        return directory.of(HomeRow.Scope.ADDRESS, name).stream()
                .filter(row -> row.state() != HomeRow.State.GOING)
                .map(row -> HomeChange.put(row.with(HomeRow.State.GOING)))
                .toList();
    }

    private CompletionStage<Void> deleteParts(String name, List<Address> all, boolean evenIfUsed) {
        CompletionStage<Void> deleted = CompletableFuture.completedFuture(null);
        for (Address part : mostOwedFirst(all)) {
            deleted = deleted.thenCompose(done -> of(part).deleteStored(part, evenIfUsed));
        }
        return check.afterwards(deleted, () -> Stream.of(check.address(name)));
    }

    /** Returns the parts in such an order that one with messages refuses before another one is gone. */
    private List<Address> mostOwedFirst(List<Address> all) {
        return all.stream()
                .sorted(Comparator.comparingLong((Address part) -> part.quota().messages())
                        .reversed())
                .toList();
    }
}
