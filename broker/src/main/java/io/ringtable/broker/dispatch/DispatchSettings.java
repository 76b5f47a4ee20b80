package io.ringtable.broker.dispatch;

import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import java.util.List;

/**
 * DispatchBounds of the dispatcher.
 *
 * @param memoryBytesMax bodies kept in memory for delivery, all subscriptions together; at least 1 MiB; what does not
 *     fit is read back from the store later; so much again may be delivered and unsettled, before each
 *     connection is held to an equal share
 * @param messagesInMemoryMax most messages kept in memory for one subscription; 16 to 1,000,000
 * @param unsettledBytesMax most bytes a consumer may hold unsettled whatever its credit; at least 64 KiB; one message
 *     is always let through
 * @param volatileMessagesMax most messages that wait in memory for one non-durable topic subscription; 16 to 1,000,000
 * @param policies what becomes of messages, by address
 */
public record DispatchSettings(
        long memoryBytesMax,
        int messagesInMemoryMax,
        long unsettledBytesMax,
        int volatileMessagesMax,
        AddressPolicies policies) {

    public static final DispatchSettings DEFAULTS = new DispatchSettings(
            Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 8), 100_000, 16 << 20, 20_000, policies(10, "DLQ"));

    public DispatchSettings {
        between("dispatch.memory-bytes-max", memoryBytesMax, 1 << 20, Long.MAX_VALUE);
        between("dispatch.window-messages-max", messagesInMemoryMax, 16, 1_000_000);
        between("dispatch.unsettled-bytes-max", unsettledBytesMax, 64 << 10, Long.MAX_VALUE);
        between("dispatch.volatile-messages-max", volatileMessagesMax, 16, 1_000_000);
    }

    /** The same for every address. */
    public static AddressPolicies policies(int deliveriesMax, String deadLetterQueue) {
        return new AddressPolicies(List.of(), AddressPolicy.of(deliveriesMax, deadLetterQueue));
    }

    private static void between(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "RT-1005 " + name + "=" + value + " must be between " + least + " and " + most);
        }
    }
}
