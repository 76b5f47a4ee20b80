package io.ringtable.spring.boot;

/** Refuses settings that cannot work, before anything connects. The SDK and Qpid JMS refuse theirs themselves. */
public final class RefusedSettings {
    private RefusedSettings() {}

    /** Makes the exception: RT-5001, with what is wrong and the cure. */
    public static IllegalArgumentException refused(String what, String cure) {
        return new IllegalArgumentException("RT-5001 " + what + ": " + cure);
    }
}
