package io.ringtable.broker.config;

import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import java.time.Duration;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;

/** Compares numbers, durations and sizes with the two ends of {@link Within}. */
public final class WithinValidator implements ConstraintValidator<Within, Object> {
    private static final String ZERO = "0";

    private Within range;

    @Override
    public void initialize(Within annotation) {
        range = annotation;
    }

    @Override
    public boolean isValid(Object value, ConstraintValidatorContext context) {
        if (value == null) {
            return true; // a missing value is not a question of range
        }
        return compare(value, range.min()) >= 0 && compare(value, range.max()) <= 0
                || range.orZero() && compare(value, ZERO) == 0;
    }

    private static int compare(Object value, String bound) {
        if (value instanceof Duration duration) {
            return duration.compareTo(DurationStyle.detectAndParse(bound));
        }
        if (value instanceof DataSize size) {
            return size.compareTo(DataSize.parse(bound));
        }
        // Fractions count. Every bound of a whole number is exact as a double.
        return Double.compare(((Number) value).doubleValue(), Double.parseDouble(bound));
    }
}
