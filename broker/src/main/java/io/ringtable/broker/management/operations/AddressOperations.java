package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.dispatch.redelivery.StuckAddress;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementRefused;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Printable;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Lists, shows, creates and deletes addresses. Thread: any. */
public final class AddressOperations {
    private final Supplier<ManagedShard> shard;

    /** @param shard refuses the call while this node does not own the shard */
    public AddressOperations(Supplier<ManagedShard> shard) {
        this.shard = shard;
    }

    /**
     * Shows an address.
     *
     * @param messages owed, or reserved by credit that publishers hold
     * @param bytes owed
     * @param messagesMax the quota
     * @param links that publish to it or receive from it
     * @param retained null if it keeps nothing
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
            Retained retained,
            String stuck) {}

    /**
     * Shows what a topic keeps for later subscriptions.
     *
     * @param oldestAt when the oldest was published; null if nothing is kept
     */
    public record Retained(long messages, long bytes, Instant oldestAt) {}

    /** Says of which kind a new address is. */
    public record NewAddress(AddressKind kind) {}

    public List<Operation> operations() {
        return List.of(
                Operation.get("/addresses", "Lists addresses by name.")
                        .needs(Role.VIEWER)
                        .query("kind", Type.TEXT, "queue or topic; both unless given.")
                        .query("filter", Type.TEXT, "Text that the name contains, whatever the case.")
                        .lists(AddressView.class)
                        .does(this::list),
                Operation.get("/addresses/{address}", "Shows an address.")
                        .needs(Role.VIEWER, Permission.MANAGE, "address")
                        .answers(AddressView.class)
                        .does(this::show),
                Operation.put("/addresses/{address}", "Creates an address, unless it exists already.")
                        .needs(Role.ADMINISTRATOR, Permission.CREATE, "address")
                        .takes(NewAddress.class)
                        .answers(ManagementAnswer.CREATED, AddressView.class)
                        .asks(this::create),
                Operation.delete("/addresses/{address}", "Deletes an address with all that it holds.")
                        .needs(Role.ADMINISTRATOR, Permission.DELETE, "address")
                        .query("force", Type.FLAG, "Whether messages and durable subscriptions go with it.")
                        .asks(this::delete));
    }

    private Listing<AddressView> list(Call call) {
        ManagedShard now = shard.get();
        Predicate<String> filter = call.filter();
        Stream<AddressEntry> found = now.catalog().entries().stream()
                .filter(ofKind(call.text("kind")))
                .filter(entry -> filter.test(entry.address().name()))
                .sorted(Comparator.comparing(entry -> entry.address().name()));
        return call.page().of(found, entry -> entry.address().name(), entry -> view(now, entry));
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

    private AddressView show(Call call) {
        ManagedShard now = shard.get();
        return view(now, existing(now, call.path("address")));
    }

    private CompletionStage<ManagementAnswer> create(Call call) {
        ManagedShard now = shard.get();
        String name = call.path("address");
        AddressKind kind = call.body(NewAddress.class).kind();
        if (kind == null) {
            throw ManagementRefused.badRequest("RT-7712", "the body has no kind: write {\"kind\": \"QUEUE\"} or TOPIC");
        }
        boolean existed = now.catalog().byName(name) != null;
        return now.doors().catalog().create(name, kind).thenApply(address -> {
            AddressView made = view(now, existing(now, name));
            return existed ? ManagementAnswer.of(made) : ManagementAnswer.created(made);
        });
    }

    private CompletionStage<Void> delete(Call call) {
        ManagedShard now = shard.get();
        Address address = existing(now, call.path("address")).address();
        return now.doors().catalog().deleteStored(address, call.flag("force"));
    }

    static AddressEntry existing(ManagedShard shard, String name) {
        AddressEntry entry = shard.catalog().byName(name);
        if (entry == null || entry.address().isTemporary()) {
            throw ManagementRefused.notFound(
                    "RT-7713", "there is no address '" + Printable.value(name) + "': GET /addresses lists them");
        }
        return entry;
    }

    private static AddressView view(ManagedShard shard, AddressEntry entry) {
        Address address = entry.address();
        AddressQuota quota = address.quota();
        return new AddressView(
                address.name(),
                address.kind(),
                quota.messages(),
                quota.bytes(),
                quota.messagesMax(),
                quota.bytesMax(),
                entry.subscriptions().size() - (entry.retained() == null ? 0 : 1),
                shard.links(address),
                retained(entry.retained()),
                shard.stuckAddresses().stream()
                        .filter(stuck -> stuck.address().equals(address.name()))
                        .map(StuckAddress::reason)
                        .findFirst()
                        .orElse(null));
    }

    private static Retained retained(RetainedMessages kept) {
        if (kept == null) {
            return null;
        }
        long oldestAt = kept.oldestAt();
        return new Retained(kept.messages(), kept.bytes(), oldestAt < 0 ? null : Instant.ofEpochMilli(oldestAt));
    }
}
