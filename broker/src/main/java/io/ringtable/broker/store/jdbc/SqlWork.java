package io.ringtable.broker.store.jdbc;

import java.sql.SQLException;

/** Acts on a connection, or on what stands for one, and answers. */
@FunctionalInterface
public interface SqlWork<C, T> {
    T on(C connection) throws SQLException;
}
