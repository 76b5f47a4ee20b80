package io.ringtable.broker.admin.console.view;

import io.ringtable.broker.admin.StatusController.Ring;
import java.util.Locale;

/**
 * Draws the ring of a shard: slot 0 is at the top, slots follow clockwise, and what lies between gate and next is
 * marked. The picture is {@value #SIZE} units wide and high; paths are those of SVG.
 *
 * @param used path along the slots between gate and next
 * @param gate where the mark of the gate stands; its label is inside of the ring
 * @param next where the mark of next stands; its label is outside
 */
public record RingPicture(String used, Mark gate, Mark next, double share, String slots, String room, String text) {
    public static final int SIZE = 280;

    private static final double CENTRE = SIZE / 2.0;
    private static final double RADIUS = 84;
    private static final double HALF_WIDTH = 13;
    private static final double INSIDE = 54;
    private static final double OUTSIDE = 108;
    private static final double FULL = 0.9999; // beyond, the ends of an arc would be one point

    /**
     * Is a line across the ring, from x1, y1 to x2, y2, with its label at x, y.
     *
     * @param anchor which end of the label is there, so that it does not lie on the ring
     */
    public record Mark(String x1, String y1, String x2, String y2, String x, String y, String anchor, String sequence) {
        private static Mark of(double angle, double labelRadius, long sequence) {
            return new Mark(
                    across(angle, RADIUS - HALF_WIDTH - 4),
                    down(angle, RADIUS - HALF_WIDTH - 4),
                    across(angle, RADIUS + HALF_WIDTH + 4),
                    down(angle, RADIUS + HALF_WIDTH + 4),
                    across(angle, labelRadius),
                    down(angle, labelRadius),
                    anchorOf(Math.sin(angle), labelRadius > RADIUS),
                    Shown.number(sequence));
        }
    }

    public static RingPicture of(Ring ring) {
        double share = (ring.next() - ring.gate()) / (double) ring.capacity();
        double from = angleOf(ring.gate(), ring.capacity());
        double to = angleOf(ring.next(), ring.capacity());
        return new RingPicture(
                arc(from, Math.min(share, FULL)),
                Mark.of(from, INSIDE, ring.gate()),
                Mark.of(to, OUTSIDE, ring.next()),
                share,
                Shown.number(ring.capacity()),
                Shown.number(ring.room()),
                "Ring of " + Shown.number(ring.capacity()) + " slots: gate " + Shown.number(ring.gate()) + ", next "
                        + Shown.number(ring.next()) + ", " + Shown.share(share) + " in use");
    }

    /** Returns the share of the ring between gate and next, in words. */
    public String usedText() {
        return Shown.share(share);
    }

    /** Returns the angle of a sequence's slot, clockwise from the top, in radians. */
    private static double angleOf(long sequence, int capacity) {
        return Math.floorMod(sequence, capacity) / (double) capacity * 2 * Math.PI;
    }

    private static String anchorOf(double toTheRight, boolean isOutside) {
        if (!isOutside || Math.abs(toTheRight) < 0.3) {
            return "middle";
        }
        return toTheRight > 0 ? "start" : "end";
    }

    private static String arc(double from, double share) {
        double to = from + share * 2 * Math.PI;
        return "M " + across(from, RADIUS) + " " + down(from, RADIUS) + " A " + RADIUS + " " + RADIUS + " 0 "
                + (share > 0.5 ? 1 : 0) + " 1 " + across(to, RADIUS) + " " + down(to, RADIUS);
    }

    private static String across(double angle, double radius) {
        return number(CENTRE + radius * Math.sin(angle));
    }

    private static String down(double angle, double radius) {
        return number(CENTRE - radius * Math.cos(angle));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
