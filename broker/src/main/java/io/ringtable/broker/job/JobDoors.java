package io.ringtable.broker.job;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import java.util.function.LongSupplier;

/**
 * Brings together what jobs need of a shard.
 *
 * @param next the number that the shard's next message gets
 * @param clockMs ms since the epoch
 * @param nanoTime ns, from any origin
 */
public record JobDoors(
        Shard shard,
        MessageFormat format,
        Selector.Compiler selectors,
        LongSupplier next,
        LongSupplier clockMs,
        LongSupplier nanoTime) {}
