package io.ringtable.broker;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Says for every test how it waits for a condition: it looks often, and for as long as a machine with other load may
 * need.
 * <p>
 * JUnit finds it by {@code META-INF/services}, in the modules that use these tests as a library too.
 */
public final class AwaitDefaults implements BeforeAllCallback {
    private static final Duration MOST = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(10);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(MOST);
        Awaitility.setDefaultPollInterval(LOOK);
        Awaitility.setDefaultPollDelay(Duration.ZERO);
    }
}
