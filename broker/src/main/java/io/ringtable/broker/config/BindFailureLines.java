package io.ringtable.broker.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.ResolvableType;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;

/**
 * Says in one line per mistake why properties cannot be used: the property, its value, the bound and the cure. A
 * failure with an RT code keeps its text.
 */
public final class BindFailureLines {
    private static final Pattern CODED = Pattern.compile("RT-\\d{4} .*", Pattern.DOTALL);

    private BindFailureLines() {}

    /** Returns the lines of the outermost failure that explains itself; none if no property of the broker failed. */
    public static List<String> of(Throwable failure) {
        List<String> lines = new ArrayList<>();
        for (Throwable cause = failure; cause != null && lines.isEmpty(); cause = cause.getCause()) {
            if (cause instanceof BindValidationException invalid) {
                invalid.getValidationErrors().getAllErrors().forEach(error -> lines.add(outOfBounds(invalid, error)));
            } else if (cause.getMessage() != null
                    && CODED.matcher(cause.getMessage()).matches()) {
                lines.add(cause.getMessage());
            }
        }
        BindException unbound = find(failure, BindException.class);
        if (lines.isEmpty() && unbound != null && isOurs(unbound)) {
            lines.add(unreadable(unbound));
        }
        return lines;
    }

    private static String outOfBounds(BindValidationException invalid, ObjectError error) {
        String prefix = invalid.getValidationErrors().getName().toString();
        if (!(error instanceof FieldError field)) {
            return refused(prefix + " " + error.getDefaultMessage());
        }
        String name = prefix + "." + dashed(field.getField());
        return refused(name + "=" + shown(name, field.getRejectedValue()) + " " + error.getDefaultMessage());
    }

    private static String unreadable(BindException unbound) {
        String name = unbound.getName().toString();
        ConfigurationProperty property = unbound.getProperty();
        String value = property == null ? "" : "=" + shown(name, property.getValue());
        return refused(name + value + " is not "
                + wanted(unbound.getTarget().getType())
                + ": correct it, or remove it for the default");
    }

    private static String refused(String why) {
        return "RT-1002 " + why;
    }

    private static boolean isOurs(BindException unbound) {
        return unbound.getName().toString().startsWith(PropertyNames.PREFIX + ".");
    }

    private static String wanted(ResolvableType type) {
        Class<?> element = type.asCollection().resolveGeneric();
        return element == null ? wanted(type.resolve(Object.class)) : "a list, each " + wanted(element);
    }

    private static String wanted(Class<?> type) {
        if (type == int.class || type == long.class || type == Integer.class || type == Long.class) {
            return "a whole number";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (type == Duration.class) {
            return "a duration such as 500ms, 30s or 5m";
        }
        if (type == DataSize.class) {
            return "a size such as 64KB or 16MB";
        }
        if (type == Path.class) {
            return "a path";
        }
        if (type.isEnum()) {
            return Stream.of(type.getEnumConstants())
                    .map(constant -> DataObjectPropertyName.toDashedForm(
                            constant.toString().toLowerCase(Locale.ROOT)))
                    .collect(Collectors.joining(", ", "one of ", ""));
        }
        return "readable as " + type.getSimpleName();
    }

    private static String dashed(String path) {
        StringBuilder dashed = new StringBuilder();
        for (String part : path.split("\\.")) {
            dashed.append(dashed.isEmpty() ? "" : ".").append(DataObjectPropertyName.toDashedForm(part));
        }
        return dashed.toString();
    }

    private static Object shown(String name, Object value) {
        if (PropertyNames.isPassword(name)) {
            return "(not shown)";
        }
        return value instanceof Duration duration ? DurationStyle.SIMPLE.print(duration) : value;
    }

    private static <T extends Throwable> T find(Throwable failure, Class<T> type) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }
}
