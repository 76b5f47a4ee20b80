package io.ringtable.broker.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.config.CertificateName;
import io.ringtable.broker.login.TokenAuthenticator.VerifiedToken;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long a login counts that HTTP remembers. */
class WaitingLoginsTest {
    private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");
    private static final VerifiedToken UNTIL_ONE =
            new VerifiedToken("ann", Set.of("sales"), NOON.plus(Duration.ofHours(1)));

    private final AtomicReference<Instant> now = new AtomicReference<>(NOON);

    private final Logins logins = new Logins(
            new LoginRules(
                    TestSettings.of().logins().bounds(),
                    (name, password) -> false,
                    (token, refused) -> UNTIL_ONE,
                    CertificateName.SUBJECT_CN,
                    null),
            new LongAdder(),
            (format, value) -> {},
            System::nanoTime);
    private final WaitingLogins waiting = new WaitingLogins(logins, now::get);

    @AfterEach
    void stop() {
        logins.stop();
    }

    @Test
    void aTokenCountsUntilItExpires() {
        WaitingLogins.Result result = waiting.withToken(InetAddress.getLoopbackAddress(), "a token");

        assertThat(result.identity()).isEqualTo(new Identity("ann", Set.of("sales")));
        now.set(UNTIL_ONE.expiresAt().minusMillis(1));
        assertThat(result.standing().get()).isEqualTo(result.identity());
        now.set(UNTIL_ONE.expiresAt());
        assertThat(result.standing().get()).isNull();
    }

    @Test
    void aTokenThatHasExpiredMeanwhileIsRefused() {
        now.set(UNTIL_ONE.expiresAt());
        WaitingLogins.Result result = waiting.withToken(InetAddress.getLoopbackAddress(), "a token");

        assertThat(result.identity()).isNull();
        assertThat(result.reason()).contains("has expired");
    }
}
