package io.ringtable.acceptance.greed;

import java.util.Locale;

/**
 * Reports one attack, and how the honest client felt it.
 *
 * @param load of the broker, in the words of {@link BrokerLoad}
 * @param beside what else was measured
 * @param misses what is wrong beside the honest client's figures; empty for nothing
 */
record SiegeReport(
        AttackName attack, Service alone, Service attacked, String load, Deeds deeds, String beside, String misses) {
    private static final double P99_MS = 20;
    private static final double RATE = 0.99;

    /** Whether the honest client felt nothing that was promised not to be felt. */
    boolean isHeld() {
        return misses.isEmpty()
                && attacked.missing() == 0
                && attacked.endToEnd().percentileMs(0.99) < P99_MS
                && attacked.rate() >= RATE;
    }

    boolean isBiting() {
        return attack.attack().bite().isDoneBy(deeds);
    }

    static String head() {
        return String.format(
                "%-21s %-6s %-48s %-48s %s%n%-28s p50/p99/max in ms until received, accepted, sent; rate",
                "attack", "", "alone", "attacked", BrokerLoad.head(), "");
    }

    String line() {
        String verdict = !isBiting() ? "NO BITE" : isHeld() ? "held" : "MISSED";
        return String.format(
                Locale.ROOT,
                "%-21s %-6s %-48s %-48s %s%n    %s%s%s",
                attack,
                verdict,
                service(alone),
                service(attacked),
                load,
                deeds,
                "; " + beside,
                misses.isEmpty() ? "" : "; " + misses);
    }

    private static String service(Service service) {
        return String.format(
                Locale.ROOT,
                "%s %s %s %.1f%%",
                service.endToEnd(),
                service.accept(),
                service.send(),
                100 * service.rate());
    }
}
