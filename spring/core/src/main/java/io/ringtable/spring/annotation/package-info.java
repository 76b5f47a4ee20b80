/**
 * Makes annotated methods listeners: {@code @RingtableListener}, {@code @EnableRingtable}, and what finds them.
 * <p>
 * Thread: the one that starts the application.
 */
package io.ringtable.spring.annotation;
