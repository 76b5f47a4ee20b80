package io.ringtable.broker.admin.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.config.ConsoleProperties;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockHttpSession;

/** When logins at the console end. */
class ConsoleSessionTest {
    private static final ConsoleProperties BOUNDS =
            new ConsoleProperties(true, Duration.ofMinutes(30), Duration.ofHours(12));

    private final MockHttpSession session = new MockHttpSession();
    private final long begun = session.getCreationTime();

    private boolean lives(String path, Duration afterLogin) throws Exception {
        Clock clock = Clock.fixed(Instant.ofEpochMilli(begun).plus(afterLogin), ZoneOffset.UTC);
        MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
        request.setSession(session);
        new ConsoleSession(BOUNDS, clock).doFilter(request, new MockHttpServletResponse(), new MockFilterChain());
        assertThat(request.getAttribute(ConsoleSession.ENDED)).isEqualTo(session.isInvalid() ? true : null);
        return !session.isInvalid();
    }

    @Test
    void lastsWhileItsUserDoesSomething() throws Exception {
        assertThat(lives("/console", Duration.ofMinutes(29))).isTrue();
        assertThat(lives("/console/addresses", Duration.ofMinutes(58))).isTrue();
        assertThat(lives("/console/addresses", Duration.ofMinutes(87))).isTrue();
    }

    @Test
    void endsWhenOnlyAnOpenPageRefreshesItself() throws Exception {
        assertThat(lives("/console", Duration.ZERO)).isTrue();
        assertThat(lives("/console/live/overview", Duration.ofMinutes(20))).isTrue();
        assertThat(lives("/console/live/overview", Duration.ofMinutes(30))).isFalse();
    }

    @Test
    void endsInAnyCaseAfterTheLongestTime() throws Exception {
        for (int minutes = 0; minutes < 12 * 60; minutes += 29) {
            assertThat(lives("/console", Duration.ofMinutes(minutes))).isTrue();
        }
        assertThat(lives("/console", Duration.ofHours(12))).isFalse();
    }

    @Test
    void isForgottenByTheServerWhenThePageIsClosed() throws Exception {
        lives("/console", Duration.ZERO);

        assertThat(session.getMaxInactiveInterval()).isEqualTo(30 * 60 + 1);
    }
}
