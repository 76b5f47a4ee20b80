/**
 * Copies an embedded store: backup and restore.
 * <p>
 * Thread: the command's; the copy is made in a process of its own.
 */
package io.ringtable.cli.store;
