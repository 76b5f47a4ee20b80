package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.CreationElsewhere;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.redelivery.StuckAddress;
import io.ringtable.broker.job.Job;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementRefused;
import io.ringtable.broker.management.NodeListing;
import io.ringtable.broker.management.NodeRequests;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Lists, shows, creates, moves and deletes addresses. Thread: any.
 * <p>Longer than others, because what is shown of an address stands beside what is done with it.
 */
public final class AddressOperations {
    private static final String SHARD = "shard";

    private final Supplier<ManagedShard> shard;
    private final Bringer bringer;

    /** Has shards of other nodes come to this one, for addresses that move. */
    public interface Bringer {
        /** Stands for a broker whose node has all shards. */
        Bringer NONE = new Bringer() {};

        /**
         * Has the shard of a move come that another node serves.
         *
         * @return completes with what lets the shard go again, once this node serves both; null if it serves neither.
         *     Refused if the shard does not come
         */
        default CompletionStage<Runnable> bring(AddressMove move) {
            return null;
        }

        /** Returns the move of an address that waits for a shard; null if none does. */
        default AddressMove waiting(String address) {
            return null;
        }

        /** Says for people what the move of an address waits for; null if it waits for no shard. */
        default String waitsFor(String address) {
            return null;
        }
    }

    /** @param shard refuses the call while this node does not own the shard */
    public AddressOperations(Supplier<ManagedShard> shard, Bringer bringer) {
        this.shard = shard;
        this.bringer = bringer;
    }

    /**
     * Shows an address.
     *
     * @param messages owed, or reserved by credit that publishers hold
     * @param bytes owed
     * @param messagesMax the quota
     * @param links that publish to it or receive from it
     * @param shards where it lives: its home, or those of its parts; null where there is one shard
     * @param parts what each of several parts has; null if it has one
     * @param away which of {@code shards} are away now, with figures as they were known last; null if none is
     * @param retained null if it keeps nothing
     * @param moving from which shard to which it moves; null if it stays
     * @param stuck why messages should leave it and cannot; null if all is well
     */
    public record AddressView(
            String name,
            AddressKind kind,
            long messages,
            long bytes,
            long messagesMax,
            long bytesMax,
            int subscriptions,
            int links,
            List<Integer> shards,
            List<PartView> parts,
            List<Integer> away,
            Retained retained,
            MoveView moving,
            String stuck) {}

    /**
     * Shows between which shards an address moves.
     *
     * @param waitsFor what the move waits for before it begins, for people; null if it has begun
     */
    public record MoveView(int from, int to, String waitsFor) {}

    /**
     * Shows a part of an address.
     *
     * @param shard where it lives
     * @param messages owed, or reserved by credit that publishers hold
     * @param bytes owed
     */
    public record PartView(int shard, long messages, long bytes) {}

    /**
     * Shows what a topic keeps for later subscriptions.
     *
     * @param oldestAt when the oldest was published; null if nothing is kept
     */
    public record Retained(long messages, long bytes, Instant oldestAt) {}

    /** Says of which kind a new address is. */
    public record NewAddress(AddressKind kind) {}

    public List<Operation> operations() {
        Places places = new Places(shard);
        return List.of(
                Operation.get("/addresses", "Lists addresses by name.")
                        .needs(Role.VIEWER)
                        .query("kind", Type.TEXT, "queue or topic; both unless given.")
                        .query("filter", Type.TEXT, "Text that the name contains, whatever the case.")
                        .query("shard", Type.NUMBER, "Number of the shard where it lives; all unless given.")
                        .lists(AddressView.class)
                        .at(places::all, NodeListing.byName(AddressSum::of))
                        .does(this::list),
                Operation.get("/addresses/{address}", "Shows an address.")
                        .needs(Role.VIEWER, Permission.MANAGE, "address")
                        .answers(AddressView.class)
                        .at(places::ofPath, AddressOperations::joined)
                        .does(this::show),
                Operation.put("/addresses/{address}", "Creates an address, unless it exists already.")
                        .needs(Role.ADMINISTRATOR, Permission.CREATE, "address")
                        .takes(NewAddress.class)
                        .answers(ManagementAnswer.CREATED, AddressView.class)
                        .asks(this::create),
                Operation.delete("/addresses/{address}", "Deletes an address with all that it holds.")
                        .needs(Role.ADMINISTRATOR, Permission.DELETE, "address")
                        .query("force", Type.FLAG, "Whether messages and durable subscriptions go with it.")
                        .at(places::soleOfPath) // parts at several nodes go by the directory, whoever asks
                        .asks(this::delete),
                Operation.post("/addresses/{address}/move", "Moves a queue or a topic to another shard.")
                        .needs(Role.ADMINISTRATOR, Permission.MANAGE, "address")
                        .query(SHARD, Type.NUMBER, "Number of the shard.")
                        .query("force", Type.FLAG, "Whether addresses of its affinity may stay elsewhere.")
                        .at(
                                places::ofMove,
                                new Operation.Meeting(
                                        places::ofPath,
                                        Set.of(AddressMove.CANNOT_COME, Home.ELSEWHERE),
                                        Set.of(AddressMove.GONE, Home.AWAY, NodeRequests.NOTHING_DONE)))
                        .answers(ManagementAnswer.ACCEPTED, AddressView.class)
                        .asks(this::move));
    }

