package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.InboxCalls;
import io.ringtable.broker.store.PassingOnContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.SQLException;

/** Passing on to another shard, on PostgreSQL. */
class PostgresqlPassingOnTest extends PassingOnContract {
    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        return PostgresqlTestDatabase.migrated();
    }

    @Override
    protected InboxCalls calls() {
        return new PostgresqlInboxCalls();
    }
}
