package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.OneTopic;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.io.IOException;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests a flush over a network: how often it crosses the network, and what is known when the network fails. */
class PostgresqlNetworkTest {
    private PostgresqlTestDatabase database;
    private TamperingProxy proxy;
    private OneTopic ring;

    @BeforeEach
    void connectThroughTheProxy() throws SQLException, IOException {
        try {
            database = new PostgresqlTestDatabase();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        Matcher port = Pattern.compile(":(\\d+)/").matcher(database.url());
        assertThat(port.find()).isTrue();
        proxy = new TamperingProxy(Integer.parseInt(port.group(1)));
        String url = database.url().replaceFirst("//[^/]+/", "//127.0.0.1:" + proxy.port() + "/");
        StoreSettings direct = database.settings(url);
        ring = OneTopic.laid(RingStores.open(TestSettings.of(
                        "ringtable.store.url",
                        url,
                        "ringtable.store.username",
                        direct.properties().username(),
                        "ringtable.store.password",
                        direct.properties().password(),
                        "ringtable.store.readers-max",
                        1,
                        "ringtable.store.statement-timeout",
                        "1s")
                .store(direct.dataDir())));
    }

    @AfterEach
    void remove() throws SQLException, IOException {
        if (database != null) {
            ring.close();
            proxy.close();
            database.close();
        }
    }

    @Test
    void aFlushIsOneRoundTripCommitIncluded() {
        ring.publish(10); // prepares the statement
        ring.recover();
        proxy.roundTrips();
        for (int i = 0; i < 5; i++) {
            ring.publish(200);
            assertThat(proxy.roundTrips()).isEqualTo(1);
        }
        ring.settle(0);
        assertThat(proxy.roundTrips()).isEqualTo(1);
    }

    @Test
    void aFlushWhoseAnswerIsLostHasAnUnknownOutcomeAndMayHaveHappened() {
        ring.publish(10);
        proxy.loseAnswers(true);
        assertThat(failureOf(ring.batch(5)).kind()).isEqualTo(Kind.OUTCOME_UNKNOWN);
        proxy.loseAnswers(false);
        ring.own();
        ring.recover();
        assertThat(ring.next).as("this time it had happened").isEqualTo(15);
        ring.publish(5);
        assertThat(ring.recover().next()).isEqualTo(20);
    }

    @Test
    void aServerThatIsNotHeardFromAnyMoreIsGivenUp() {
        ring.publish(10);
        proxy.swallowAnswers(true);
        assertThat(failureOf(ring.batch(5)).kind()).isEqualTo(Kind.OUTCOME_UNKNOWN);
        proxy.swallowAnswers(false);
        ring.own();
        assertThat(ring.recover().next()).isIn(10L, 15L);
    }

    @Test
    void aServerThatCannotBeReachedIsUnavailable() throws IOException {
        ring.publish(10);
        proxy.close();
        assertThat(failureOf(ring.batch(5)).kind()).isEqualTo(Kind.OUTCOME_UNKNOWN);
        assertThat(failureOf(ring.batch(5)).kind()).isEqualTo(Kind.UNAVAILABLE);
    }

    private StoreFailure failureOf(Flush flush) {
        StoreFailure failure = catchThrowableOfType(StoreFailure.class, () -> ring.store.flush(flush));
        assertThat(failure).isNotNull();
        return failure;
    }
}
