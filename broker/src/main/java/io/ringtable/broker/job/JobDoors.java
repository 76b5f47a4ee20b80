package io.ringtable.broker.job;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.message.Address;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Brings together what jobs need of a shard.
 *
 * @param shard the ways into the shard
 * @param home the shard once more, with its committer and its dispatcher
 * @param anywhere finds addresses of all shards, so that a refusal tells what is elsewhere from what is not there
 * @param next the number that the shard's next message gets
 * @param clockMs ms since the epoch
 * @param nanoTime ns, from any origin
 */
public record JobDoors(
        Shard shard,
        Home home,
        Function<String, Address> anywhere,
        MessageFormat format,
        Selector.Compiler selectors,
        LongSupplier next,
        LongSupplier clockMs,
        LongSupplier nanoTime) {}
