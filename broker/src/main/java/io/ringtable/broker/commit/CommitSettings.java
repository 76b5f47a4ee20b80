package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.AddressCreation;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.config.CommitProperties;
import java.util.function.Function;

/**
 * Holds the settings of a committer.
 *
 * @param properties bounds of flushes, of the catalogue and of deduplication
 * @param creation which addresses the broker creates on first use, and with which quota
 * @param retention how much topics keep, by name
 * @param delays how long a flush waits for more
 */
public record CommitSettings(
        CommitProperties properties,
        AddressCreation creation,
        Function<String, Retention> retention,
        FlushDelays delays) {}
