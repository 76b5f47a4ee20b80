package io.ringtable.broker.store.sqlserver;

/** The statements of this engine; each stands in the file of its name, which says what it does. */
enum SqlserverStatement {
    ACQUIRE,
    ALTER_CATALOG,
    DISCARD,
    FLUSH,
    FLUSH_INBOX,
    LAY_RING,
    READ_BACKLOG,
    READ_BACKLOG_LEDGER,
    READ_BACKLOG_OWED,
    READ_BODY,
    READ_INBOX,
    READ_ORPHANS,
    READ_RING,
    RECLAIM,
    RECOVER_ADDRESSES,
    RECOVER_BACKLOG,
    RECOVER_HIGHEST,
    RECOVER_REDELIVERIES,
    RECOVER_RING,
    RECOVER_SETTLEMENTS,
    RECOVER_SHARD,
    RECOVER_SUBSCRIPTIONS,
    RENEW_LEASE,
    RESIGN_LEASE,
    STAGE_CHUNK,
    TRANSACTION_ROLLBACK,
    UNSTAGE_BODIES,
    VERIFY_DURABILITY,
    VERIFY_VERSION
}
