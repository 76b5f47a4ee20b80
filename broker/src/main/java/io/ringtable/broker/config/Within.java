package io.ringtable.broker.config;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;

/**
 * Gives the allowed range of a property, both ends included, written as the property itself would be: {@code "1"},
 * {@code "500ms"}, {@code "64KB"}. A test compares {@code docs/operations.md} with it.
 */
@Documented
@Constraint(validatedBy = Within.Validator.class)
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Within {
    String min();

    String max();

    /** Returns whether 0 is allowed as well, below the range; 0 then switches something off. */
    boolean orZero() default false;

    String message() default
            "is not between {min} and {max}: set it to a value in this range, or remove it for the default";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Compares numbers, durations and sizes with the two ends of {@link Within}. */
    final class Validator implements ConstraintValidator<Within, Object> {
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
}
