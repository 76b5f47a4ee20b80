package io.ringtable.broker.management.operations;

import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.inspect.MessageDraft;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.ring.ShardIds;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Says in which shards is what operations are about. Thread: any. */
record Places(Supplier<ManagedShard> shard) {
    /** Holds what is set at run time for all shards. */
    static final int SETTINGS = 0;

    private static final String ID = "id";

    /** Returns the shard of the settings. */
    static Set<Integer> settings(Call call) {
        return Set.of(SETTINGS);
    }

    /** Returns the shard that has given the id of the path. */
    static Set<Integer> ofId(Call call) {
        return Set.of(ShardIds.shardOf(call.pathId(ID)));
    }

    /** Returns the part that gets the message of the call's body: that of its group, or else the address itself. */
    static Address partOf(ManagedShard now, Address address, Call call) {
        Parts parts = now.doors().partsOf(address);
        Object group = parts == null
                ? null
                : call.body(MessageDraft.class).properties().get("groupId");
        return group instanceof String key && !key.isEmpty() ? parts.of(PartKey.of(key)) : address;
    }

    /** Returns all shards, or the one that the call names. */
    Set<Integer> all(Call call) {
        if (call.text("shard") != null) {
            return Set.of((int) call.number("shard", 0, 0, ShardIds.SHARD_MAX));
        }
        return IntStream.range(0, shard.get().shards()).boxed().collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the shards of the address that the path names; none if there is none. */
    Set<Integer> ofPath(Call call) {
        return of(call.path("address"));
    }

    /** Returns the shard of the address that the path names; none if it has several, or there is no such address. */
    Set<Integer> soleOfPath(Call call) {
        Set<Integer> all = ofPath(call);
        return all.size() == 1 ? all : Set.of();
    }

    /** Returns the shards of the address that the path names, and the one to which it goes; none if there is none. */
    Set<Integer> ofMove(Call call) {
        Set<Integer> all = ofPath(call);
        int to = (int) call.number("shard", -1, 0, ShardIds.SHARD_MAX);
        if (!all.isEmpty() && to >= 0) {
            all.add(to);
        }
        return all;
    }

    /** Returns the shards of the address that the call names; all if it names none. */
    Operation.Place ofParameter(String name) {
        return call -> call.text(name) == null ? all(call) : of(call.text(name));
    }

    /** Returns the shards of an address; none if there is none. */
    Set<Integer> of(String address) {
        return shard.get().parts(address).stream()
                .map(part -> ShardIds.shardOf(part.address().id()))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
