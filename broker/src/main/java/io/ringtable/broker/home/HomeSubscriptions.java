package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.ClientOwners;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.dispatch.CreationElsewhere;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.PartsElsewhere;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.home.directory.DirectoryEntry;
import io.ringtable.broker.home.directory.HeldNames;
import io.ringtable.broker.home.directory.InTurns;
import io.ringtable.broker.home.going.GoingSubscriptions;
import io.ringtable.broker.home.move.AddressMoves;
import io.ringtable.broker.home.move.MoveCheck;
import io.ringtable.broker.home.move.SubscriptionTurns;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Makes durable subscriptions and deletes them, each in the home of its topic, or in all of its parts
 * ({@link SubscriptionParts}). A client's subscriptions may live in several shards, so the directory has the names of
 * all (ADR 47). A pair of client id and name has one home or one topic, a client id one owner. Subscriptions of one
 * owner are made one by one. Where other nodes have parts of a topic, each node makes its own (ADR 82).
 * <p>Longer than others, because all ways to a subscription take their turns here.
 * <p>
 * Thread: any. A subscription that exists is found without the directory.
 */
final class HomeSubscriptions implements AddressMoves.Subscriptions {
    /** The code of a refusal: another node has a subscription of the name that selects something else. */
    private static final String ANOTHER = "RT-4658";
    /** Bounds the subscriptions of one change of the directory: each has up to three rows. */
    private static final int AGREED_MAX = DirectoryStore.CHANGES_MAX / 4;

    private final List<? extends Shard> shards;
    private final HomeLookup lookup;
    private final Directory directory;
    private final DirectoryCheck check;
    private final SubscriptionParts parts;
    private final InTurns owners = new InTurns(); // by the key of ClientOwners
    private final InTurns volatiles = new InTurns(); // by client id and name
    private final InTurns own = new InTurns(); // the same, of what waits for no other node
    private final SubscriptionTurns topics = new SubscriptionTurns();
    private final GoingSubscriptions going;
    private final HeldNames names; // of volatile ones; null if no other node serves

    /** @param hasNodes whether other nodes may serve */
    HomeSubscriptions(
            List<? extends Shard> shards,
            HomeLookup lookup,
            Directory directory,
            DirectoryCheck check,
            boolean hasNodes) {
        this.names = hasNodes ? new HeldNames(directory) : null;
        this.shards = shards;
        this.lookup = lookup;
        this.directory = directory;
        this.check = check;
        this.parts = new SubscriptionParts(shards, lookup, directory, check);
        this.going = new GoingSubscriptions(
                shards, directory, own::next, gone -> check.agree(() -> ofNobody(gone.clientId())));
    }

    /** Returns what marks and deletes those that are at several nodes. */
    GoingSubscriptions going() {
        return going;
    }

    private CatalogMailbox of(long id) {
        return shards.get(ShardIds.shardOf(id)).catalog();
    }

    /**
     * Finds or creates a subscription. One of the same client and name that reads a topic with another home is deleted
     * there first. The user who owns the client id may have subscriptions in other shards only.
     *
     * @param others has other nodes do the same with their parts; null = the caller does
     */
    CompletionStage<Subscription> make(Address asked, SubscriptionParts.Terms terms, PartsElsewhere others) {
        Address topic = now(asked);
        boolean isSpread = isAtOtherNodes(lookup.parts(topic));
        if (isSpread && others == null) {
            return own.next(
                    DirectoryEntry.subscriptionName(terms.clientId(), terms.name()),
                    () -> topics.change(List.of(topic.name()), () -> makeOwn(topic, terms)));
        }
        return owners.next(ClientOwners.keyOf(terms.clientId(), terms.name()), () -> {
            boolean mayBeElsewhere = AwayShard.isAnyShared(shards)
                    && (isSpread || !isWholeHere(lookup.find(terms.clientId(), terms.name())));
            if (!mayBeElsewhere) {
                return makeKnown(topic, terms);
            }
            return directory
                    .refresh()
                    .exceptionally(away -> null) // whoever makes a name asks the directory once more
                    .thenCompose(
                            fresh -> going.settled(DirectoryEntry.subscriptionName(terms.clientId(), terms.name())))
                    .thenCompose(rests -> leaveOther(topic, terms))
                    .thenCompose(left -> isSpread ? makeSpread(topic, terms, others) : makeKnown(topic, terms));
        });
    }

