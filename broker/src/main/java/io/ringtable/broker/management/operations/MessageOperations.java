package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.dispatch.explain.Reason;
import io.ringtable.broker.dispatch.explain.Why;
import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.inspect.MessageDraft;
import io.ringtable.broker.inspect.MessageExplanation;
import io.ringtable.broker.inspect.MessageQuery;
import io.ringtable.broker.inspect.MessageSummary;
import io.ringtable.broker.inspect.RemovedMessage;
import io.ringtable.broker.inspect.ShownMessage;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.ManagementRefused;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.ring.ShardIds;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Finds, shows, explains, sends, copies and removes single messages. Thread: any. */
public final class MessageOperations {
    private static final String SUBSCRIPTION = "subscription";
    /** Stands for a message that has its number of the shard: ids of subscriptions in memory are below it. */
    private static final long STORED = 0;

    private static final String NUMBERS_THE_MESSAGE =
            "Id of the subscription that numbers the message, if it lives in memory.";
    private static final String SHARD =
            "Shard of the message, where the broker has several and the call names no subscription.";

    private final Supplier<ManagedShard> shard;

    /** @param shard refuses the call while this node does not own the shard */
    public MessageOperations(Supplier<ManagedShard> shard) {
        this.shard = shard;
    }

    /**
     * Says where a corrected copy goes, and what is replaced in it, as {@link MessageDraft} has it.
     *
     * @param to name of an address
     */
    public record MessageCopy(
            String to,
            Map<String, Object> headers,
            Map<String, Object> properties,
            Map<String, Object> applicationProperties,
            JsonNode body,
            String bodyType) {
        MessageDraft changes() {
            return new MessageDraft(headers, properties, applicationProperties, body, bodyType);
        }
    }

    /** Tells that a message is durable. */
    public record SentMessage(boolean accepted) {
        static final SentMessage ACCEPTED = new SentMessage(true);
    }

    /**
     * Says why a subscription is given nothing now.
     *
     * @param text one sentence
     * @param cure what to do
     * @param until when that ends by itself; null = unknown
     */
    public record WhyView(Reason reason, String text, String cure, Instant until) {}

    public List<Operation> operations() {
        Operation.Place message = call -> Set.of(homeOf(shard.get(), call));
        return List.of(
                Operation.get("/addresses/{address}/messages", "Lists the messages that a subscription owes.")
                        .needs(Role.OPERATOR, Permission.BROWSE, "address")
                        .query(
                                SUBSCRIPTION,
                                Type.NUMBER,
                                "Id of the subscription, which a topic needs; negative if it lives in memory.")
                        .query("selector", Type.TEXT, "JMS selector that the messages match.")
                        .query("id", Type.TEXT, "Message id, with or without ID: before it.")
                        .query("since", Type.TIME, "Earliest time of publishing.")
                        .query("until", Type.TIME, "Latest time of publishing.")
                        .lists(MessageSummary.class)
                        .at(this::placeOfList)
                        .asks(this::list),
                Operation.post("/addresses/{address}/messages", "Publishes a message.")
                        .needs(Role.OPERATOR, Permission.SEND, "address")
                        .takes(MessageDraft.class)
                        .hides("body", "properties", "applicationProperties")
                        .answers(SentMessage.class)
                        .at(this::placeOfSent)
                        .asks(this::send),
                Operation.get("/messages/{sequence}", "Shows a message decoded.")
                        .needs(Role.OPERATOR, Permission.BROWSE)
                        .query("shard", Type.NUMBER, SHARD)
                        .query(SUBSCRIPTION, Type.NUMBER, NUMBERS_THE_MESSAGE)
                        .answers(ShownMessage.class)
                        .at(message)
                        .asks(this::show),
                Operation.get("/messages/{sequence}/explain", "Tells the life of a message, and what it waits for.")
                        .needs(Role.VIEWER, Permission.BROWSE)
                        .query("shard", Type.NUMBER, SHARD)
                        .query(SUBSCRIPTION, Type.NUMBER, NUMBERS_THE_MESSAGE)
                        .answers(MessageExplanation.class)
                        .at(message)
                        .asks(this::explain),
                Operation.post("/messages/{sequence}/copy", "Publishes a copy with parts replaced; the original stays.")
                        .needs(Role.OPERATOR, Permission.BROWSE)
                        .query("shard", Type.NUMBER, SHARD)
                        .query(SUBSCRIPTION, Type.NUMBER, NUMBERS_THE_MESSAGE)
                        .takes(MessageCopy.class)
                        .hides("body", "properties", "applicationProperties")
                        .answers(SentMessage.class)
                        .at(message)
                        .asks(this::copy),
                Operation.delete("/messages/{sequence}", "Settles a message for one subscription, or for all.")
                        .needs(Role.OPERATOR, Permission.MANAGE)
                        .query("shard", Type.NUMBER, SHARD)
                        .query(
                                SUBSCRIPTION,
                                Type.NUMBER,
                                "Id of the only subscription to settle it for; a negative one numbers the message,"
                                        + " which lives in memory.")
                        .answers(RemovedMessage.class)
                        .at(message)
                        .asks(this::remove),
                Operation.get("/subscriptions/{id}/why", "Says why a subscription is given nothing now.")
                        .needs(Role.VIEWER, Permission.MANAGE)
                        .answers(WhyView.class)
                        .at(Places::ofId)
                        .asks(this::why));
    }

