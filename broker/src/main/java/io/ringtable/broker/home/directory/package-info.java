/**
 * Knows where names live, as the directory says, and asks the directory for changes.
 * <p>
 * Thread: {@code directory}; any looks up. Must not know: shards, their catalogues, why a name is to change.
 */
package io.ringtable.broker.home.directory;
