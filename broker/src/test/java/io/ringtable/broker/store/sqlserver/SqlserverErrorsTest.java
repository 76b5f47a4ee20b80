package io.ringtable.broker.store.sqlserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.store.StoreFailure.Kind;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the conclusions from the answers of server and driver. */
class SqlserverErrorsTest {

    @ParameterizedTest
    @CsvSource({
        "1205, RETRYABLE",
        "1222, RETRYABLE",
        "601, RETRYABLE",
        "517, REFUSED",
        "1204, RETRYABLE",
        "3960, RETRYABLE",
        "701, RETRYABLE",
        "8645, RETRYABLE",
        "547, REFUSED",
        "2627, REFUSED",
        "2601, REFUSED",
        "515, REFUSED",
        "8152, REFUSED",
        "2628, REFUSED",
        "8115, REFUSED",
        "9002, NOT_WRITABLE",
        "1105, NOT_WRITABLE",
        "1101, NOT_WRITABLE",
        "1121, NOT_WRITABLE",
        "3906, NOT_WRITABLE",
        "823, NOT_WRITABLE",
        "40544, NOT_WRITABLE",
        "942, UNAVAILABLE",
        "945, UNAVAILABLE",
        "976, UNAVAILABLE",
        "978, UNAVAILABLE",
        "983, UNAVAILABLE",
        "4060, UNAVAILABLE",
        "596, UNAVAILABLE",
        "-2, UNAVAILABLE",
        "40197, UNAVAILABLE",
        "40501, UNAVAILABLE",
        "40613, UNAVAILABLE",
        "49918, UNAVAILABLE",
        "49919, UNAVAILABLE",
        "49920, UNAVAILABLE",
        "10928, UNAVAILABLE",
        "10929, UNAVAILABLE",
        "18456, UNSUPPORTED",
        "229, UNSUPPORTED",
        "50015, FENCED",
        "50016, CORRUPT",
        "50017, UNSUPPORTED",
        "824, CORRUPT",
        "208, CORRUPT",
    })
    void everyNumberHasItsKind(int number, Kind kind) {
        assertThat(SqlserverErrors.kind(new SQLException("as the server says", "S0001", number)))
                .isEqualTo(kind);
    }

    @ParameterizedTest
    @CsvSource({
        "08S01, UNAVAILABLE",
        "08006, UNAVAILABLE",
        "08003, UNAVAILABLE",
        "HYT00, UNAVAILABLE",
        "HY008, UNAVAILABLE",
        "23000, REFUSED",
        "22001, REFUSED",
        "40001, RETRYABLE",
        "42000, CORRUPT"
    })
    void whatTheDriverSaysByItselfHasItsKindToo(String state, Kind kind) {
        assertThat(SqlserverErrors.kind(new SQLException("as the driver says", state)))
                .isEqualTo(kind);
    }

    @Test
    void aTimeOutLeavesAWriteUnknownBecauseItMayHaveCrossedWithTheCommit() {
        assertThat(SqlserverErrors.kind(new SQLTimeoutException("The query has timed out.", "HY008")))
                .isEqualTo(Kind.UNAVAILABLE);
    }

    @Test
    void aPoolThatHasNoConnectionToGiveIsUnavailable() {
        assertThat(SqlserverErrors.kind(new SQLTransientConnectionException("timed out")))
                .isEqualTo(Kind.UNAVAILABLE);
    }

    @Test
    void anUnlistedErrorIsJudgedByItsSeverity() {
        assertThat(SqlserverErrors.kind(99_999, 20, "S0001"))
                .as("the server has ended the connection")
                .isEqualTo(Kind.UNAVAILABLE);
        assertThat(SqlserverErrors.kind(99_999, 17, "S0001"))
                .as("it has run out of something")
                .isEqualTo(Kind.NOT_WRITABLE);
        assertThat(SqlserverErrors.kind(99_999, 16, "S0001")).isEqualTo(Kind.CORRUPT);
    }

    @ParameterizedTest
    @CsvSource({
        "canceling statement due to lock timeout, RETRYABLE",
        "could not extend file \"base/5/1\": No space left on device, NOT_WRITABLE",
        "terminating connection due to administrator command, UNAVAILABLE",
        "the database system is shutting down, UNAVAILABLE",
        "relation 233948 deleted while still in use, UNAVAILABLE",
        "could not find pg_class tuple for index 831188, UNAVAILABLE",
        "relation \"ringtable.slot\" does not exist, CORRUPT"
    })
    void whatACompatibleServerHasNoNumberForIsToldByItsText(String message, Kind kind) {
        assertThat(SqlserverErrors.kind(new SQLException(message, "S0001", 33_557_097)))
                .isEqualTo(kind);
    }

    @Test
    void aValueThatWasLostOnItsWayIsSentAgain() {
        assertThat(SqlserverErrors.isLostOnItsWay("null value in column \"expires_at\" of relation"
                        + " \"claim_list_tds_tvp_temp_table_1934697907\" violates not-null constraint"))
                .isTrue();
        assertThat(SqlserverErrors.isLostOnItsWay("new row for relation \"slot\" violates check constraint"
                        + " \"slot_body_is_here_or_in_overflow\""))
                .isTrue();
        assertThat(SqlserverErrors.isLostOnItsWay("new row for relation \"slot\" violates check constraint \"other\""))
                .isFalse();
    }
}
