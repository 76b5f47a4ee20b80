package io.ringtable.broker;

import io.ringtable.broker.config.startup.UnknownPropertyCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.ClassPathResource;

/**
 * Gives the executable broker its defaults and its check of properties. Leaves every other application alone: this jar
 * is on the class path of applications that embed the broker, and their {@code application.yaml} is theirs.
 * <p>
 * Thread: the main thread, before the context exists.
 */
@Order(Ordered.LOWEST_PRECEDENCE)
final class BrokerDefaults implements EnvironmentPostProcessor {
    private static final ClassPathResource DEFAULTS = new ClassPathResource("application.yaml", BrokerDefaults.class);

    /**
     * Auto-configurations for what the broker never does. The broker exports no logs, and no examples beside its
     * metrics. The broker has no aspects, no timers of Spring's, no uploads, and no record of requests beside its audit
     * log. The broker validates nothing but its properties, for which Spring Boot makes a validator apart.
     */
    private static final List<String> NEVER = List.of(
            "actuate.autoconfigure.audit.AuditAutoConfiguration",
            "actuate.autoconfigure.audit.AuditEventsEndpointAutoConfiguration",
            "actuate.autoconfigure.scheduling.ScheduledTasksEndpointAutoConfiguration",
            "actuate.autoconfigure.web.exchanges.HttpExchangesEndpointAutoConfiguration",
            "autoconfigure.aop.AopAutoConfiguration",
            "autoconfigure.task.TaskSchedulingAutoConfiguration",
            "micrometer.observation.autoconfigure.ScheduledTasksObservationAutoConfiguration",
            "servlet.autoconfigure.MultipartAutoConfiguration",
            "servlet.autoconfigure.actuate.web.exchanges.ServletHttpExchangesAutoConfiguration",
            "validation.autoconfigure.ValidationAutoConfiguration",
            "opentelemetry.autoconfigure.logging.OpenTelemetryLoggingAutoConfiguration",
            "opentelemetry.autoconfigure.logging.otlp.OtlpLoggingAutoConfiguration",
            "micrometer.tracing.autoconfigure.otlp.OtlpExemplarsAutoConfiguration",
            "micrometer.tracing.autoconfigure.prometheus.PrometheusExemplarsAutoConfiguration");

    /** Auto-configurations that make a tracer and its exporter, which cost time at every start. */
    private static final List<String> TRACERS = List.of(
            "opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration",
            "micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration",
            "micrometer.tracing.opentelemetry.autoconfigure.otlp.OtlpTracingAutoConfiguration",
            "micrometer.tracing.opentelemetry.autoconfigure.zipkin.ZipkinWithOpenTelemetryTracingAutoConfiguration",
            "micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration");

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (!application.getAllSources().contains(BrokerApplication.class)) {
            return;
        }
        try {
            new YamlPropertySourceLoader()
                    .load("defaults of the broker", DEFAULTS)
                    .forEach(environment.getPropertySources()::addLast);
        } catch (IOException e) {
            throw new UncheckedIOException("RT-1150 the broker's jar cannot be read: copy it anew", e);
        }
        boolean tracing = Binder.get(environment)
                .bind("ringtable.tracing.enabled", Boolean.class)
                .orElse(false);
        String excluded = Stream.concat(NEVER.stream(), tracing ? Stream.empty() : TRACERS.stream())
                .map("org.springframework.boot."::concat)
                .collect(Collectors.joining(","));
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "what the broker does not use", Map.of("spring.autoconfigure.exclude", excluded)));
        application.addInitializers(UnknownPropertyCheck.ofAll());
    }
}
