package io.ringtable.spring.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import java.util.Optional;

/** Holds the values that both conventions have in common. */
final class Observations {
    static final String SYSTEM = "ringtable";
    static final String NONE = "none";

    private Observations() {}

    static String errorType(Observation.Context context) {
        Throwable error = context.getError();
        return error == null ? NONE : error.getClass().getName();
    }

    static KeyValues present(KeyName key, Optional<String> value) {
        return value.map(text -> KeyValues.of(key.withValue(text))).orElse(KeyValues.empty());
    }
}
