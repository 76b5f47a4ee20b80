package io.ringtable.acceptance.harness;

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
    SQLSERVER {
        @Override
        public ServerDatabase database(Bench bench) {
            SqlServer server = bench.sqlServer();
            return new ServerDatabase(server.createDatabase(), server.username(), server.password());
        }
    };

    /** Starts what the engine needs; its brokers share one database. */
    public UnaryOperator<BrokerSettings> on(Bench bench) {
        ServerDatabase database = database(bench);
        return settings -> settings.store(database);
    }

    /** An empty database on a server, started if need be. */
    public abstract ServerDatabase database(Bench bench);
}