    // ---- at several nodes

    private boolean isAtOtherNodes(List<Address> topic) {
        return topic.size() > 1 && topic.stream().anyMatch(part -> AwayShard.isShared(shards, HomeParts.shardOf(part)));
    }

    private boolean isWholeHere(Subscription existing) {
        return existing != null && !isAtOtherNodes(lookup.parts(existing.address()));
    }

    private static boolean isOf(Address topic, Subscription existing) {
        return existing.address().name().equals(topic.name());
    }

    private List<Address> ownParts(Address topic) {
        return lookup.parts(topic).stream()
                .filter(part -> isHere(HomeParts.shardOf(part)))
                .toList();
    }

    /** Deletes a subscription of the name that reads another topic, if one of both topics has parts at other nodes. */
    private CompletionStage<Void> leaveOther(Address topic, SubscriptionParts.Terms terms) {
        Subscription existing = lookup.find(terms.clientId(), terms.name());
        boolean isOther = existing != null
                && !isOf(topic, existing)
                && (isAtOtherNodes(lookup.parts(topic)) || isAtOtherNodes(lookup.parts(existing.address())));
        return isOther
                ? delete(existing, terms::makeWay)
                        .thenCompose(
                                gone -> going.settled(DirectoryEntry.subscriptionName(terms.clientId(), terms.name())))
                : CompletableFuture.completedFuture(null);
    }

    /**
     * Makes the parts that this node has, for a node that has marked the name, or attends them. The directory says in
     * which shards the subscription is.
     */
    private CompletionStage<Subscription> makeOwn(Address topic, SubscriptionParts.Terms terms) {
        return directory.refresh().thenCompose(fresh -> {
            List<HomeRow> rows = going.rows(DirectoryEntry.subscriptionName(terms.clientId(), terms.name()));
            List<Address> all = ownParts(topic);
            boolean isPlaced = rows.stream().noneMatch(HomeRow::isCondemned)
                    && all.stream()
                            .allMatch(part -> rows.stream().anyMatch(row -> row.shard() == HomeParts.shardOf(part)));
            if (!isPlaced || all.isEmpty()) {
                throw new Refusal.Refused(GoingSubscriptions.changed(terms.name()));
            }
            Subscription existing = lookup.find(terms.clientId(), terms.name());
            terms.user().check(terms.clientId(), terms.name(), existing, ownerOf(terms.clientId(), existing));
            boolean isMarked = rows.stream().anyMatch(row -> row.state() == HomeRow.State.GOING);
            if (existing != null && !isMarked) {
                refuseAnother(topic, terms, existing);
            }
            return parts.attend(topic, all, terms::ask);
        });
    }

