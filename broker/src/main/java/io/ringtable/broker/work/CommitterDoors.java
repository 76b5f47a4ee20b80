package io.ringtable.broker.work;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.LoginIds;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;

/**
 * Brings together what other threads call in the writing part of a shard. Calls of a mailbox are queued; a look-up is
 * answered on the caller's thread.
 * <p>
 * Thread: any.
 */
public record CommitterDoors(
        CommitterMailbox committer,
        CatalogMailbox catalog,
        CatalogLookup lookup,
        LoginIds logins,
        StagerMailbox stager,
        BodyIds bodyIds) {}
