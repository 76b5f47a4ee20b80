/**
 * Administers messages: single ones, dead letters, and all messages of an address by jobs.
 * <p>
 * Thread: the command's.
 */
package io.ringtable.cli.message;
