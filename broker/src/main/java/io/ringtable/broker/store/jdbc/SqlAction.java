package io.ringtable.broker.store.jdbc;

import java.sql.SQLException;

/** Acts on a connection, or on what stands for one, without an answer. */
@FunctionalInterface
public interface SqlAction<C> {
    void on(C connection) throws SQLException;
}
