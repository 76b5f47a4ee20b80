/**
 * Implements the command line behind {@code bin/ringtable}: one class per subcommand, on the client SDK. The bridge
 * alone speaks AMQP by itself ({@code bridge}), since it needs what the SDK hides. The commands of administration ask
 * over HTTP ({@code manage}); they are methods, in one class per kind of thing.
 * <p>
 * Thread: each command runs on the main thread; the SDK's callbacks only count. Must not know: the broker's classes.
 * The commands start the broker, and programs of its jar, as processes of their own, and ask the broker over HTTP.
 */
package io.ringtable.cli;
