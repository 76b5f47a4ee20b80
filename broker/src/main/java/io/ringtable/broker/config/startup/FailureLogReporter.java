package io.ringtable.broker.config.startup;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/**
 * Reports why the broker did not start as plain log lines, one per mistake. It takes the place of Spring Boot's own
 * reporter, which {@code logback-spring.xml} silences.
 */
public final class FailureLogReporter implements FailureAnalysisReporter {
    private static final Logger log = LoggerFactory.getLogger("io.ringtable.broker");

    @Override
    public void report(FailureAnalysis analysis) {
        analysis.getDescription().lines().filter(line -> !line.isBlank()).forEach(log::error);
        if (analysis.getAction() != null) {
            analysis.getAction().lines().filter(line -> !line.isBlank()).forEach(log::error);
        }
        log.debug("the broker did not start", analysis.getCause());
    }
}