    private Listing<AddressView> list(Call call) {
        ManagedShard now = shard.get().coveredBy(call);
        Predicate<String> filter = call.filter();
        Map<String, List<AddressEntry>> found = now.entries().stream()
                .filter(ofKind(call.text("kind")).and(livingIn(call, now)))
                .filter(entry -> filter.test(entry.address().name()))
                .collect(Collectors.groupingBy(entry -> entry.address().name(), TreeMap::new, Collectors.toList()));
        return call.page()
                .of(found.values().stream(), parts -> parts.get(0).address().name(), parts -> view(now, parts));
    }

    private static Predicate<AddressEntry> ofKind(String kind) {
        if (kind == null) {
            return any -> true;
        }
        for (AddressKind known : AddressKind.values()) {
            if (known.name().equalsIgnoreCase(kind)) {
                return entry -> entry.address().kind() == known;
            }
        }
        throw ManagementRefused.badRequest(
                "RT-7711", "kind='" + Printable.value(kind) + "': write queue or topic, or leave it out");
    }

    private static Predicate<AddressEntry> livingIn(Call call, ManagedShard now) {
        int wanted = (int) call.number("shard", -1, 0, ShardIds.SHARD_MAX);
        if (wanted >= now.shards()) {
            throw ManagementRefused.badRequest(
                    "RT-7722",
                    "shard=" + wanted + ": this node has the shards 0 to " + (now.shards() - 1)
                            + ", GET /shards lists them");
        }
        return entry -> wanted < 0 || homeOf(entry) == wanted;
    }

    private AddressView show(Call call) {
        ManagedShard now = shard.get().coveredBy(call);
        return view(now, existingParts(now, call.path("address")));
    }

    /** Shows an address whose parts several nodes have; what one says who has none of it does not count. */
    private static CompletionStage<?> joined(Call call, List<Operation.Share> shares) {
        JsonNode all = shares.stream()
                .map(Operation.Share::body)
                .filter(JsonNode::isObject)
                .reduce(AddressSum::of)
                .orElse(null);
        if (all != null) {
            return CompletableFuture.completedFuture(ManagementAnswer.of(all));
        }
        ManagementAnswer refusal = Operation.Share.refusalIn(shares);
        return refusal == null
                ? CompletableFuture.failedFuture(gone(call.path("address")))
                : CompletableFuture.completedFuture(refusal);
    }

    private CompletionStage<ManagementAnswer> create(Call call) {
        ManagedShard now = shard.get();
        String name = call.path("address");
        AddressKind kind = call.body(NewAddress.class).kind();
        if (kind == null) {
            throw ManagementRefused.badRequest("RT-7712", "the body has no kind: write {\"kind\": \"QUEUE\"} or TOPIC");
        }
        AddressEntry known = now.byName(name);
        int home = soleHome(now, name);
        if (call.isElsewhere(home)) {
            return call.passOn(home, call.rawBody());
        }
        return now.doors()
                .catalog()
                .create(name, kind)
                .thenApply(address -> {
                    AddressView made = view(now, existingParts(now, name));
                    return known != null ? ManagementAnswer.of(made) : ManagementAnswer.created(made);
                })
                .exceptionallyCompose(failure -> {
                    Home maker = CreationElsewhere.homeOf(failure);
                    int shard = maker == null ? soleHome(now, name) : maker.number(); // made there meanwhile
                    return call.isElsewhere(shard)
                            ? call.passOn(shard, call.rawBody())
                            : CompletableFuture.failedFuture(failure);
                });
    }

    /** Returns the shard of an address that has one part; -1 if there is no such address, or it has several. */
    private static int soleHome(ManagedShard now, String name) {
        List<AddressEntry> parts = now.parts(name);
        return parts.size() == 1 ? homeOf(parts.get(0)) : -1;
    }

    private CompletionStage<Void> delete(Call call) {
        ManagedShard now = shard.get();
        Address address = existing(now, call.path("address")).address();
        return now.doors().catalog().deleteStored(address, call.flag("force"));
    }

    /**
     * Begins a move. Publishers go to the next shard once this is answered; the move ends by itself. The shards are
     * looked for last. So a shard of another node comes only for a move that nothing else forbids.
     */
    private CompletionStage<ManagementAnswer> move(Call call) {
        ManagedShard now = shard.get();
        int to = (int) call.number(SHARD, -1, 0, ShardIds.SHARD_MAX);
        AddressEntry entry = existing(now, call.path("address"));
        if (to < 0) {
            throw ManagementRefused.badRequest("RT-4633", "nobody said where to: name the shard, as in ?shard=2");
        }
        AddressMove move = new AddressMove(entry.address().name(), homeOf(entry), to);
        return begin(call, move).exceptionallyCompose(failure -> {
            CompletionStage<Runnable> brought = isElsewhere(failure) ? bringer.bring(move) : null;
            return brought == null
                    ? CompletableFuture.failedFuture(failure)
                    : brought.thenCompose(leave -> begin(call, move).whenComplete((begun, refused) -> leave.run()));
        });
    }

