package io.ringtable.broker.config;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How messages that applications publish in their own transactions are collected.
 *
 * @param probeInterval How long the broker waits at most between two looks into the inbox while nothing comes; 0 = it never looks.
 */
@Validated
@ConfigurationProperties("ringtable.inbox")
public record InboxProperties(
        @DefaultValue("5ms") @Within(min = "0", max = "1s") Duration probeInterval) {}
