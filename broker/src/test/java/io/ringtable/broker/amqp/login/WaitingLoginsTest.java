package io.ringtable.broker.amqp.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.login.TokenAuthenticator.VerifiedToken;
import io.ringtable.broker.config.CertificateName;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** How long a login counts that HTTP remembers. */
class WaitingLoginsTest {
    private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");
    private static final VerifiedToken UNTIL_ONE =
            new VerifiedToken("ann", Set.of("sales"), NOON.plus(Duration.ofHours(1)));

    private final AtomicReference<Instant> now = new AtomicReference<>(NOON);

    private WaitingLogins logins() {
        LoginRules rules = new LoginRules(
                TestSettings.of().logins().bounds(),
                (name, password) -> false,
                (token, refused) -> UNTIL_ONE,
                CertificateName.SUBJECT_CN);
        return new WaitingLogins(rules, new AmqpCounters(), now::get);
    }

    @Test
    void aTokenCountsUntilItExpires() {
        try (WaitingLogins logins = logins()) {
            WaitingLogins.Result result = logins.withToken(InetAddress.getLoopbackAddress(), "a token");

            assertThat(result.identity()).isEqualTo(new Identity("ann", Set.of("sales")));
            now.set(UNTIL_ONE.expiresAt().minusMillis(1));
            assertThat(result.standing().get()).isEqualTo(result.identity());
            now.set(UNTIL_ONE.expiresAt());
            assertThat(result.standing().get()).isNull();
        }
    }

    @Test
    void aTokenThatHasExpiredMeanwhileIsRefused() {
        now.set(UNTIL_ONE.expiresAt());
        try (WaitingLogins logins = logins()) {
            WaitingLogins.Result result = logins.withToken(InetAddress.getLoopbackAddress(), "a token");

            assertThat(result.identity()).isNull();
            assertThat(result.reason()).contains("has expired");
        }
    }
}
