package io.ringtable.broker.work;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;

/**
 * Brings together what other threads reach of the part of a shard that writes: mailboxes, whose calls are queued, and
 * look-ups, which are answered on the caller's thread.
 * <p>
 * Thread: any.
 */
public record CommitterDoors(
        CommitterMailbox committer,
        CatalogMailbox catalog,
        CatalogLookup lookup,
        StagerMailbox stager,
        BodyIds bodyIds) {}
