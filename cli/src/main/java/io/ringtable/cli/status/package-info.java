/**
 * Shows how a broker stands: its status, once or each second, and its shards.
 * <p>
 * Thread: the command's; at the JVM's end another one restores the terminal.
 */
package io.ringtable.cli.status;