    private static boolean isElsewhere(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof Refusal.Refused refused
                && refused.refusal().code().equals(Home.ELSEWHERE);
    }

    private CompletionStage<ManagementAnswer> begin(Call call, AddressMove move) {
        return CompletableFuture.completedFuture(shard.get())
                .thenCompose(
                        now -> begin(call, move, now, existing(now, move.name()).address()));
    }

    private CompletionStage<ManagementAnswer> begin(Call call, AddressMove move, ManagedShard now, Address address) {
        boolean isTarget = now.jobs().all().stream()
                .anyMatch(job -> job.state() == Job.State.RUNNING
                        && address.name().equals(job.request().to()));
        if (isTarget) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.IN_USE,
                    "RT-4632",
                    "a job moves messages to " + address + ": wait for its end, or cancel it"));
        }
        return now.doors()
                .catalog()
                .move(address, move.to(), call.flag("force"))
                .thenApply(moves -> ManagementAnswer.begun(view(now, existingParts(now, address.name()))));
    }

    static AddressEntry existing(ManagedShard shard, String name) {
        return existingParts(shard, name).get(0);
    }

    /** Returns the entries of a stored address, one for each part. */
    static List<AddressEntry> existingParts(ManagedShard shard, String name) {
        List<AddressEntry> parts = shard.parts(name);
        if (parts.isEmpty() || parts.get(0).address().isTemporary()) {
            throw gone(name);
        }
        return parts;
    }

    static ManagementRefused gone(String name) {
        return ManagementRefused.notFound(
                "RT-7713", "there is no address '" + Printable.value(name) + "': GET /addresses lists them");
    }

    /** Shows an address; where it has parts, their sums. */
    private AddressView view(ManagedShard shard, List<AddressEntry> parts) {
        AddressEntry entry = parts.get(0);
        Address address = entry.address();
        return new AddressView(
                address.name(),
                address.kind(),
                sum(parts, AddressQuota::messages),
                sum(parts, AddressQuota::bytes),
                sum(parts, AddressQuota::messagesMax),
                sum(parts, AddressQuota::bytesMax),
                entry.subscriptions().size() - (entry.retained() == null ? 0 : 1),
                parts.stream().mapToInt(part -> shard.links(part.address())).sum(),
                shard.shards() == 1
                        ? null
                        : parts.stream().map(AddressOperations::homeOf).toList(),
                parts.size() == 1
                        ? null
                        : parts.stream().map(AddressOperations::part).toList(),
                away(shard, parts),
                retained(parts),
                moving(shard, address.name()),
                shard.stuckAddresses().stream()
                        .filter(stuck -> stuck.address().equals(address.name()))
                        .map(StuckAddress::reason)
                        .findFirst()
                        .orElse(null));
    }

    private static List<Integer> away(ManagedShard shard, List<AddressEntry> parts) {
        List<Integer> away = parts.stream()
                .filter(part -> shard.doors().refusalFor(part.address()) != null)
                .map(AddressOperations::homeOf)
                .toList();
        return away.isEmpty() ? null : away;
    }

    private MoveView moving(ManagedShard shard, String name) {
        AddressMove begun = shard.doors().moveOf(name);
        AddressMove move = begun == null ? bringer.waiting(name) : begun;
        return move == null
                ? null
                : new MoveView(move.from(), move.to(), begun == null ? bringer.waitsFor(name) : null);
    }

    private static PartView part(AddressEntry entry) {
        AddressQuota quota = entry.address().quota();
        return new PartView(homeOf(entry), quota.messages(), quota.bytes());
    }

    private static int homeOf(AddressEntry entry) {
        return ShardIds.shardOf(entry.address().id());
    }

    private static long sum(List<AddressEntry> parts, ToLongFunction<AddressQuota> figure) {
        return parts.stream()
                .mapToLong(part -> figure.applyAsLong(part.address().quota()))
                .sum();
    }

    private static Retained retained(List<AddressEntry> parts) {
        List<RetainedMessages> kept = parts.stream()
                .map(AddressEntry::retained)
                .filter(Objects::nonNull)
                .toList();
        if (kept.isEmpty()) {
            return null;
        }
        OptionalLong oldestAt = kept.stream()
                .mapToLong(RetainedMessages::oldestAt)
                .filter(at -> at >= 0) // a part that keeps nothing has none
                .min();
        return new Retained(
                kept.stream().mapToLong(RetainedMessages::messages).sum(),
                kept.stream().mapToLong(RetainedMessages::bytes).sum(),
                oldestAt.isPresent() ? Instant.ofEpochMilli(oldestAt.getAsLong()) : null);
    }
}
