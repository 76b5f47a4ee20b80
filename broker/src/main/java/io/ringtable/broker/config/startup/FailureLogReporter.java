package io.ringtable.broker.config.startup;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;
import org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter;

/**
 * Reports why the broker did not start as plain log lines, one per mistake. Takes the place of Spring Boot's own
 * reporter, which the broker's {@code logback.xml} silences. Where Boot's reporter speaks, as in an application that
 * embeds the broker, this one is silent.
 */
public final class FailureLogReporter implements FailureAnalysisReporter {
    private static final Logger log = LoggerFactory.getLogger("io.ringtable.broker");
    private static final Logger others = LoggerFactory.getLogger(LoggingFailureAnalysisReporter.class);

    @Override
    public void report(FailureAnalysis analysis) {
        if (others.isErrorEnabled()) {
            return;
        }
        analysis.getDescription().lines().filter(line -> !line.isBlank()).forEach(log::error);
        if (analysis.getAction() != null) {
            analysis.getAction().lines().filter(line -> !line.isBlank()).forEach(log::error);
        }
        log.debug("the broker did not start", analysis.getCause());
    }
}
