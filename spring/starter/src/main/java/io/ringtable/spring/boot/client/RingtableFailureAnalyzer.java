package io.ringtable.spring.boot.client;

import io.ringtable.client.RingtableException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows an error of the SDK that ends a start as its one line, which names the cure, instead of a stack trace. */
final class RingtableFailureAnalyzer extends AbstractFailureAnalyzer<RingtableException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, RingtableException cause) {
        return new FailureAnalysis(cause.getMessage(), null, cause);
    }
}
