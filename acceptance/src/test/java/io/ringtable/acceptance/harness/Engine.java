package io.ringtable.acceptance.harness;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.sqlserver.SqlserverServer;
import java.sql.SQLException;
import java.util.function.UnaryOperator;

/** Where a broker stores. */
public enum Engine {
    SQLITE {
        @Override
        public UnaryOperator<BrokerSettings> on(Bench bench) {
            return UnaryOperator.identity();
        }

        @Override
        public ServerDatabase database(Bench bench) {
            throw new IllegalStateException("a SQLite file is its broker's alone");
        }
    },
    POSTGRESQL {
        @Override
        public ServerDatabase database(Bench bench) {
            PostgresServer server = bench.sharedPostgres();
            return new ServerDatabase(server.createDatabase(), server.username(), server.password());
        }
    },
    /** The server that the store's own tests run on: one that the environment names, else a container. */
    SQLSERVER {
        @Override
        public void require() {
            sqlserver();
        }

        @Override
        public ServerDatabase database(Bench bench) {
            SqlserverServer server = sqlserver();
            try {
                String url = server.newDatabase();
                bench.closing(() -> server.drop(url));
                return new ServerDatabase(url, server.username(), server.password());
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private SqlserverServer sqlserver() {
            try {
                return SqlserverServer.shared("2022-latest", true);
            } catch (EngineAbsent absent) {
                throw Required.missing(
                        "engines.required", "sqlserver", absent.getCause().getMessage());
            }
        }
    };

    /** Returns where a test's broker stores that may store anywhere: in a file, or in a server where it has nodes. */
    public static Engine any() {
        return Topology.ASKED.nodes() > 1 ? POSTGRESQL : SQLITE;
    }

    /** Skips the test or the class where the engine is absent, or fails if {@code engines.required} names it. */
    public void require() {
        // The others come with the build.
    }

    /** Starts what the engine needs; its brokers share one database. */
    public UnaryOperator<BrokerSettings> on(Bench bench) {
        ServerDatabase database = database(bench);
        return settings -> settings.store(database);
    }

    /** An empty database on a server, started if need be. Where the server outlives the bench, the bench removes it. */
    public abstract ServerDatabase database(Bench bench);
}
