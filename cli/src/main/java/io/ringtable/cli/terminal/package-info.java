/**
 * Knows the terminal of the person who runs a command: whether there is one, what it shows, and passwords typed at it.
 * <p>
 * Thread: the command's.
 */
package io.ringtable.cli.terminal;
