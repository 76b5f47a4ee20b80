package io.ringtable.broker.store.sqlserver;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Writes a list as a procedure takes it in one NVARCHAR(MAX): a JSON array of ids, of names, or of objects whose keys
 * are columns. Numbers are written digit by digit, so an id of 64 bits arrives unchanged. Thread: any.
 */
final class JsonList {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(new SimpleModule().addSerializer(new TextWithoutBackslashes()))
            .build();

    private JsonList() {}

    /** Binds the list as a NVARCHAR(MAX) however short it is, so that a call keeps its types and is prepared once. */
    static void bind(PreparedStatement statement, int parameter, Collection<?> values) throws SQLException {
        statement.setObject(parameter, json(values), Types.LONGNVARCHAR);
    }

    /** Reads a list of ids as {@link #bind} has written it. */
    static List<Long> longs(String json) {
        return List.of(MAPPER.readValue(json, Long[].class));
    }

    static String json(Collection<?> values) {
        return MAPPER.writeValueAsString(values);
    }

    /**
     * Writes what JSON would escape by a backslash as % and two hexadecimal digits, which {@code ringtable.unescaped}
     * reverses: Babelfish 4.3 leaves backslashes where they are.
     */
    private static final class TextWithoutBackslashes extends StdSerializer<String> {
        TextWithoutBackslashes() {
            super(String.class);
        }

        @Override
        public void serialize(String text, JsonGenerator json, SerializationContext context) {
            StringBuilder escaped = new StringBuilder(text.length());
            for (char c : text.toCharArray()) {
                if (c < ' ' || c == '"' || c == '\\' || c == '%') {
                    escaped.append(String.format("%%%02X", (int) c));
                } else {
                    escaped.append(c);
                }
            }
            json.writeString(escaped.toString());
        }
    }
}
