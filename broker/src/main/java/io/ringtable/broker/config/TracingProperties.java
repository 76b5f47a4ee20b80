package io.ringtable.broker.config;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Says whether the broker takes part in traces.
 *
 * @param enabled Whether the broker makes spans for messages whose traceparent says sampled. Where they go is said by
 *     Spring Boot's properties below management.opentelemetry.tracing.
 * @param messagesPerSecond Sampled messages for which the broker makes spans, per second. More are passed over and
 *     counted, since each costs at least four spans and their export.
 */
@Validated
@ConfigurationProperties("ringtable.tracing")
public record TracingProperties(
        @DefaultValue("false") boolean enabled,

        @DefaultValue("100") @Within(min = "1", max = "1000000")
        int messagesPerSecond) {}
