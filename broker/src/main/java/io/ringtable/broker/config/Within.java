package io.ringtable.broker.config;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives the allowed range of a property, both ends included, written as the property itself would be: {@code "1"},
 * {@code "500ms"}, {@code "64KB"}. A test compares {@code docs/operations.md} with it.
 */
@Documented
@Constraint(validatedBy = WithinValidator.class)
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
}
