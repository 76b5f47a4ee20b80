package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.dispatch.browse.VolatilePage;
import io.ringtable.broker.dispatch.explain.Reason;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.ManagementRefused;
import io.ringtable.broker.management.NodeListing;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.ring.ShardIds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Lists subscriptions, shows and deletes stored ones. Thread: any. */
public final class SubscriptionOperations {
    private final Supplier<ManagedShard> shard;

    /** @param shard refuses the call while this node does not own the shard */
    public SubscriptionOperations(Supplier<ManagedShard> shard) {
        this.shard = shard;
    }

    /**
     * Shows a subscription.
     *
     * @param id negative if it lives in memory
     * @param clientId empty for a queue's, and for those that no client id owns
     * @param name empty for a queue's
     * @param selector null = every message
     * @param owner user whose subscription it is; null if it is nobody's
     * @param attended whether links read it; null for a queue's
     * @param owedInRing messages that it owes there
     * @param why why it is given nothing now; {@code GET /subscriptions/{id}/why} says it in a sentence
     */
    public record SubscriptionView(
            long id,
            String address,
            String clientId,
            String name,
            boolean shared,
            boolean noLocal,
            String selector,
            String owner,
            Boolean attended,
            long owed,
            long owedInRing,
            long owedInBacklog,
            Reason why) {}

    public List<Operation> operations() {
        Places places = new Places(shard);
        return List.of(
                Operation.get("/subscriptions", "Lists stored subscriptions, oldest first; a queue has one.")
                        .needs(Role.VIEWER)
                        .query(
                                "volatile",
                                Type.FLAG,
                                "Lists those that live in memory instead: of temporary queues, and not durable ones.")
                        .query("address", Type.TEXT, "Name of the address that they read.")
                        .query("filter", Type.TEXT, "Text that address, client id or name contain, whatever the case.")
                        .lists(SubscriptionView.class)
                        .at(places.ofParameter("address"), NodeListing.byId())
                        .asks(this::list),
                Operation.get("/subscriptions/{id}", "Shows a subscription.")
                        .needs(Role.VIEWER, Permission.MANAGE)
                        .answers(SubscriptionView.class)
                        .at(Places::ofId)
                        .asks(this::show),
                Operation.delete("/subscriptions/{id}", "Deletes a topic's subscription with what it owes.")
                        .needs(Role.OPERATOR, Permission.MANAGE)
                        .at(Places::ofId)
                        .asks(this::delete));
    }

    private CompletionStage<Listing<SubscriptionView>> list(Call call) {
        ManagedShard now = shard.get().coveredBy(call);
        String address = call.text("address");
        if (call.flag("volatile")) {
            return listVolatile(now, address, call);
        }
        Stream<SubscriptionEntry> all = address == null
                ? now.entries().stream().flatMap(SubscriptionOperations::readers)
                : AddressOperations.existingParts(now, address).stream().flatMap(SubscriptionOperations::readers);
        String filter = call.text("filter");
        Stream<SubscriptionEntry> found = all.filter(entry -> filter == null || matches(entry.subscription(), filter))
                .sorted(Comparator.comparingLong(entry -> entry.subscription().id()));
        Listing<SubscriptionEntry> shown =
                call.page().ofNumbered(found, entry -> entry.subscription().id(), entry -> entry);
        return views(now, shown.items()).thenApply(views -> new Listing<>(views, shown.next()));
    }

    /** Lists a page, which may have fewer items than there are, or none, and yet a next one. */
    private static CompletionStage<Listing<SubscriptionView>> listVolatile(
            ManagedShard now, String address, Call call) {
        String filter = call.text("filter");
        Predicate<Subscription> wanted = subscription ->
                (address == null || subscription.address().name().equals(address))
                        && (filter == null || matches(subscription, filter));
        long after = -call.number("after", 0, 0, Long.MAX_VALUE);
        return volatilePage(now, call, wanted, after)
                .thenCompose(page -> all(page.items().stream().map(item -> view(now, item)))
                        .thenApply(
                                views -> new Listing<>(views, page.next() == 0 ? null : Long.toString(-page.next()))));
    }

    /** Goes on to the next shard where one has no more. */
    private static CompletionStage<VolatilePage> volatilePage(
            ManagedShard now, Call call, Predicate<Subscription> wanted, long after) {
        int shard = ShardIds.shardOf(after);
        long behind = IntStream.range(shard + 1, now.shards())
                .filter(call::covers)
                .mapToLong(next -> ShardIds.firstVolatile(next) + 1)
                .findFirst()
                .orElse(0);
        if (!call.covers(shard)) {
            return CompletableFuture.completedFuture(new VolatilePage(List.of(), behind));
        }
        return now.inspector(shard)
                .inMemory()
                .subscriptions(wanted, after, call.page().limit())
                .thenApply(page -> page.next() == 0 ? new VolatilePage(page.items(), behind) : page);
    }

    /** Shows the subscriptions of one page, each with its reason, which the dispatcher is asked for. */
    private static CompletionStage<List<SubscriptionView>> views(ManagedShard now, List<SubscriptionEntry> entries) {
        return all(entries.stream().map(entry -> view(now, entry)));
    }

    private static CompletionStage<List<SubscriptionView>> all(Stream<CompletionStage<SubscriptionView>> stages) {
        CompletionStage<List<SubscriptionView>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (CompletionStage<SubscriptionView> stage : stages.toList()) {
            all = all.thenCombine(stage, (views, view) -> {
                views.add(view);
                return views;
            });
        }
        return all;
    }

    /** Returns those that somebody reads. */
    private static Stream<SubscriptionEntry> readers(AddressEntry address) {
        return address.subscriptions().stream()
                .filter(entry -> !entry.subscription().isRetention());
    }

