package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.ShardState;
import java.util.List;

/** Sees that a shard gives no id of another one (ADR 46). Immutable; any thread. */
record ShardGuard(int shardId) {

    /** Refuses changes that give another shard's id, before the database hears of them. */
    void checkGiven(List<CatalogChange> changes) {
        for (CatalogChange change : changes) {
            long id = change.givenId();
            if (id != CatalogChange.NO_ID && ShardIds.shardOf(id) != shardId) {
                throw StoreErrors.idOfAnotherShard(id, shardId);
            }
        }
    }

    /** Returns the tables, unless the next id that they would give is another shard's. */
    ShardState checked(ShardState tables) {
        if (!ShardIds.isNext(shardId, tables.nextId())) {
            throw StoreErrors.corrupt("next id " + tables.nextId() + " is not between " + ShardIds.first(shardId)
                    + " and " + ShardIds.first(shardId + 1) + ", the ids of shard " + shardId);
        }
        return tables;
    }
}
