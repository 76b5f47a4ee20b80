/**
 * Runs a broker: in the foreground, for the demonstration, and to write the archive of its classes.
 * <p>
 * Thread: the command's; the SDK's callbacks of the demonstration only count.
 */
package io.ringtable.cli.run;
