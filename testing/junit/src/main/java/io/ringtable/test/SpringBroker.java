package io.ringtable.test;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Finds the broker of a test's Spring context, where the test has one. Thread: the test's. */
final class SpringBroker {
    private SpringBroker() {}

    static boolean isAskedFor(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(
                        context.getRequiredTestClass(), AutoConfigureRingtable.class, context.getEnclosingTestClasses())
                .isPresent();
    }

    static SharedBroker of(ExtensionContext context) {
        return Spring.broker(context);
    }

    /** Says whether Spring gives this parameter its value: two that do are refused by JUnit. */
    static boolean resolves(ParameterContext parameter, ExtensionContext context) {
        return isAskedFor(context) && Spring.resolves(parameter);
    }

    /** Is touched only if there is the annotation, and so Spring. */
    private static final class Spring {
        static SharedBroker broker(ExtensionContext context) {
            return SpringExtension.getApplicationContext(context).getBean(SharedBroker.class);
        }

        static boolean resolves(ParameterContext parameter) {
            return parameter.isAnnotated(Autowired.class)
                    || parameter.getDeclaringExecutable().isAnnotationPresent(Autowired.class);
        }
    }
}
