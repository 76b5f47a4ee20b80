package io.ringtable.test;

import java.util.List;
import java.util.Map;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Adds a broker to the contexts of tests with {@link AutoConfigureRingtable}. */
final class RingtableContextCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        AutoConfigureRingtable asked =
                TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureRingtable.class);
        return asked == null
                ? null
                : new RingtableContextCustomizer(Map.copyOf(RingtableExtension.properties(asked.properties())));
    }
}
