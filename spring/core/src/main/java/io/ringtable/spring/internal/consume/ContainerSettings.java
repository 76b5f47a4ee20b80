package io.ringtable.spring.internal.consume;

import io.ringtable.client.RingtableClient;
import java.time.Duration;
import org.springframework.core.task.TaskExecutor;

/**
 * Holds what the consumers of a container work with.
 *
 * @param client whose connection they use
 * @param executor runs each consumer as one task, for as long as the consumer lives
 * @param consumersMin consumers of each address while there is little to do, at least 1
 * @param consumersMax consumers of each address under load, at least {@code consumersMin}
 * @param batchSize most messages of one call
 * @param shutdownTimeout how long a stop waits for calls that are under way
 * @param recoveryInterval pause before a lost subscription is opened again
 * @param scaleUpAfter how long a consumer must have had messages without waiting before another one joins it
 * @param scaleDownAfter how long a consumer must have waited in vain before it leaves
 */
public record ContainerSettings(
        RingtableClient client,
        TaskExecutor executor,
        int consumersMin,
        int consumersMax,
        int batchSize,
        Duration shutdownTimeout,
        Duration recoveryInterval,
        Duration scaleUpAfter,
        Duration scaleDownAfter) {}
