package io.ringtable.acceptance.harness;

import java.util.function.UnaryOperator;

/** Where a broker stores. */
public enum Engine {
    SQLITE {
        @Override
        public UnaryOperator<BrokerSettings> on(Bench bench) {
            return UnaryOperator.identity();
        }
    },
    POSTGRESQL {
        @Override
        public UnaryOperator<BrokerSettings> on(Bench bench) {
            PostgresServer server = bench.postgres();
            String url = server.createDatabase();
            return settings -> settings.store(url, server.username(), server.password());
        }
    },
    SQLSERVER {
        @Override
        public UnaryOperator<BrokerSettings> on(Bench bench) {
            SqlServer server = bench.sqlServer();
            String url = server.createDatabase();
            return settings -> settings.store(url, server.username(), server.password());
        }
    };

    /** Starts what the engine needs; its brokers share one database. */
    public abstract UnaryOperator<BrokerSettings> on(Bench bench);
}
