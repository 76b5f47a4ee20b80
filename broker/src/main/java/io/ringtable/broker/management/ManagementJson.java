package io.ringtable.broker.management;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ringtable.broker.message.Printable;
import java.util.Arrays;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads and writes the JSON of operations. Absent values are left out, times are ISO 8601 in UTC, constants
 * are in capitals (and read in any case). A field that no operation knows is refused instead of ignored.
 * <p>
 * Thread: any.
 */
public final class ManagementJson {
    public static final JsonMapper MAPPER = JsonMapper.builder()
            .changeDefaultPropertyInclusion(include -> include.withValueInclusion(JsonInclude.Include.NON_NULL))
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING, EnumFeature.READ_ENUMS_USING_TO_STRING)
            .build();

    private static final JsonMapper LENIENT = MAPPER.rebuild()
            .disable(
                    DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private ManagementJson() {}

    /** Reads what another node has answered, which may have fields that this one does not know. */
    public static <T> T read(JsonNode answer, Class<T> type) {
        return LENIENT.treeToValue(answer, type);
    }

    /** Says for people why a text or a field cannot be read, without names of classes. */
    static String reason(JacksonException failure) {
        String reason;
        if (failure instanceof UnrecognizedPropertyException unknown) {
            reason = "there is no such field; there are "
                    + unknown.getKnownPropertyIds().stream()
                            .map(String::valueOf)
                            .sorted()
                            .collect(Collectors.joining(", "));
        } else if (failure instanceof InvalidFormatException wrong
                && wrong.getTargetType().isEnum()) {
            reason = "'" + wrong.getValue() + "' is none of "
                    + Arrays.stream(wrong.getTargetType().getEnumConstants())
                            .map(constant -> ((Enum<?>) constant).name())
                            .collect(Collectors.joining(", "));
        } else if (failure instanceof MismatchedInputException) {
            reason = "the value is of another type";
        } else {
            reason = failure.getOriginalMessage();
        }
        String field = failure instanceof DatabindException
                ? failure.getPath().stream()
                        .map(step ->
                                step.getPropertyName() == null ? "[" + step.getIndex() + "]" : step.getPropertyName())
                        .collect(Collectors.joining("."))
                : "";
        return Printable.text(field.isEmpty() ? reason : "field '" + field + "': " + reason);
    }
}
