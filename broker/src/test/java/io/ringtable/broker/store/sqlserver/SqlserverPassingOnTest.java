package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.InboxCalls;
import io.ringtable.broker.store.PassingOnContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.SQLException;

/** Passing on to another shard, on the same SQL Server as {@link SqlserverInboxTest}. */
class SqlserverPassingOnTest extends PassingOnContract {
    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        return new SqlserverTestDatabase(SqlserverServer.shared("2022-latest", true));
    }

    @Override
    protected InboxCalls calls() {
        return new SqlserverInboxCalls();
    }
}
