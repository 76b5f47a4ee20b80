/**
 * Holds the options that several commands share: the broker and the user, the end of a stream, times.
 * <p>
 * Thread: the command's.
 */
package io.ringtable.cli.option;
