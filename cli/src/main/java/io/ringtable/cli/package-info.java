/**
 * Begins the command line behind {@code bin/ringtable}: {@code RingtableCommand} has the list of commands and runs one.
 * Each command is a class, or a method of the class for a kind of thing, in the package of what it is about.
 * <p>
 * Commands that publish and receive stand on the client SDK. The bridge alone speaks AMQP by itself ({@code bridge}),
 * since it needs what the SDK hides. The commands of administration ask over HTTP ({@code manage}).
 * <p>
 * Thread: each command runs on the main thread; the SDK's callbacks only count. Must not know: the broker's classes.
 * The commands start the broker, and programs of its jar, as processes of their own, and ask the broker over HTTP.
 */
package io.ringtable.cli;
