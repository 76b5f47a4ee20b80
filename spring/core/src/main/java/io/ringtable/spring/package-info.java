/**
 * Offers Ringtable in Spring's manner: {@link io.ringtable.spring.RingtableTemplate} publishes and receives, and
 * {@link io.ringtable.spring.annotation.RingtableListener} turns a method into a consumer. docs/spring-sdk.md is the
 * guide. The package stands on the client SDK and spring-messaging; it knows no Spring Boot.
 * <p>
 * Thread: any.
 */
package io.ringtable.spring;