    private CompletionStage<Listing<MessageSummary>> list(Call call) {
        ManagedShard now = shard.get();
        List<AddressEntry> parts = browsed(now, call);
        MessageCursor cursor = MessageCursor.of(call);
        List<AddressEntry> left =
                parts.stream().filter(part -> shardOf(part) >= cursor.shard()).toList();
        if (left.isEmpty()) {
            return CompletableFuture.completedFuture(new Listing<>(List.of(), null));
        }
        int home = shardOf(left.get(0));
        MessageCursor nextPart = left.size() == 1 ? null : new MessageCursor(shardOf(left.get(1)), -1);
        String text = call.text("selector");
        Inspector inspector = now.inspector(home);
        Selector selector = text == null ? null : inspector.selector(text);
        Instant since = call.time("since");
        Instant until = call.time("until");
        int limit = call.page().limit();
        return subscription(now, left.get(0), call)
                .thenApply(subscription -> new MessageQuery(
                        subscription,
                        selector,
                        call.text("id"),
                        since == null ? 0 : since.toEpochMilli(),
                        until == null ? Long.MAX_VALUE : until.toEpochMilli(),
                        limit,
                        cursor.in(home)))
                .thenCompose(inspector::browse)
                .thenApply(page -> {
                    MessageCursor goesOn = page.next() == null ? nextPart : new MessageCursor(home, page.next());
                    List<MessageSummary> items = now.shards() == 1
                            ? page.items()
                            : page.items().stream().map(item -> item.in(home)).toList();
                    return new Listing<>(items, goesOn == null ? null : goesOn.text(parts.size() > 1));
                });
    }

    /** Returns the shard of the part with which a page of the list begins. */
    private Set<Integer> placeOfList(Call call) {
        if (shard.get().parts(call.path("address")).isEmpty()) {
            return Set.of();
        }
        int first = MessageCursor.of(call).shard();
        return browsed(shard.get(), call).stream()
                .map(MessageOperations::shardOf)
                .filter(home -> home >= first)
                .limit(1)
                .collect(Collectors.toSet());
    }

    /** Returns the shard of the part that gets the message of the body. */
    private Set<Integer> placeOfSent(Call call) {
        AddressEntry to = shard.get().byName(call.path("address"));
        return to == null
                ? Set.of()
                : Set.of(ShardIds.shardOf(
                        Places.partOf(shard.get(), to.address(), call).id()));
    }

