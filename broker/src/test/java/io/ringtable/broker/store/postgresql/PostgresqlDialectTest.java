package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the conclusions from the server's answers. */
class PostgresqlDialectTest {
    private final PostgresqlDialect dialect =
            new PostgresqlDialect(StoreSettings.of("jdbc:postgresql://localhost/x", "user", "secret", Path.of("unused"))
                    .properties());

    @ParameterizedTest
    @CsvSource({
        "40001, RETRYABLE",
        "40P01, RETRYABLE",
        "55P03, RETRYABLE",
        "57014, RETRYABLE",
        "23505, REFUSED",
        "23514, REFUSED",
        "22001, REFUSED",
        "54000, REFUSED",
        "53100, NOT_WRITABLE",
        "25006, NOT_WRITABLE",
        "58030, NOT_WRITABLE",
        "08006, UNAVAILABLE",
        "57P01, UNAVAILABLE",
        "57P03, UNAVAILABLE",
        "53300, UNAVAILABLE",
        "55000, UNAVAILABLE",
        "28P01, UNSUPPORTED",
        "3D000, UNSUPPORTED",
        "42501, UNSUPPORTED",
        "RT015, FENCED",
        "RT016, CORRUPT",
        "RT017, UNSUPPORTED",
        "RT018, RETRYABLE",
        "42P01, CORRUPT",
        "XX001, CORRUPT"
    })
    void everySqlstateHasItsKind(String state, Kind kind) {
        assertThat(dialect.classify(new SQLException("as the server says", state)))
                .isEqualTo(kind);
    }

    @Test
    void aPoolThatHasNoConnectionToGiveIsUnavailable() {
        assertThat(dialect.classify(new SQLTransientConnectionException("timed out")))
                .isEqualTo(Kind.UNAVAILABLE);
    }

    @ParameterizedTest
    @CsvSource({
        "PostgreSQL 15.13 (Debian 15.13-0+deb12u1) on x86_64, 150013, true",
        "PostgreSQL 18.6 on aarch64, 180006, true",
        "PostgreSQL 14.22 on x86_64, 140022, false",
        "CockroachDB CCL v25.1.0, 150000, false"
    })
    void onlyPostgresqlFromVersion15IsSupported(String full, int version, boolean supported) {
        assertThat(PostgresqlDialect.isSupported(full, version)).isEqualTo(supported);
    }
}
