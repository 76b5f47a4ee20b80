/**
 * Administers what clients have open: connections, links and transactions.
 * <p>
 * Thread: the command's.
 */
package io.ringtable.cli.connection;
