/**
 * Runs the broker's image for tests and development: by Testcontainers, and from a compose file. Spring Boot finds
 * both.
 * <p>
 * Thread: the one that starts the container. Must not know: anything of the broker but its image, ports and properties.
 */
package io.ringtable.testcontainers;
