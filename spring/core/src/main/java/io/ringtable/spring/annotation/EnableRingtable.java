package io.ringtable.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Has methods with {@link RingtableListener} found and run. On a class with {@code @Configuration}; the application
 * defines a bean {@code ringtableListenerContainerFactory} beside it. Spring Boot's starter does both.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(RingtableBootstrapConfiguration.class)
public @interface EnableRingtable {}
