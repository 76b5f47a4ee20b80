package io.ringtable.broker.config;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Says whether operators have a page in the browser, and how long a login there lasts.
 *
 * @param enabled Whether the executable broker serves its console below /console.
 * @param sessionIdle Time after which a login at the console ends if its user follows no link and presses no button.
 *     Figures that refresh themselves do not count.
 * @param sessionMax Time after which a login at the console ends in any case.
 */
@Validated
@ConfigurationProperties("ringtable.console")
public record ConsoleProperties(
        @DefaultValue("true") boolean enabled,

        @DefaultValue("30m") @Within(min = "1s", max = "24h")
        Duration sessionIdle,

        @DefaultValue("12h") @Within(min = "1s", max = "7d") Duration sessionMax) {}
