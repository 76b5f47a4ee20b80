package io.ringtable.broker;

import io.micrometer.tracing.Tracer;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.trace.StepWriter;
import io.ringtable.broker.trace.span.SpanWriter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Makes spans with the application's tracer, where Micrometer Tracing is on the class path. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(Tracer.class)
class TracingConfiguration {

    @Bean
    @ConditionalOnProperty("ringtable.tracing.enabled")
    StepWriter ringtableSpanWriter(ObjectProvider<Tracer> tracer) {
        Tracer found = tracer.getIfAvailable();
        if (found == null) {
            throw new ConfigurationRefused(
                    "RT-1170",
                    "ringtable.tracing.enabled=true, and there is no bean of Micrometer's Tracer: add"
                            + " spring-boot-starter-opentelemetry, or switch the tracing of the broker off");
        }
        return new SpanWriter(found);
    }
}
