/**
 * Runs the broker in the process of a Spring Boot application: it starts before the application's listeners and ends
 * after them.
 * <p>
 * Thread: the one that starts and closes the context. Must not know: how the broker does its work.
 */
package io.ringtable.spring.boot.broker;
