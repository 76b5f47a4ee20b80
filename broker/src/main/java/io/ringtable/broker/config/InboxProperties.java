package io.ringtable.broker.config;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Says how the broker collects messages that applications publish in their own transactions.
 *
 * @param probeInterval Longest pause between two looks into the inbox while nothing comes; 0 = the broker never looks.
 */
@Validated
@ConfigurationProperties("ringtable.inbox")
public record InboxProperties(
        @DefaultValue("5ms") @Within(min = "0", max = "1s") Duration probeInterval) {}
