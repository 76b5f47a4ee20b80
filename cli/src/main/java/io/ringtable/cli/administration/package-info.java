/**
 * Holds what commands of administration share: the way to the broker, how answers are shown, and the watch over a job.
 * A command is a method of a {@link io.ringtable.cli.administration.ManagementCommand}, a class for each kind of thing.
 * <p>
 * Thread: the command's; at Ctrl-C a thread of the JVM says that the job goes on.
 */
package io.ringtable.cli.administration;
