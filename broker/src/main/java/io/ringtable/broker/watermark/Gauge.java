package io.ringtable.broker.watermark;

/** Measures a resource that the broker may run out of. Thread: one at a time. */
public interface Gauge {
    /**
     * Looks once.
     *
     * @param wasShort whether the last look found too little. The gauge then asks for clearly more, so that publishers
     *     are not held and released in turns
     * @return null if there is enough; else what is short, its values and the cure
     */
    String shortage(boolean wasShort);
}
