package io.ringtable.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TimeoutsTest {

    @Test
    void takesForEverForALongTime() {
        assertThat(Timeouts.nanos(Duration.ofSeconds(Long.MAX_VALUE))).isGreaterThan(TimeUnit.DAYS.toNanos(365));
    }
}
