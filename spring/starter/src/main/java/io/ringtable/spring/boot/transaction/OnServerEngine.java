package io.ringtable.spring.boot.transaction;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Asks whether the application's database can be the broker's, by its URL: on PostgreSQL and SQL Server the broker has
 * an inbox. A data source without {@code spring.datasource.url}, as from a container, may be either.
 */
final class OnServerEngine extends SpringBootCondition {
    private static final String URL = "spring.datasource.url";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("server engine");
        String url = context.getEnvironment().getProperty(URL);
        if (url == null) {
            return ConditionOutcome.match(message.because(URL + " is not set"));
        }
        // Other drivers wrap a server's: jdbc:tc:postgresql:, jdbc:otel:sqlserver:.
        boolean isServer = url.contains(":postgresql:") || url.contains(":sqlserver:");
        return new ConditionOutcome(
                isServer,
                message.because(URL + (isServer ? " names one" : " names neither PostgreSQL nor SQL Server")));
    }
}
