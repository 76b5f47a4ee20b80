/**
 * Brings Ringtable into a Spring Boot application: where the broker is, by properties or by a
 * {@link io.ringtable.spring.boot.RingtableConnectionDetails}. The packages below make JMS, the SDK, transactions,
 * health and hints for native images of it.
 * <p>
 * Thread: the one that starts the application. Must not know: the broker's implementation.
 */
package io.ringtable.spring.boot;