    private static int shardOf(AddressEntry part) {
        return ShardIds.shardOf(part.address().id());
    }

    /**
     * Returns the parts of the path's address, which may be temporary, in the order of their shards. These are the part
     * of the subscription which the call names, or all.
     */
    private static List<AddressEntry> browsed(ManagedShard now, Call call) {
        List<AddressEntry> parts = now.parts(call.path("address"));
        if (parts.isEmpty()) {
            throw AddressOperations.gone(call.path("address"));
        }
        checkTemporary(call, parts.get(0).address());
        if (call.text("subscription") == null) {
            return parts;
        }
        int home = ShardIds.shardOf(call.number("subscription", 0, Long.MIN_VALUE, Long.MAX_VALUE));
        List<AddressEntry> its =
                parts.stream().filter(part -> shardOf(part) == home).toList();
        return its.isEmpty() ? parts.subList(0, 1) : its; // the first says that it has no such subscription
    }

    /**
     * Lets only its own connection read a temporary address, whatever the rules say of its name. For others a role
     * counts.
     */
    private static void checkTemporary(Call call, Address address) {
        if (address.isTemporary() && !call.role().includes(call.needed())) {
            throw new ManagementRefused(
                    403,
                    "RT-4401",
                    "user '" + Printable.value(call.caller().user()) + "' has no part in messages of " + address
                            + ", which is temporary: they are its connection's, and need the role " + call.needed());
        }
    }

    private static CompletionStage<Subscription> subscription(ManagedShard now, AddressEntry address, Call call) {
        if (call.text(SUBSCRIPTION) != null) {
            long id = call.number(SUBSCRIPTION, 0, Long.MIN_VALUE, Long.MAX_VALUE);
            return id < 0
                    ? now.inspector(id).inMemory().subscription(id).thenApply(found -> ofAddress(address, id, found))
                    : CompletableFuture.completedFuture(ofAddress(address, id, null));
        }
        if (address.address().isQueue()) {
            if (address.reader() == null) {
                now.inspector(address.address().id()); // refuses: its shard is away
            }
            return CompletableFuture.completedFuture(address.reader());
        }
        throw ManagementRefused.badRequest(
                "RT-7230",
                address.address() + " has " + address.subscriptions().size()
                        + " stored subscriptions: name one by subscription=. GET /subscriptions lists their ids, and"
                        + " with volatile=true those that live in memory");
    }

    /** @param inMemory the subscription of that id if it lives in memory; else null */
    private static Subscription ofAddress(AddressEntry address, long id, Subscription inMemory) {
        Stream<Subscription> known = inMemory != null
                ? Stream.of(inMemory).filter(each -> each.address().equals(address.address()))
                : address.subscriptions().stream().map(SubscriptionEntry::subscription);
        return known.filter(each -> each.id() == id)
                .findFirst()
                .orElseThrow(() -> ManagementRefused.notFound(
                        "RT-7231",
                        address.address() + " has no subscription " + id + ": GET /subscriptions lists ids"));
    }

    private CompletionStage<ShownMessage> show(Call call) {
        long reader = readerInMemory(call);
        return inspected(
                call,
                Permission.BROWSE,
                (inspector, sequence, permitted) -> reader == STORED
                        ? inspector.show(sequence, permitted)
                        : inspector.inMemory().show(reader, sequence, permitted));
    }

    private CompletionStage<MessageExplanation> explain(Call call) {
        ManagedShard now = shard.get();
        long reader = readerInMemory(call);
        return inspected(
                        call,
                        Permission.BROWSE,
                        (inspector, sequence, permitted) -> reader == STORED
                                ? inspector.explain(sequence, permitted)
                                : inspector.inMemory().explain(reader, sequence, permitted))
                .thenApply(life -> now.shards() == 1 ? life : life.in(homeOf(now, call)));
    }

    /** Returns the id of the subscription in memory that numbers the message; {@link #STORED} if none is named. */
    private static long readerInMemory(Call call) {
        return call.number(SUBSCRIPTION, STORED, Long.MIN_VALUE, -1);
    }

