/**
 * The command line behind {@code bin/ringtable}: one class per subcommand, on the client SDK.
 * <p>
 * Thread: each command runs on the main thread; the SDK's callbacks only count. Must not know: the broker's classes; it
 * starts the broker as a process of its own and asks it over HTTP.
 */
package io.ringtable.cli;
