package io.ringtable.broker.config.startup;

import io.ringtable.broker.config.BindFailureLines;
import java.util.List;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.util.ClassUtils;

/**
 * Says in one line per mistake why the broker does not start. Spring Boot's own analyzers take every failure without an
 * RT code that concerns no property of the broker.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class ConfigurationFailureAnalyzer implements FailureAnalyzer {
    /** An application that embeds the broker may have no web server. */
    private static final boolean HAS_WEB_SERVER = ClassUtils.isPresent(
            "org.springframework.boot.web.server.PortInUseException",
            ConfigurationFailureAnalyzer.class.getClassLoader());

    @Override
    public FailureAnalysis analyze(Throwable failure) {
        List<String> lines = HAS_WEB_SERVER ? HttpPort.lines(failure) : List.of();
        if (lines.isEmpty()) {
            lines = BindFailureLines.of(failure);
        }
        return lines.isEmpty() ? null : new FailureAnalysis(String.join(System.lineSeparator(), lines), null, failure);
    }

    private static final class HttpPort {
        static List<String> lines(Throwable failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof PortInUseException taken) {
                    return List.of("RT-1037 server.port=" + taken.getPort()
                            + " is in use: stop the process that listens there, or choose another server.port");
                }
            }
            return List.of();
        }
    }
}
