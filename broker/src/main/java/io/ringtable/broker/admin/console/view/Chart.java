package io.ringtable.broker.admin.console.view;

import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/**
 * Draws figures over time as lines, newest at the right. The picture is {@value #WIDTH} units wide and {@value #HEIGHT}
 * high.
 *
 * @param lines points of each line, as SVG has them
 * @param most what stands at the upper edge, for people
 */
public record Chart(List<String> lines, String most) {
    public static final int WIDTH = 600;
    public static final int HEIGHT = 120;

    private static final int MARGIN = 2; // so that a line at the edge is seen whole

    /**
     * Draws the lines, all on one scale that begins at 0.
     *
     * @param count samples across the whole width; while there are fewer, the left stays empty
     * @param shown writes the upper edge of the scale
     * @param least smallest upper edge, so that noise does not fill the picture
     */
    public static <T> Chart of(
            List<T> samples, int count, double least, DoubleFunction<String> shown, List<ToDoubleFunction<T>> lines) {
        double most = least;
        for (ToDoubleFunction<T> line : lines) {
            for (T sample : samples) {
                most = Math.max(most, line.applyAsDouble(sample));
            }
        }
        double edge = round(most);
        return new Chart(
                lines.stream().map(line -> points(samples, count, edge, line)).toList(), shown.apply(edge));
    }

    private static <T> String points(List<T> samples, int count, double edge, ToDoubleFunction<T> line) {
        StringBuilder points = new StringBuilder();
        int first = count - samples.size();
        for (int i = 0; i < samples.size(); i++) {
            double x = (first + i) * (double) WIDTH / Math.max(1, count - 1);
            double y = HEIGHT - MARGIN - line.applyAsDouble(samples.get(i)) / edge * (HEIGHT - 2 * MARGIN);
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        }
        return points.toString().strip();
    }

    /** Returns the next of 1, 2, 5, 10, 20 … that is not less. */
    private static double round(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        for (double step : new double[] {1, 2, 5}) {
            if (value <= step * power) {
                return step * power;
            }
        }
        return 10 * power;
    }
}
