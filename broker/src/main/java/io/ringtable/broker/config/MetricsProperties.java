package io.ringtable.broker.config;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Bounds what the broker's metrics show.
 *
 * @param subscriptionsMax Number of subscriptions that have a time series of their own for the messages they are owed.
 *     Those that are owed most come first; one series named "(others)" has the rest.
 */
@Validated
@ConfigurationProperties("ringtable.metrics")
public record MetricsProperties(
        @DefaultValue("100") @Within(min = "0", max = "10000")
        int subscriptionsMax) {}
