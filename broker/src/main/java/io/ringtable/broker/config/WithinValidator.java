package io.ringtable.broker.config;

import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import java.time.Duration;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;

/** Compares whole numbers, durations and sizes with the two ends of {@link Within}. */
public final class WithinValidator implements ConstraintValidator<Within, Object> {
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
        return compare(value, range.min()) >= 0 && compare(value, range.max()) <= 0;
    }

    private static int compare(Object value, String bound) {
        if (value instanceof Duration duration) {
            return duration.compareTo(DurationStyle.detectAndParse(bound));
        }
        if (value instanceof DataSize size) {
            return size.compareTo(DataSize.parse(bound));
        }
        return Long.compare(((Number) value).longValue(), Long.parseLong(bound));
    }
}
