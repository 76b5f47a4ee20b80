package io.ringtable.broker.admin.console;

/**
 * Says what an operator has to do, or should keep an eye on.
 *
 * @param isUrgent whether messages wait or somebody is not served until the operator acts
 * @param what is the matter
 * @param cure what to do
 * @param link where to do it, or where to look; null if nowhere in the console
 */
record Advice(boolean isUrgent, String what, String cure, String link) {
    static Advice act(String what, String cure, String link) {
        return new Advice(true, what, cure, link);
    }

    static Advice watch(String what, String cure, String link) {
        return new Advice(false, what, cure, link);
    }
}
