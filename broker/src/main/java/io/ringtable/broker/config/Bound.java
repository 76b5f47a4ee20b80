package io.ringtable.broker.config;

import jakarta.validation.Validation;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.validation.ValidationBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.validation.Validator;
import org.springframework.validation.beanvalidation.SpringValidatorAdapter;

/**
 * Binds properties given by name, for a broker without a Spring application. Names, defaults and bounds are those of
 * the records, as in the application.
 */
public final class Bound {
    private static final PropertyNames NAMES = PropertyNames.ofBroker();
    private static final Validator BOUNDS =
            new SpringValidatorAdapter(Validation.buildDefaultValidatorFactory().getValidator());

    private Bound() {}

    /**
     * Binds one record; the given properties may include those of other records.
     *
     * @param properties by name, such as {@code ringtable.amqp.port}
     * @throws ConfigurationRefused if a name does not exist, or a value is unreadable or out of bounds
     */
    public static <T extends Record> T of(Class<T> type, Map<String, ?> properties) {
        properties.keySet().forEach(name -> NAMES.requireKnown(name, "bound by name"));
        String prefix = type.getAnnotation(ConfigurationProperties.class).value();
        try {
            return new Binder(new MapConfigurationPropertySource(properties))
                    .bindOrCreate(prefix, Bindable.of(type), new ValidationBindHandler(BOUNDS));
        } catch (BindException failure) {
            throw new ConfigurationRefused(String.join(System.lineSeparator(), BindFailureLines.of(failure)), failure);
        }
    }
}
