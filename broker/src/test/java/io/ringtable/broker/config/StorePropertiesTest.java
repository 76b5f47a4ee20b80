package io.ringtable.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a store's configuration may be written into a log. */
class StorePropertiesTest {

    @ParameterizedTest
    @CsvSource({
        "jdbc:sqlserver://host:1433;databaseName=x;user=sa, jdbc:sqlserver://host:1433;databaseName=x",
        "jdbc:sqlserver://host;user=sa;database=x, jdbc:sqlserver://host;databaseName=x",
        "jdbc:sqlserver://host;user=sa, jdbc:sqlserver://host",
        "jdbc:postgresql://ann@host/x?ssl=true, jdbc:postgresql://host/x"
    })
    void serverAndDatabaseAreShown(String url, String shown) {
        assertThat(store(url).shownUrl()).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:sqlserver://host:1433;databaseName=x;user=sa;password=secret",
                "jdbc:postgresql://user:secret@host/x",
                "jdbc:postgresql://host/x?password=secret"
            })
    void noPasswordIsShownWhereverItStands(String url) {
        assertThat(store(url).toString()).contains("//host").doesNotContain("secret");
    }

    private static StoreProperties store(String url) {
        return new StoreProperties(url, "user", "secret", 4, Duration.ofSeconds(5), Duration.ofSeconds(30), false);
    }
}
