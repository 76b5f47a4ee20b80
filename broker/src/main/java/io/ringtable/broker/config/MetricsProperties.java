package io.ringtable.broker.config;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What is shown of the broker's inside.
 *
 * @param subscriptionsMax Subscriptions that have a time series of their own for what they owe; those that owe most come
 *     first, the rest is one series named "(others)".
 */
@Validated
@ConfigurationProperties("ringtable.metrics")
public record MetricsProperties(
        @DefaultValue("100") @Within(min = "0", max = "10000")
        int subscriptionsMax) {}
