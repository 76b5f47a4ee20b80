package io.ringtable.broker.store.sqlserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.microsoft.sqlserver.jdbc.SQLServerDataSource;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which servers are supported, and what of the configuration reaches the driver. */
class SqlserverDialectTest {
    private static final String URL = "jdbc:sqlserver://127.0.0.1:1;databaseName=x";

    private static SQLServerDataSource source(String url) throws Exception {
        return (SQLServerDataSource) new SqlserverDialect(settings(url).properties()).dataSource();
    }

    private static StoreSettings settings(String url) {
        return TestSettings.of(
                        "ringtable.store.url", url,
                        "ringtable.store.username", "user",
                        "ringtable.store.password", "a secret",
                        "ringtable.store.connect-timeout", "2s")
                .store(Path.of("unused"));
    }

    @ParameterizedTest
    @CsvSource({
        "15.0.4345.5, 3, false, true, SQL Server 2019 (15.0.4345.5)",
        "16.0.1000.6, 2, false, true, SQL Server 2022 (16.0.1000.6)",
        "17.0.1000.7, 4, false, true, SQL Server 2025 (17.0.1000.7)",
        "18.0.1.1, 3, false, true, SQL Server 18.0.1.1",
        "14.0.3456.2, 3, false, false, SQL Server 14.0.3456.2",
        "12.0.2000.8, 5, false, true, Azure SQL Database 12.0.2000.8",
        "12.0.2000.8, 8, false, true, Azure SQL Managed Instance 12.0.2000.8",
        "12.0.2000.8, 2, true, true, Babelfish 12.0.2000.8",
        "12.0.2000.8, 3, false, false, SQL Server 12.0.2000.8"
    })
    void theVersionDecidesWhetherTheServerIsSupported(
            String version, int edition, boolean babelfish, boolean supported, String name) {
        assertThat(SqlserverDialect.isSupported(version, edition, babelfish)).isEqualTo(supported);
        assertThat(SqlserverDialect.name(version, edition, babelfish)).isEqualTo(name);
    }

    @Test
    void aDatabaseWithTheTsqlOfAnOlderServerIsRefused() {
        SqlserverDialect.checkCompatibility("SQL Server 2019", 130);
        assertThat(catchThrowableOfType(
                        StoreFailure.class, () -> SqlserverDialect.checkCompatibility("SQL Server 2019", 120)))
                .hasMessageContaining("RT-3002")
                .hasMessageContaining("120 < 130");
    }

    @Test
    void theServerGivesUpBeforeTheDriverAndALockBeforeTheCall() throws Exception {
        SQLServerDataSource source = source(URL);
        assertThat(source.getQueryTimeout()).isEqualTo(30);
        assertThat(source.getSocketTimeout()).isGreaterThan(30_000);
        assertThat(source.getLockTimeout()).isEqualTo(10_000);
        assertThat(source.getLoginTimeout()).isEqualTo(2);
    }

    @Test
    void aLostConnectionIsNeverMadeAnewBehindOurBack() throws Exception {
        assertThat(source(URL).getConnectRetryCount()).isZero();
    }

    @Test
    void theUrlIsPassedOnAsItIs() throws Exception {
        String given = URL + ";multiSubnetFailover=true;authentication=ActiveDirectoryManagedIdentity";
        assertThat(source(given).getURL()).isEqualTo(given);
        assertThat(source(given).getApplicationName()).isEqualTo("ringtable");
        assertThat(source(URL + ";applicationName=orders").getApplicationName()).isNotEqualTo("ringtable");
    }

    @Test
    void encryptionIsOnUnlessTheUrlSwitchesItOff() throws Exception {
        assertThat(source(URL).getEncrypt()).isEqualToIgnoringCase("true");
    }

    @Test
    void aServerThatDoesNotAnswerIsUnavailableAndNoPasswordIsTold() {
        StoreFailure failure =
                catchThrowableOfType(StoreFailure.class, () -> RingStores.open(settings(URL + ";password=in the URL")));
        assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("jdbc:sqlserver://127.0.0.1:1;databaseName=x failed");
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            assertThat(cause.toString()).doesNotContain("a secret").doesNotContain("in the URL");
        }
    }

    @Test
    void settingsTellNoPasswordOfTheUrl() {
        assertThat(settings(URL + ";user=sa;password=in the URL").toString())
                .contains("jdbc:sqlserver://127.0.0.1:1")
                .doesNotContain("in the URL");
    }

    @Test
    void slotsFillTheirPage() {
        int row = 4
                + 69
                + 2
                + 2
                + 2
                + 2
                + SqlserverDialect.SLOT_BYTES
                + 14
                + 2; // head, columns, NULLs, variable, tag, offset
        assertThat(8096 / row).isEqualTo(4);
        assertThat(2 * SqlserverDialect.FLUSH_MESSAGES_MAX).isLessThan(5000);
    }
}
