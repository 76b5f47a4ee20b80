package io.ringtable.broker.message;

/**
 * Holds what a policy says of the quota of an address. Where the policy says nothing, the address has the bound that
 * the configuration gives every address.
 * <p>
 * Thread: any; immutable.
 *
 * @param messagesMax most messages owed; 0 = the policy says nothing, as in the next one
 * @param bytesMax most bytes owed
 */
public record QuotaLimits(long messagesMax, long bytesMax) {
    /** Says nothing. */
    public static final QuotaLimits NONE = new QuotaLimits(0, 0);

    public QuotaLimits {
        if (messagesMax < 0 || bytesMax < 0) {
            throw new IllegalArgumentException(
                    "a limit is below 0: messagesMax=" + messagesMax + " bytesMax=" + bytesMax);
        }
    }
}
