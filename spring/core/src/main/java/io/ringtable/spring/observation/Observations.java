package io.ringtable.spring.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.ringtable.client.RingtableException;
import java.util.Optional;
import java.util.function.Supplier;

/** Holds the values that both conventions have in common. */
final class Observations {
    static final String SYSTEM = "ringtable";
    static final String NONE = "none";

    private Observations() {}

    static String errorType(Observation.Context context) {
        Throwable error = context.getError();
        return error == null ? NONE : error.getClass().getName();
    }

    /** Reads what may be damaged, as it comes from any AMQP client: an observation must not fail for that. */
    static Optional<String> readable(Supplier<Optional<String>> value) {
        try {
            return value.get();
        } catch (RingtableException damaged) {
            return Optional.empty();
        }
    }

    static KeyValues present(KeyName key, Optional<String> value) {
        return value.map(text -> KeyValues.of(key.withValue(text))).orElse(KeyValues.empty());
    }
}
