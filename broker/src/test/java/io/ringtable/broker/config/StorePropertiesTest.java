package io.ringtable.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a store's configuration may be written into a log. */
class StorePropertiesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:sqlserver://host:1433;databaseName=x;user=sa;password=secret",
                "jdbc:postgresql://user:secret@host/x",
                "jdbc:postgresql://host/x?password=secret"
            })
    void noPasswordIsShownWhereverItStands(String url) {
        StoreProperties store =
                new StoreProperties(url, "user", "secret", 4, Duration.ofSeconds(5), Duration.ofSeconds(30), false);
        assertThat(store.toString()).contains("//host").doesNotContain("secret");
    }
}