    /**
     * Returns a subscription and those of its name in the other parts of its topic, by shard; that of a queue alone.
     * None if the address has no such subscription.
     */
    static List<Subscription> parts(ManagedShard now, String address, long id) {
        List<Subscription> all = now.parts(address).stream()
                .flatMap(SubscriptionOperations::readers)
                .map(SubscriptionEntry::subscription)
                .toList();
        return all.stream()
                .filter(each -> each.id() == id)
                .findFirst()
                .map(named -> all.stream()
                        .filter(each -> each.address().isQueue() ? each.id() == id : isNamedLike(each, named))
                        .toList())
                .orElse(List.of());
    }

    private static boolean isNamedLike(Subscription subscription, Subscription other) {
        return subscription.clientId().equals(other.clientId())
                && subscription.name().equals(other.name());
    }

    private static boolean matches(Subscription subscription, String filter) {
        String text = filter.toLowerCase(Locale.ROOT);
        return Stream.of(subscription.address().name(), subscription.clientId(), subscription.name())
                .anyMatch(name -> name.toLowerCase(Locale.ROOT).contains(text));
    }

    private CompletionStage<SubscriptionView> show(Call call) {
        ManagedShard now = shard.get();
        long id = call.pathId("id");
        return id < 0
                ? managedAnywhere(now, call).thenCompose(found -> showInMemory(now, id))
                : view(now, managed(now, call));
    }

    private static CompletionStage<SubscriptionView> showInMemory(ManagedShard now, long id) {
        return now.inspector(id)
                .inMemory()
                .subscriptions(each -> each.id() == id, id + 1, 1) // the first that is younger than the one before it
                .thenCompose(page -> page.items().isEmpty()
                        ? CompletableFuture.failedFuture(ManagementRefused.notFound(
                                "RT-7742", "subscription " + id + " ended a moment ago, and its messages with it"))
                        : view(now, page.items().get(0)));
    }

    private CompletionStage<Void> delete(Call call) {
        ManagedShard now = shard.get();
        Subscription subscription = managed(now, call).subscription();
        if (subscription.address().isQueue()) {
            throw ManagementRefused.badRequest(
                    "RT-7715",
                    "subscription " + subscription.id() + " is the reader of " + subscription.address()
                            + ", which goes with it: delete the queue");
        }
        return now.doors()
                .catalog()
                .unsubscribe(SubscriptionUser.of(call.caller().identity().name()), subscription);
    }

    /** Finds the subscription of the path, stored or in memory, for a caller who may manage its address. */
    static CompletionStage<Subscription> managedAnywhere(ManagedShard shard, Call call) {
        long id = call.pathId("id");
        if (id >= 0) {
            return CompletableFuture.completedFuture(managed(shard, call).subscription());
        }
        return shard.inspector(id).inMemory().subscription(id).thenApply(found -> {
            call.requires(Permission.MANAGE, found.address().name());
            return found;
        });
    }

    /** Finds the stored subscription of the path, for a caller who may manage its address. */
    static SubscriptionEntry managed(ManagedShard shard, Call call) {
        long id = call.pathId("id");
        if (id < 0) {
            throw ManagementRefused.badRequest(
                    "RT-7743",
                    "subscription " + id + " lives in memory and ends with its consumers, that of a temporary queue"
                            + " with the queue's connection: close their links (DELETE /links/{id}). Its messages are"
                            + " dropped one at a time: DELETE /messages/{sequence}?subscription=" + id);
        }
        SubscriptionEntry found = shard.entries().stream()
                .flatMap(SubscriptionOperations::readers)
                .filter(entry -> entry.subscription().id() == id)
                .findFirst()
                .orElseThrow(() -> ManagementRefused.notFound(
                        "RT-7714", "there is no subscription " + id + ": GET /subscriptions lists them"));
        call.requires(Permission.MANAGE, found.subscription().address().name());
        return found;
    }

    private static CompletionStage<SubscriptionView> view(ManagedShard shard, SubscriptionEntry entry) {
        return shard.inspector(entry.subscription().id())
                .why(entry.subscription())
                .thenApply(why -> view(shard, entry, why == null ? null : why.reason()));
    }

    private static CompletionStage<SubscriptionView> view(ManagedShard shard, VolatilePage.Item item) {
        Subscription subscription = item.subscription();
        return shard.inspector(subscription.id())
                .why(subscription)
                .thenApply(why -> new SubscriptionView(
                        subscription.id(),
                        subscription.address().name(),
                        subscription.clientId(),
                        subscription.name(),
                        subscription.shared(),
                        subscription.noLocal(),
                        selectorOf(subscription),
                        null,
                        item.attended(),
                        item.owed(),
                        0,
                        0,
                        why == null ? null : why.reason()));
    }

    private static String selectorOf(Subscription subscription) {
        return subscription.selector() == null ? null : subscription.selector().text();
    }

    private static SubscriptionView view(ManagedShard shard, SubscriptionEntry entry, Reason why) {
        Subscription subscription = entry.subscription();
        boolean isOfQueue = subscription.address().isQueue();
        return new SubscriptionView(
                subscription.id(),
                subscription.address().name(),
                subscription.clientId(),
                subscription.name(),
                subscription.shared(),
                subscription.noLocal(),
                selectorOf(subscription),
                isOfQueue ? null : shard.doors().lookup().ownerOf(subscription),
                isOfQueue ? null : entry.isAttended(),
                entry.owedInRing() + entry.owedInBacklog(),
                entry.owedInRing(),
                entry.owedInBacklog(),
                why);
    }
}
