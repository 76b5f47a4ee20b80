/**
 * Asks a broker over HTTP: its status, and the operations of administration below {@code /api/v1}. Shows the answers as
 * tables and as lists of fields.
 * <p>
 * Thread: the command's; nothing runs beside it. Must not know: commands, options, AMQP, and the kinds of things that
 * there are to administer, which each command names.
 */
package io.ringtable.cli.manage;
