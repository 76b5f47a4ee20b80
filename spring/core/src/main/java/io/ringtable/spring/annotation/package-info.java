/** Annotated methods as listeners: {@code @RingtableListener}, {@code @EnableRingtable}, and what finds them. */
package io.ringtable.spring.annotation;
