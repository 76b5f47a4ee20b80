/**
 * Publishing by SQL on a database that Citus spreads over three servers, judged by the rows that its transactions left.
 * <p>
 * Threads: those of the applications, and the test's, which kills servers and the broker.
 */
package io.ringtable.acceptance.citus;
