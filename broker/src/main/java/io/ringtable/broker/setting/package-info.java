/**
 * Holds what administrators set at run time: each setting is a document of a kind, stored with the shard. What a document
 * means is the affair of whoever reads its kind.
 * <p>
 * Thread: any; immutable. Must not know: what the documents mean, every other package but {@code message}.
 */
package io.ringtable.broker.setting;
