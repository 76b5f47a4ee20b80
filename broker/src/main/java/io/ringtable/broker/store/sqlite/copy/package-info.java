/**
 * Copies the file of a store. Makes backups while a broker writes it, restores stores from them, and has the process in
 * which {@code bin/ringtable} does both.
 * <p>
 * Thread: the caller's. Must not know: anything of a store but its file, its dialect and its statements. No part of a
 * broker runs here.
 */
package io.ringtable.broker.store.sqlite.copy;
