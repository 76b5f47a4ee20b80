package io.ringtable.cli.administration;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.LinkedHashMap;
import java.util.Map;

/** Gathers the fields of a request's body; what nobody has said is left out. */
public final class Fields {
    private final Map<String, Object> fields = new LinkedHashMap<>();

    /** @param value null leaves the field out */
    public Fields with(String name, Object value) {
        if (value != null) {
            fields.put(name, value);
        }
        return this;
    }

    @JsonValue
    Map<String, Object> all() {
        return fields;
    }
}
