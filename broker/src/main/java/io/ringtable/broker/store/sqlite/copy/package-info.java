/**
 * Copies the file of a store: backups while a broker writes it, stores that are restored from them, and the process in
 * which {@code bin/ringtable} does both.
 * <p>
 * Thread: the caller's. Must not know: anything of a store but its file, its dialect and its statements. No part of a
 * broker runs here.
 */
package io.ringtable.broker.store.sqlite.copy;
