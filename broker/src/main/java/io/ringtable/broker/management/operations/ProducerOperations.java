package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.ProducerEntry;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.ManagementRefused;
import io.ringtable.broker.management.NodeListing;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.Page;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.ring.ShardIds;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Lists producers, and forgets those that no link attends. Thread: any. */
public final class ProducerOperations {
    private final Supplier<ManagedShard> shard;

    /** @param shard refuses the call while this node does not own the shard */
    public ProducerOperations(Supplier<ManagedShard> shard) {
        this.shard = shard;
    }

    /**
     * Shows a publisher of numbered messages.
     *
     * @param id by which the list is sorted
     * @param incarnation number of its last opening, from 1
     * @param lastNumber number of its last stored message; 0 = none
     * @param usedAt when it was opened, or a message of it was stored, last
     * @param owner the user whose it is, who alone may open it; null if it is nobody's
     * @param attended whether a link attends it
     * @param attendedBy the user or host of that link; null if none attends
     */
    public record ProducerView(
            long id,
            String address,
            String name,
            long incarnation,
            long lastNumber,
            Instant usedAt,
            String owner,
            boolean attended,
            String attendedBy) {}

    public List<Operation> operations() {
        Places places = new Places(shard);
        return List.of(
                Operation.get("/producers", "Lists publishers of numbered messages, the oldest first.")
                        .needs(Role.VIEWER)
                        .query("address", Type.TEXT, "Name of the address; all unless given.")
                        .query("filter", Type.TEXT, "Text that the name contains, whatever the case.")
                        .lists(ProducerView.class)
                        .at(places.ofParameter("address"), NodeListing.byId())
                        .asks(this::list),
                Operation.delete(
                                "/producers/{address}/{name}",
                                "Forgets a producer: what it sends again would be stored again.")
                        .needs(Role.OPERATOR, Permission.MANAGE, "address")
                        .at(places::ofPath)
                        .asks(this::forget));
    }

    private CompletionStage<Listing<ProducerView>> list(Call call) {
        ManagedShard now = shard.get().coveredBy(call);
        Page page = call.page();
        String name = call.text("address");
        Address address =
                name == null ? null : AddressOperations.existing(now, name).address();
        long after = idOf(page.after());
        int most = page.limit() + 1;
        return (call.coversAll()
                        ? now.doors().catalog().producers(after, most, address, call.text("filter"))
                        : covered(now, call, after, most, address))
                .thenApply(found -> listing(found, page.limit()));
    }

    /** Returns the producers in the shards that the call is about. Ids rise with the numbers of their shards. */
    private static CompletionStage<List<ProducerEntry>> covered(
            ManagedShard now, Call call, long after, int most, Address address) {
        CompletionStage<List<ProducerEntry>> all = CompletableFuture.completedFuture(List.of());
        for (int shard = ShardIds.shardOf(after); shard < now.shards(); shard++) {
            if (call.covers(shard) && (address == null || ShardIds.shardOf(address.id()) == shard)) {
                CatalogMailbox catalog = now.catalog(shard);
                all = all.thenCompose(found -> found.size() >= most
                        ? CompletableFuture.completedFuture(found)
                        : catalog.producers(after, most - found.size(), address, call.text("filter"))
                                .thenApply(more -> Stream.of(found, more)
                                        .flatMap(List::stream)
                                        .toList()));
            }
        }
        return all;
    }

    private static long idOf(String after) {
        try {
            return after == null ? 0 : Long.parseLong(after);
        } catch (NumberFormatException e) {
            throw ManagementRefused.badRequest(
                    "RT-7300",
                    "after='" + Printable.value(after) + "' is no cursor: write what next of the page before says");
        }
    }

    private static Listing<ProducerView> listing(List<ProducerEntry> found, int limit) {
        return new Listing<>(
                found.stream().limit(limit).map(ProducerOperations::view).toList(),
                found.size() > limit ? Long.toString(found.get(limit - 1).id()) : null);
    }

    private static ProducerView view(ProducerEntry entry) {
        return new ProducerView(
                entry.id(),
                entry.address().name(),
                entry.name(),
                entry.incarnation(),
                entry.lastNumber(),
                Instant.ofEpochMilli(entry.usedAt()),
                entry.owner(),
                entry.attendedBy() != null,
                entry.attendedBy());
    }

    private CompletionStage<Void> forget(Call call) {
        ManagedShard now = shard.get();
        Address address = AddressOperations.existing(now, call.path("address")).address();
        return now.doors().catalog().forget(address, call.path("name"));
    }
}