    private CompletionStage<SentMessage> send(Call call) {
        ManagedShard now = shard.get();
        Address to = AddressOperations.existing(now, call.path("address")).address();
        return now.inspector(Places.partOf(now, to, call).id())
                .send(to.name(), call.body(MessageDraft.class), login(call))
                .thenApply(sent -> SentMessage.ACCEPTED);
    }

    private CompletionStage<SentMessage> copy(Call call) {
        MessageCopy copy = call.body(MessageCopy.class);
        if (copy.to() == null) {
            throw ManagementRefused.badRequest(
                    "RT-7232", "the body does not say where the copy goes: give \"to\", the name of an address");
        }
        call.requires(Permission.SEND, copy.to());
        long reader = readerInMemory(call);
        return inspected(
                        call,
                        Permission.BROWSE,
                        (inspector, sequence, permitted) -> reader == STORED
                                ? inspector.copy(sequence, copy.to(), copy.changes(), login(call), permitted)
                                : inspector
                                        .inMemory()
                                        .copy(reader, sequence, copy.to(), copy.changes(), login(call), permitted))
                .thenApply(sent -> SentMessage.ACCEPTED);
    }

    private static PublisherLogin login(Call call) {
        return PublisherLogin.of(call.caller().identity().name());
    }

    private CompletionStage<RemovedMessage> remove(Call call) {
        Long subscription =
                call.text(SUBSCRIPTION) == null ? null : call.number(SUBSCRIPTION, 0, Long.MIN_VALUE, Long.MAX_VALUE);
        return inspected(
                call,
                Permission.MANAGE,
                (inspector, sequence, permitted) -> subscription != null && subscription < 0
                        ? inspector.inMemory().remove(subscription, sequence, permitted)
                        : inspector.remove(sequence, subscription, permitted));
    }

    private CompletionStage<WhyView> why(Call call) {
        ManagedShard now = shard.get();
        return SubscriptionOperations.managedAnywhere(now, call)
                .thenCompose(subscription ->
                        now.inspector(subscription.id()).why(subscription).thenApply(why -> view(subscription, why)));
    }

    private static WhyView view(Subscription subscription, Why why) {
        if (why == null) {
            throw ManagementRefused.notFound(
                    "RT-7233", Printable.text(subscription.toString()) + " was deleted a moment ago");
        }
        return new WhyView(
                why.reason(), why.text(), why.cure(), why.until() == 0 ? null : Instant.ofEpochMilli(why.until()));
    }

    /** Asks the inspector about a message. */
    @FunctionalInterface
    private interface Inspection<T> {
        CompletionStage<T> ask(Inspector inspector, long sequence, Consumer<Address> permitted);
    }

    /** Asks about the message of the path, for a caller who needs that permission on its address. */
    private <T> CompletionStage<T> inspected(Call call, Permission permission, Inspection<T> inspection) {
        ManagedShard now = shard.get();
        return inspection.ask(now.inspector(homeOf(now, call)), call.pathNumber("sequence"), address -> {
            call.requires(permission, address.name());
            checkTemporary(call, address);
        });
    }

    /** Returns the shard of the message of the path. Each shard numbers its messages, so none is guessed. */
    private static int homeOf(ManagedShard now, Call call) {
        if (call.text("shard") != null) {
            return (int) call.number("shard", 0, 0, ShardIds.SHARD_MAX);
        }
        if (call.text("subscription") != null) {
            return ShardIds.shardOf(call.number("subscription", 0, Long.MIN_VALUE, Long.MAX_VALUE));
        }
        if (now.shards() > 1) {
            throw ManagementRefused.badRequest(
                    "RT-4491",
                    "each of the " + now.shards() + " shards may have a message " + call.pathNumber("sequence")
                            + ": say which one by shard=, as the list of messages has it");
        }
        return 0;
    }
}
