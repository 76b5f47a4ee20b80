/**
 * Says how a command ends: its exit code, and one line on standard error.
 * <p>
 * Thread: any; nothing here holds state.
 */
package io.ringtable.cli.failure;
