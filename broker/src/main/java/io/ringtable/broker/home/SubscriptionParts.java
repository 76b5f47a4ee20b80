package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.home.directory.DirectoryEntry;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a subscription in each part of its topic, all under one name, and deletes them all (ADR 67). The directory
 * marks the name while some parts may have the subscription and others not. After a crash the mark tells that no client
 * knows of it, so it is deleted. A subscription that a part lacks without a mark is completed.
 * <p>
 * Thread: any; the caller sees to it that questions of one owner follow each other.
 */
final class SubscriptionParts {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionParts.class);

    /** The order in which parts are asked: all links attend a subscription in the old home of a topic that moves. */
    private static final Comparator<Address> OLD_HOME_FIRST =
            Comparator.comparing(part -> !part.quota().isClosed());

    private final List<? extends Shard> shards;
    private final HomeLookup lookup;
    private final Directory directory;
    private final DirectoryCheck check;

    SubscriptionParts(List<? extends Shard> shards, HomeLookup lookup, Directory directory, DirectoryCheck check) {
        this.shards = shards;
        this.lookup = lookup;
        this.directory = directory;
        this.check = check;
    }

    /** Says what is asked of each part, as {@link CatalogMailbox#subscribe} has it. */
    record Terms(
            SubscriptionUser user,
            String clientId,
            String name,
            Selector selector,
            boolean noLocal,
            boolean shared,
            Instant since) {

        CompletionStage<Subscription> ask(CatalogMailbox home, Address part) {
            return home.subscribe(user, part, clientId, name, selector, noLocal, shared, since);
        }

        /** Deletes another subscription of the name, which gives way to the one that is asked for. */
        CompletionStage<Void> makeWay(CatalogMailbox home, Subscription existing) {
            return home.makeWay(user, clientId, name, shared);
        }

        boolean areOf(Subscription existing) {
            return existing.reads(existing.address(), selector, noLocal) && existing.shared() == shared;
        }
    }

    private CatalogMailbox of(long id) {
        return shards.get(ShardIds.shardOf(id)).catalog();
    }

    // ---- making

    /**
     * Finds or creates the subscription in all parts, and counts the caller as attending each.
     *
     * @param topic one of its parts
     * @param existing that of the same client and name; null if there is none
     * @param owner of the client id, or of the global subscription, from now on; empty = nobody
     * @return that of the part which the caller names
     */
    CompletionStage<Subscription> make(Address topic, Terms terms, Subscription existing, String owner) {
        List<Address> all = lookup.parts(topic);
        refuseWhileAway(all, terms.name());
        List<Subscription> has = existing == null ? List.of() : lookup.parts(existing);
        boolean isOfTopic = existing != null && all.contains(existing.address());
        if (isOfTopic && has.stream().allMatch(terms::areOf) && !check.isUnderWay(existing)) {
            return complete(topic, all, terms, owner);
        }
        boolean goesFirst = existing != null && (!isOfTopic || check.isUnderWay(existing));
        CompletionStage<Void> free = goesFirst ? delete(has, terms::makeWay) : CompletableFuture.completedFuture(null);
        return free.thenCompose(done -> place(all, terms, owner, HomeRow.State.GOING))
                .thenCompose(marked -> makeMarked(topic, all, terms));
    }

    /** Makes the subscription in all parts, in place of another one, or deletes it in all if a part refuses. */
    private CompletionStage<Subscription> makeMarked(Address topic, List<Address> all, Terms terms) {
        List<Subscription> before = present(all, terms);
        // First come those that have another one: a part that may not replace it refuses before others are changed.
        List<Address> order = all.stream()
                .sorted(OLD_HOME_FIRST)
                .sorted(Comparator.comparing(
                        part -> before.stream().noneMatch(each -> each.address().equals(part))))
                .toList();
        return attend(topic, order, terms::ask)
                .handle((made, failure) ->
                        failure == null ? unmark(terms, made) : takeBack(all, terms, before, failure))
                .thenCompose(answer -> answer);
    }

    /** Returns the subscriptions of the client and name in those parts. */
    List<Subscription> present(List<Address> topic, Terms terms) {
        return topic.stream()
                .map(part -> shards.get(HomeParts.shardOf(part)).lookup().find(terms.clientId(), terms.name()))
                .filter(found -> found != null && topic.contains(found.address()))
                .toList();
    }

    private CompletionStage<Subscription> unmark(Terms terms, Subscription made) {
        return check.agree(() -> entries(terms.clientId(), terms.name())).thenApply(agreed -> made);
    }

    private void refuseWhileAway(List<Address> topic, String name) {
        for (Address part : topic) {
            AwayShard away = AwayShard.of(shards, HomeParts.shardOf(part));
            if (away != null) {
                throw away.refusesNew("subscription '" + name + "'");
            }
        }
    }

    /** Attends a subscription as it is, and makes it where a part lacks it: nothing of it is ever taken back. */
    private CompletionStage<Subscription> complete(Address topic, List<Address> all, Terms terms, String owner) {
        return place(all, terms, owner, HomeRow.State.HERE)
                .thenCompose(placed -> check.afterwards(
                        attend(topic, all, terms::ask), () -> entries(terms.clientId(), terms.name())));
    }

    /**
     * Gives the subscription its shards in the directory, and the client id its owner. Rows that say something else are
     * left from an earlier owner of the shards: no catalogue has it. Refused if another node was faster with the name.
     */
    CompletionStage<Void> place(List<Address> topic, Terms terms, String owner, HomeRow.State state) {
        DirectoryEntry subscription = DirectoryEntry.subscription(
                terms.clientId(),
                terms.name(),
                owner,
                topic.stream().map(HomeParts::shardOf).toList());
        return directory.change(() -> {
            refuseElsewhere(terms.clientId(), terms.name());
            return Stream.concat(
                            check.changes(subscription, state).stream(),
                            terms.clientId().isEmpty()
                                    ? Stream.<HomeChange>empty()
                                    : check.changes(DirectoryEntry.client(terms.clientId(), owner)).stream())
                    .toList();
        });
    }

    /** Refuses a name that a shard which is away may have, as the directory says. */
    void refuseElsewhere(String clientId, String name) {
        for (HomeRow row : directory.of(HomeRow.Scope.SUBSCRIPTION, DirectoryEntry.subscriptionName(clientId, name))) {
            AwayShard its = AwayShard.of(shards, row.shard());
            if (its != null) {
                throw its.refusesNew("subscription '" + name + "'");
            }
        }
    }

    /**
     * Asks the parts one after the other, and attends all of them or none.
     *
     * @param topic one of the parts
     * @param ask finds or creates a subscription in one of them, and attends it
     * @return that of the part which the caller names; of the first one if it is not among these
     */
    CompletionStage<Subscription> attend(
            Address topic,
            List<Address> parts,
            BiFunction<CatalogMailbox, Address, CompletionStage<Subscription>> ask) {
        List<Subscription> attended = new ArrayList<>(parts.size()); // each question follows the one before
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (Address part : parts) {
            all = all.thenCompose(done -> ask.apply(of(part.id()), part)).thenAccept(attended::add);
        }
        return all.thenApply(done -> attended.stream()
                        .filter(each -> each.address().equals(topic))
                        .findFirst()
                        .orElse(attended.get(0)))
                .whenComplete((found, failure) -> {
                    if (failure != null) {
                        attended.forEach(each -> of(each.address().id()).leave(each));
                    }
                });
    }

    /**
     * Deletes what has been made, since a part refuses. If the first one has refused, everything is as before. If a
     * part may have made it nevertheless, the mark stays for the one who settles it.
     *
     * @param before what there was
     * @return the failure
     */
    private CompletionStage<Subscription> takeBack(
            List<Address> all, Terms terms, List<Subscription> before, Throwable failure) {
        List<Subscription> now = present(all, terms);
        boolean isOpen = DirectoryCheck.leavesOpen(failure);
        CompletionStage<Void> back =
                now.equals(before) ? CompletableFuture.completedFuture(null) : removeAll(terms.user(), now);
        return back.thenCompose(done -> isOpen
                        ? CompletableFuture.<Void>completedFuture(null)
                        : check.agree(() -> entries(terms.clientId(), terms.name())))
                .exceptionally(stays -> {
                    tellThatItStays(terms.clientId(), terms.name(), stays);
                    return null;
                })
                .thenCompose(done -> CompletableFuture.<Subscription>failedFuture(failure));
    }

    private static void tellThatItStays(String clientId, String name, Throwable failure) {
        LOG.warn(
                "RT-4580 subscription '{}' of client '{}' cannot be taken back in all parts of its topic, and some keep"
                        + " it for now: {}. The next start deletes it there, or whoever subscribes to it or"
                        + " unsubscribes it",
                Printable.value(name),
                Printable.value(clientId),
                reason(failure));
    }

    private static String reason(Throwable failure) {
        return Printable.text((failure.getCause() == null ? failure : failure.getCause()).getMessage());
    }

    Stream<DirectoryEntry> entries(String clientId, String name) {
        DirectoryEntry subscription = check.subscription(clientId, name);
        return clientId.isEmpty() ? Stream.of(subscription) : Stream.of(subscription, check.client(clientId));
    }

    // ---- deleting

    /**
     * Deletes the subscription in all parts. The first one refuses if links attend it, before another one is gone.
     *
     * @param all that of each part
     * @param ask deletes it in one of them
     */
    CompletionStage<Void> delete(
            List<Subscription> all, BiFunction<CatalogMailbox, Subscription, CompletionStage<Void>> ask) {
        List<Subscription> has = all.stream()
                .sorted(Comparator.comparing(Subscription::address, OLD_HOME_FIRST))
                .toList();
        String clientId = has.get(0).clientId();
        String name = has.get(0).name();
        List<Address> topic = lookup.parts(has.get(0).address());
        for (Address part : topic) {
            AwayShard away = AwayShard.of(shards, HomeParts.shardOf(part));
            if (away != null && topic.size() > 1) {
                throw new Refusal.Refused(away.refusal());
            }
        }
        return directory
                .change(() -> marks(clientId, name))
                .thenCompose(marked -> removeAll(has, ask).handle((done, failure) -> failure))
                .thenCompose(failure -> {
                    boolean isHalfDone =
                            failure != null && (DirectoryCheck.leavesOpen(failure) || !isThere(has.get(0)));
                    CompletionStage<Void> agreed = isHalfDone
                            ? CompletableFuture.completedFuture(null)
                            : check.agree(() -> entries(clientId, name));
                    return failure == null
                            ? agreed
                            : agreed.thenCompose(done -> CompletableFuture.<Void>failedFuture(failure));
                });
    }

    private boolean isThere(Subscription part) {
        return part.equals(shards.get(ShardIds.shardOf(part.id())).lookup().find(part.clientId(), part.name()));
    }

    private List<HomeChange> marks(String clientId, String name) {
        return directory.of(HomeRow.Scope.SUBSCRIPTION, DirectoryEntry.subscriptionName(clientId, name)).stream()
                .filter(row -> row.state() != HomeRow.State.GOING)
                .map(row -> HomeChange.put(row.with(HomeRow.State.GOING)))
                .toList();
    }

    CompletionStage<Void> removeAll(SubscriptionUser user, List<Subscription> has) {
        return removeAll(has, (home, part) -> home.unsubscribe(user, part));
    }

    private CompletionStage<Void> removeAll(
            List<Subscription> has, BiFunction<CatalogMailbox, Subscription, CompletionStage<Void>> ask) {
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (Subscription part : has) {
            all = all.thenCompose(done -> ask.apply(of(part.id()), part));
        }
        return all;
    }

    // ---- after a crash

    /** Completes a subscription that a part lacks, or takes it back if nobody was told of it. Never fails. */
    CompletionStage<Void> settle(Subscription any) {
        Subscription first = lookup.find(any.clientId(), any.name());
        if (first == null || lookup.isWhole(first)) {
            return CompletableFuture.completedFuture(null);
        }
        List<Address> topic = lookup.parts(first.address());
        List<Subscription> has = lookup.parts(first);
        if (topic.stream().anyMatch(part -> AwayShard.of(shards, HomeParts.shardOf(part)) != null)) {
            return CompletableFuture.completedFuture(null); // it is settled when that shard is back
        }
        if (check.isUnderWay(first)) {
            LOG.warn(
                    "RT-4581 {} was being made or deleted in {} of {} parts when a shard ended: it is deleted, as no"
                            + " client knows of it",
                    Printable.text(first.toString()),
                    has.size(),
                    topic.size());
            return removeAll(SubscriptionUser.NOBODY, has)
                    .thenCompose(done -> check.agree(() -> entries(first.clientId(), first.name())))
                    .exceptionally(stays -> {
                        tellThatItStays(first.clientId(), first.name(), stays);
                        return null;
                    });
        }
        if (!HomeLookup.areAlike(has)) {
            LOG.error(
                    "RT-4583 {} is not the same in all parts of its topic, as backups of different moments have it: its"
                            + " consumers get what each part selects. Unsubscribe it, or restore a backup of all"
                            + " shards of one moment",
                    Printable.text(first.toString()));
            return CompletableFuture.completedFuture(null);
        }
        LOG.warn(
                "RT-4582 {} is there in {} of {} parts: it is made in the others, from now on",
                Printable.text(first.toString()),
                has.size(),
                topic.size());
        return makeMissing(topic, first);
    }

    private CompletionStage<Void> makeMissing(List<Address> topic, Subscription first) {
        String owner = lookup.ownerOf(first);
        Terms terms = new Terms(
                SubscriptionUser.of(owner == null ? "" : owner),
                first.clientId(),
                first.name(),
                first.selector(),
                first.noLocal(),
                first.shared(),
                null);
        return complete(first.address(), topic, terms, owner == null ? "" : owner)
                .thenAccept(
                        made -> lookup.parts(made).forEach(part -> of(part.id()).leave(part)))
                .exceptionally(lacks -> {
                    LOG.error(
                            "RT-4584 {} cannot be made in all parts of its topic, and gets nothing from those that lack"
                                    + " it: {}. Attach a consumer to it, which tries again",
                            Printable.text(first.toString()),
                            reason(lacks));
                    return null;
                });
    }
}