    /** Refuses to replace a subscription whose name nobody has marked: the other node does not know this one. */
    private void refuseAnother(Address topic, SubscriptionParts.Terms terms, Subscription existing) {
        if (!isOf(topic, existing)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.UNAVAILABLE,
                    CreationElsewhere.CODE,
                    "subscription '" + Printable.value(terms.name()) + "' reads another topic at this node"));
        }
        if (!lookup.parts(existing).stream().allMatch(terms::areOf)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    ANOTHER,
                    "subscription '" + Printable.value(terms.name())
                            + "' is not the same in the parts of all nodes, as backups of different moments have it:"
                            + " unsubscribe it"));
        }
    }

    /** Makes or attends the parts of this node, and has the other nodes do so. All have the subscription, or none. */
    private CompletionStage<Subscription> makeSpread(
            Address topic, SubscriptionParts.Terms terms, PartsElsewhere others) {
        String name = DirectoryEntry.subscriptionName(terms.clientId(), terms.name());
        Subscription existing = lookup.find(terms.clientId(), terms.name());
        String known = ownerOf(terms.clientId(), existing);
        terms.user().check(terms.clientId(), terms.name(), existing, known);
        List<Integer> all = lookup.parts(topic).stream().map(HomeParts::shardOf).toList();
        for (int shard : all) {
            AwayShard away = AwayShard.of(shards, shard);
            if (away != null && away.elsewhere() == null) {
                throw away.refusesNew("subscription '" + terms.name() + "'");
            }
        }
        List<HomeRow> rows = going.rows(name);
        for (HomeRow row : rows) {
            AwayShard away = all.contains(row.shard()) ? null : AwayShard.of(shards, row.shard());
            if (away != null) {
                throw away.refusesNew("subscription '" + terms.name() + "'"); // it makes way there first
            }
        }
        String owner = known == null ? terms.user().name() : known;
        boolean isAlike = existing == null
                ? !rows.isEmpty()
                : lookup.parts(existing).stream().allMatch(terms::areOf);
        Supplier<CompletionStage<Subscription>> change =
                () -> going.mark(name, all, () -> ofClient(terms.clientId(), owner))
                        .thenCompose(mark -> makeMarked(topic, terms, others, owner, mark));
        if (!isAlike) {
            return change.get();
        }
        boolean hasNoPart = ownParts(topic).isEmpty();
        return attendSpread(topic, terms, others, owner, all)
                .exceptionallyCompose(failure -> hasNoPart && !others.mayHaveAttached() && isAnother(failure)
                        ? change.get()
                        : CompletableFuture.failedFuture(failure));
    }

    /** Tells whether another node has a subscription of the name that selects something else. */
    private static boolean isAnother(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof Refusal.Refused refused
                && ANOTHER.equals(refused.refusal().code());
    }

    private Stream<HomeChange> ofClient(String clientId, String owner) {
        return clientId.isEmpty() ? Stream.empty() : check.changes(DirectoryEntry.client(clientId, owner)).stream();
    }

    /**
     * Attends what is there, and completes it where a part lacks it. Nothing of it is ever taken back. If this node has
     * nothing of it, another one judges first whether it is the same.
     */
    private CompletionStage<Subscription> attendSpread(
            Address topic, SubscriptionParts.Terms terms, PartsElsewhere others, String owner, List<Integer> all) {
        String name = DirectoryEntry.subscriptionName(terms.clientId(), terms.name());
        DirectoryEntry entry = DirectoryEntry.subscription(terms.clientId(), terms.name(), owner, all);
        boolean isHere = lookup.find(terms.clientId(), terms.name()) != null;
        return directory
                .change(() -> {
                    if (going.rows(name).stream().anyMatch(row -> row.state() == HomeRow.State.GOING)) {
                        throw new Refusal.Refused(GoingSubscriptions.changed(terms.name()));
                    }
                    return entry.changes(going.rows(name), HomeRow.State.HERE);
                })
                .thenCompose(placed -> {
                    List<HomeRow> before = going.rows(name);
                    CompletionStage<Subscription> made = isHere
                            ? attendOwn(topic, terms).thenCompose(here -> leaveUnless(here, others.attach()))
                            : others.attach().thenCompose(done -> attendOwn(topic, terms));
                    return made.thenCompose(here -> leaveUnless(
                            here, directory.refresh().thenRun(() -> requireUnchanged(name, terms.name(), before))));
                })
                .exceptionallyCompose(failure -> check.agree(() -> parts.entries(terms.clientId(), terms.name()))
                        .thenCompose(agreed -> CompletableFuture.<Subscription>failedFuture(failure)));
    }

    private void requireUnchanged(String name, String shown, List<HomeRow> before) {
        if (!going.rows(name).equals(before)) {
            throw new Refusal.Refused(GoingSubscriptions.changed(shown));
        }
    }

    /** Attends the parts of this node. @return null if it has none */
    private CompletionStage<Subscription> attendOwn(Address topic, SubscriptionParts.Terms terms) {
        List<Address> all = ownParts(topic);
        return all.isEmpty() ? CompletableFuture.completedFuture(null) : parts.attend(topic, all, terms::ask);
    }

    /** Passes a subscription on that is attended here, or attends it no more if the other nodes do not. */
    private CompletionStage<Subscription> leaveUnless(Subscription made, CompletionStage<Void> elsewhere) {
        return elsewhere.handle((done, failure) -> {
            if (failure == null) {
                return made;
            }
            if (made != null) {
                lookup.parts(made).forEach(part -> of(part.address().id()).leave(part));
            }
            throw failure instanceof CompletionException known ? known : new CompletionException(failure);
        });
    }

    /** Makes the subscription in all parts, in place of another one, or has it deleted in all if a part refuses. */
    private CompletionStage<Subscription> makeMarked(
            Address topic,
            SubscriptionParts.Terms terms,
            PartsElsewhere others,
            String owner,
            GoingSubscriptions.Mark mark) {
        List<Subscription> before = parts.present(ownParts(topic), terms);
        return attendOwn(topic, terms)
                .exceptionallyCompose(
                        failure -> parts.present(ownParts(topic), terms).equals(before)
                                ? failed(going.takeBack(mark), failure)
                                : failed(giveUp(topic, terms, mark), failure))
                .thenCompose(made -> leaveUnless(
                                made, others.attach().thenCompose(done -> going.confirm(mark, ofGlobal(terms, owner))))
                        .exceptionallyCompose(failure -> made == null && !others.mayHaveAttached()
                                ? failed(going.takeBack(mark), failure)
                                : failed(giveUp(topic, terms, mark), failure)));
    }

    /** Has the subscription deleted in all parts, since some have it and others refuse. */
    private CompletionStage<Void> giveUp(Address topic, SubscriptionParts.Terms terms, GoingSubscriptions.Mark mark) {
        return parts.removeAll(SubscriptionUser.NOBODY, parts.present(ownParts(topic), terms))
                .exceptionally(stays -> null) // a look finds what the mark says
                .thenCompose(gone -> going.condemn(mark.name()));
    }

    private static CompletionStage<Subscription> failed(CompletionStage<Void> undone, Throwable why) {
        return undone.exceptionally(stays -> null)
                .thenCompose(done -> CompletableFuture.<Subscription>failedFuture(why));
    }

    private static String ofGlobal(SubscriptionParts.Terms terms, String owner) {
        return terms.clientId().isEmpty() ? owner : "";
    }

    /**
     * Deletes a subscription whose topic has parts at other nodes. The first part here refuses if links attend it, as
     * they attend all. From then on it is gone for good: the other nodes delete their parts, now or later.
     */
    private CompletionStage<Void> deleteSpread(
            Subscription any, BiFunction<CatalogMailbox, Subscription, CompletionStage<Void>> ask) {
        String name = DirectoryEntry.subscriptionName(any.clientId(), any.name());
        List<Subscription> has = lookup.parts(any);
        List<Integer> at =
                lookup.parts(any.address()).stream().map(HomeParts::shardOf).toList();
        return directory
                .refresh()
                .thenCompose(fresh -> going.settled(name))
                .thenCompose(rests -> going.mark(name, at, Stream::empty))
                .thenCompose(mark -> ask.apply(of(has.get(0).id()), has.get(0))
                        .exceptionallyCompose(failure -> (DirectoryCheck.leavesOpen(failure)
                                        ? CompletableFuture.<Void>completedFuture(null) // a look ends it
                                        : going.takeBack(mark))
                                .thenCompose(back -> CompletableFuture.<Void>failedFuture(failure))))
                .thenCompose(first -> parts.removeAll(SubscriptionUser.NOBODY, has.subList(1, has.size()))
                        .exceptionally(stays -> null)) // a look finds what the mark says
                .thenCompose(gone -> going.condemn(name))
                .thenCompose(condemned -> check.agree(() -> ofNobody(any.clientId())));
    }

    private Stream<DirectoryEntry> ofNobody(String clientId) {
        return clientId.isEmpty() ? Stream.empty() : Stream.of(check.client(clientId));
    }

    // ---- at this node

    /** Returns the topic in its next home, once that has it; the same if it stays where it is. */
    private Address now(Address topic) {
        Address found = topic.quota().isClosed() ? lookup.find(topic.name()) : null;
        return found == null || found.kind() != topic.kind() ? topic : found;
    }

    /** Returns the topics of a change: that of a new subscription, and that of one which gives way to it. */
    private List<String> topicsOf(Address topic, Subscription existing) {
        return existing == null
                ? List.of(topic.name())
                : List.of(topic.name(), existing.address().name());
    }

    private CompletionStage<Subscription> makeKnown(Address topic, SubscriptionParts.Terms terms) {
        return topics.change(
                topicsOf(topic, lookup.find(terms.clientId(), terms.name())), () -> makeNow(now(topic), terms));
    }

    private CompletionStage<Subscription> makeNow(Address topic, SubscriptionParts.Terms terms) {
        String clientId = terms.clientId();
        String name = terms.name();
        Subscription existing = lookup.find(clientId, name);
        String known = ownerOf(clientId, existing);
        terms.user().check(clientId, name, existing, known);
        boolean isGone = lookup.find(topic.id()) == null;
        if (isGone || topic.isTemporary() || name.equals(Subscription.RETENTION)) {
            return terms.ask(of(topic.id()), topic); // which refuses, and says why
        }
        String owner = known == null ? terms.user().name() : known;
        boolean stays = existing != null && existing.address().equals(topic) && terms.areOf(existing);
        if (!stays) {
            requireNext(topic);
        }
        if (existing != null && !isOf(topic, existing)) {
            requireNext(existing.address()); // it makes way there
        }
        refuseWhileAway(clientId, name, existing, owner);
        boolean hasParts = lookup.parts(topic).size() > 1
                || existing != null && lookup.parts(existing.address()).size() > 1;
        return hasParts ? parts.make(topic, terms, existing, owner) : makeAtHome(topic, terms, existing, owner);
    }

    private CompletionStage<Subscription> makeAtHome(
            Address topic, SubscriptionParts.Terms terms, Subscription existing, String owner) {
        boolean isElsewhere = existing != null && ShardIds.shardOf(existing.id()) != HomeParts.shardOf(topic);
        CompletionStage<Void> free =
                isElsewhere ? terms.makeWay(of(existing.id()), existing) : CompletableFuture.completedFuture(null);
        return free.thenCompose(done -> parts.place(List.of(topic), terms, owner, HomeRow.State.HERE))
                .thenCompose(placed -> check.afterwards(
                        terms.ask(of(topic.id()), topic), () -> parts.entries(terms.clientId(), terms.name())));
    }

    /**
     * Refuses a subscription that a shard which is away may have: the directory says so, or that the client id belongs
     * to another user there.
     */
    private void refuseWhileAway(String clientId, String name, Subscription existing, String owner) {
        if (existing != null) {
            return; // its home answers
        }
        parts.refuseElsewhere(clientId, name);
        AwayShard any = AwayShard.firstOf(shards);
        boolean isOthers = directory.of(HomeRow.Scope.CLIENT, clientId).stream()
                .anyMatch(row -> !row.owner().equals(owner));
        if (any != null && isOthers) {
            throw any.refusesNew("subscription '" + name + "'");
        }
    }

    /** Returns why nobody knows whether there is such a subscription; null if the shards know that are there. */
    Refusal refusalFor(String clientId, String name) {
        AwayShard away = elsewhere(clientId, name);
        return away == null ? null : away.refusal();
    }

    /** Returns the shard that is away and has the subscription, as the directory says; null if there is none. */
    AwayShard elsewhere(String clientId, String name) {
        if (lookup.find(clientId, name) == null) {
            for (HomeRow row :
                    directory.of(HomeRow.Scope.SUBSCRIPTION, DirectoryEntry.subscriptionName(clientId, name))) {
                AwayShard away = AwayShard.of(shards, row.shard());
                if (away != null) {
                    return away;
                }
            }
        }
        return null;
    }

    /** Returns the user who owns the client id or, without one, the global subscription; null = nobody yet. */
    private String ownerOf(String clientId, Subscription existing) {
        if (clientId.isEmpty()) {
            return existing == null ? null : lookup.ownerOf(existing);
        }
        String known = lookup.ownerOf(clientId);
        return known == null && AwayShard.isAnyShared(shards) ? ownerElsewhere(clientId) : known;
    }

    /** Returns the user who owns the client id by the directory: the subscriptions may be at another node. */
    private String ownerElsewhere(String clientId) {
        return directory.of(HomeRow.Scope.CLIENT, clientId).stream()
                .map(HomeRow::owner)
                .findFirst()
                .orElse(null);
    }

    /**
     * Finds or creates a shared volatile subscription, in each part of its topic under the same name. Refused while
     * links read one of that name from another topic, at any node.
     *
     * @param others has other nodes do the same with their parts; null = the caller does, or there are none
     */
    CompletionStage<Subscription> makeVolatile(
            Address topic, String clientId, String name, Selector selector, Runnable onGone, PartsElsewhere others) {
        boolean isSpread = others != null && isAtOtherNodes(lookup.parts(topic));
        CompletionStage<Subscription> made = isSpread && ownParts(topic).isEmpty()
                ? CompletableFuture.completedFuture(null)
                : makeVolatile(topic, clientId, name, selector, onGone);
        return isSpread ? made.thenCompose(here -> leaveUnless(here, others.attach())) : made;
    }

    private CompletionStage<Subscription> makeVolatile(
            Address topic, String clientId, String name, Selector selector, Runnable onGone) {
        return volatiles.next(
                DirectoryEntry.subscriptionName(clientId, name),
                () -> topics.change(
                        List.of(topic.name()), () -> makeVolatileNow(now(topic), clientId, name, selector, onGone)));
    }

    private CompletionStage<Subscription> makeVolatileNow(
            Address topic, String clientId, String name, Selector selector, Runnable onGone) {
        Subscription existing = volatileOfAnother(topic, clientId, name);
        CompletionStage<Void> left = existing == null
                ? CompletableFuture.completedFuture(null)
                : of(existing.address().id()).afterEarlier(); // its last link may have left
        return left.thenCompose(done -> {
            Subscription stays = volatileOfAnother(topic, clientId, name);
            if (stays != null) {
                throw new Refusal.Refused(stays.isInUse());
            }
            Runnable gone = () -> {
                letGo(clientId, name);
                onGone.run();
            };
            return hold(topic, clientId, name)
                    .thenCompose(held -> parts.attend(
                            topic,
                            ownParts(topic),
                            (home, part) -> home.subscribeVolatile(part, clientId, name, selector, gone)))
                    .whenComplete((made, failure) -> {
                        if (failure != null) {
                            letGo(clientId, name);
                        }
                    });
        });
    }

    /** Returns the volatile subscription of that name that reads another topic at this node; null if there is none. */
    private Subscription volatileOfAnother(Address topic, String clientId, String name) {
        Subscription existing = volatileHere(clientId, name);
        return existing == null || existing.address().name().equals(topic.name()) ? null : existing;
    }

    private Subscription volatileHere(String clientId, String name) {
        Subscription existing = lookup.findVolatile(clientId, name);
        return existing != null && isHere(HomeParts.shardOf(existing.address())) ? existing : null;
    }

    private boolean isHere(int shard) {
        return AwayShard.of(shards, shard) == null;
    }

    /** Has the directory say that this node has the name. While links attend the subscription here, it says so. */
    private CompletionStage<Void> hold(Address topic, String clientId, String name) {
        if (names == null || volatileHere(clientId, name) != null) {
            return CompletableFuture.completedFuture(null);
        }
        return hold(clientId, name, lookup.parts(topic));
    }

    private CompletionStage<Void> hold(String clientId, String name, List<Address> topic) {
        List<Integer> homes = topic.stream().map(HomeParts::shardOf).toList();
        return names.hold(
                clientId, name, homes, homes.stream().filter(this::isHere).toList(), shard -> keeper(name, shard));
    }

    /** Returns why the shard keeps the name of a volatile subscription; null if nobody can read it there any more. */
    private Refusal keeper(String name, int shard) {
        AwayShard away = AwayShard.of(shards, shard);
        Home.Owner owner = away == null ? null : away.elsewhere();
        return owner == null
                ? null
                : new Refusal(
                        Refusal.Reason.IN_USE,
                        "RT-2017",
                        "subscription '" + Printable.value(name)
                                + "' has active consumers: it cannot change its topic or selector until they are"
                                + " closed. They read a topic in shard " + shard + " of " + owner);
    }

    /** Has the directory forget a name, unless links attend its subscription again. */
    private void letGo(String clientId, String name) {
        if (names != null) {
            volatiles.next(
                    DirectoryEntry.subscriptionName(clientId, name),
                    () -> volatileHere(clientId, name) == null
                            ? names.release(clientId, name, this::isHere)
                            : CompletableFuture.<Void>completedFuture(null));
        }
    }

    /** Deletes a subscription. The directory marks its name first, and hears at last what there is now. */
    CompletionStage<Void> delete(SubscriptionUser user, Subscription subscription) {
        return owners.next(
                ClientOwners.keyOf(subscription.clientId(), subscription.name()),
                () -> delete(now(subscription), (home, part) -> home.unsubscribe(user, part)));
    }

    /** Returns the subscription in the next home of a topic that has left the home of this one. */
    private Subscription now(Subscription subscription) {
        boolean hasMoved = subscription.address().quota().isClosed()
                && lookup.find(subscription.address().id()) == null;
        Subscription found = hasMoved ? lookup.find(subscription.clientId(), subscription.name()) : null;
        return found != null && isOf(subscription.address(), found) ? found : subscription;
    }

    /** Refuses a change while nobody knows whether the next home of a topic has the subscription. */
    private void requireNext(Address topic) {
        boolean isThere = lookup.find(topic.id()) != null;
        if (topic.quota().isClosed() && isThere && lookup.parts(topic).size() == 1) {
            throw new Refusal.Refused(MoveCheck.notThereYet(topic));
        }
    }

    private CompletionStage<Void> delete(
            Subscription existing, BiFunction<CatalogMailbox, Subscription, CompletionStage<Void>> ask) {
        return isAtOtherNodes(lookup.parts(existing.address()))
                ? deleteSpread(existing, ask)
                : topics.change(List.of(existing.address().name()), () -> {
                    Subscription now = now(existing);
                    requireNext(now.address());
                    return parts.delete(lookup.parts(now), ask);
                });
    }

    /**
     * Deletes a subscription, since its client makes another one of that name at another node. The directory is made to
     * say so also if there is none.
     */
    CompletionStage<Void> makeWay(SubscriptionUser user, String clientId, String name, boolean shared) {
        return owners.next(ClientOwners.keyOf(clientId, name), () -> {
            Subscription existing = lookup.find(clientId, name);
            return existing == null
                    ? check.agree(() -> parts.entries(clientId, name))
                    : delete(existing, (home, part) -> home.makeWay(user, clientId, name, shared));
        });
    }

    /** Tells the directory what there is of a subscription whose topic has been deleted. */
    void agree(Subscription subscription) {
        String clientId = subscription.clientId();
        String name = subscription.name();
        owners.next(ClientOwners.keyOf(clientId, name), () -> check.agree(() -> parts.entries(clientId, name)));
    }

    /**
     * Completes or takes back each subscription that some parts of its topic have, and others lack.
     *
     * @return what waits for all of them; never fails
     */
    CompletionStage<Void> settle() {
        Map<String, Subscription> partial = new LinkedHashMap<>();
        for (Address address : lookup.addresses()) {
            for (Subscription each : DirectoryCheck.durable(lookup, address)) {
                if (!lookup.isWhole(each)) {
                    partial.put(DirectoryEntry.subscriptionName(each.clientId(), each.name()), each);
                }
            }
        }
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (Subscription each : partial.values()) {
            all = all.thenCompose(done -> owners.next(
                    ClientOwners.keyOf(each.clientId(), each.name()),
                    () -> topics.change(List.of(each.address().name()), () -> parts.settle(each))));
        }
        return all;
    }

    // ---- topics that move

    @Override
    public <T> CompletionStage<T> alone(String topic, Supplier<CompletionStage<T>> step) {
        return topics.alone(topic, step);
    }

    @Override
    public CompletionStage<Subscription> attendNext(Subscription old, Address next) {
        CatalogMailbox home = of(next.id());
        if (old.isStored()) {
            return home.subscribe(next, old.clientId(), old.name(), old.selector(), old.noLocal(), old.shared(), null);
        }
        CompletionStage<Void> held = names == null
                ? CompletableFuture.completedFuture(null)
                : hold(old.clientId(), old.name(), lookup.parts(next));
        return held.thenCompose(done -> home.subscribeVolatile(
                next, old.clientId(), old.name(), old.selector(), () -> letGo(old.clientId(), old.name())));
    }

    @Override
    public CompletionStage<Void> agree(Collection<Subscription> durable) {
        List<Subscription> all = List.copyOf(durable);
        CompletionStage<Void> agreed = CompletableFuture.completedFuture(null);
        for (int from = 0; from < all.size(); from += AGREED_MAX) {
            List<Subscription> some = all.subList(from, Math.min(all.size(), from + AGREED_MAX));
            agreed = agreed.thenCompose(done -> check.agree(() -> some.stream()
                    .flatMap(each -> parts.entries(each.clientId(), each.name()))
                    .distinct()));
        }
        return agreed;
    }
}
