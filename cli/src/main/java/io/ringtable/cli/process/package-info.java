/**
 * Finds the programs of the installation and runs each in a process of its own. They are the broker, the copy of
 * a store, and the PostgreSQL server of a trial.
 * <p>
 * Thread: the command's, and one for each process that reads its output. Must not know: the broker's classes.
 */
package io.ringtable.cli.process;
