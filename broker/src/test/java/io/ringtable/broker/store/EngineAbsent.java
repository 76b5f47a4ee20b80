package io.ringtable.broker.store;

import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** An engine that cannot be had here: its tests are skipped with the reason, or fail where it is required. */
public final class EngineAbsent extends Exception {
    private static final long serialVersionUID = 1L;

    private final String engine;

    public EngineAbsent(String engine, String reason, Throwable cause) {
        super(engine + " is absent: " + reason, cause);
        this.engine = engine;
    }

    /** Fails if {@code -Dengines.required} names the engine, else skips the test. */
    public void failOrSkip() {
        if (List.of(System.getProperty("engines.required", "").split("\\s*,\\s*"))
                .contains(engine)) {
            Assertions.fail(getMessage() + ", and engines.required names it", getCause());
        }
        Assumptions.abort(getMessage());
    }
}
