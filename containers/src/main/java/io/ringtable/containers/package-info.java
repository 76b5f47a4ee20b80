/**
 * Adds to the broker what its container image needs: a check of health.
 * <p>
 * Thread: the main thread of a process of its own.
 */
package io.ringtable.containers;
