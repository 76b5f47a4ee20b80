/**
 * Holds what administrators set at run time: each setting is a document of a kind, stored with the shard. The reader of
 * a kind knows what its documents mean.
 * <p>
 * Thread: any; immutable. Must not know: what the documents mean, every other package but {@code message}.
 */
package io.ringtable.broker.setting;
