package io.ringtable.broker.config;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Says how the broker starts its shard anew after a failure of its own.
 *
 * @param triesMax Number of failures in a row after which the broker gives up: phase FAILED, /livez answers 503; 0 = at
 *     the first.
 * @param delay Pause before the broker starts the shard anew. The pause doubles from failure to failure.
 * @param delayMax Longest pause before the broker starts the shard anew.
 * @param resetAfter How long the shard must serve without a failure before failures are counted from 0 again.
 */
@Validated
@ConfigurationProperties("ringtable.restart")
public record RestartProperties(
        @DefaultValue("10") @Within(min = "0", max = "1000") int triesMax,

        @DefaultValue("1s") @Within(min = "10ms", max = "1m")
        Duration delay,

        @DefaultValue("30s") @Within(min = "10ms", max = "10m")
        Duration delayMax,

        @DefaultValue("10m") @Within(min = "1s", max = "1d") Duration resetAfter) {}
