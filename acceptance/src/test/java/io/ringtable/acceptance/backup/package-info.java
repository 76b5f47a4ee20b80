/**
 * Backups of a store that a broker writes, brokers and backups that are killed in the middle, and restored stores
 * beside their original, by {@code bin/ringtable}.
 * <p>
 * Thread: the test's, and one that publishes.
 */
package io.ringtable.acceptance.backup;
