package io.ringtable.broker.config;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/**
 * Lists every property under {@code ringtable.}, read from the records themselves. Finds the nearest to a wrong name.
 * <p>
 * Comparisons ignore case, dashes, underscores, dots and list positions, so that {@code ringtable.data-dir},
 * {@code ringtable.dataDir} and the environment's {@code RINGTABLE_DATA_DIR} are one name.
 */
public final class PropertyNames {
    public static final String PREFIX = "ringtable";

    private static final Pattern LIST_POSITION = Pattern.compile("\\[\\d+]|_\\d+(?=_|$)|\\.\\d+(?=\\.|$)");
    private static final Pattern SEPARATORS = Pattern.compile("[._-]");

    private final Set<String> names = new TreeSet<>();
    private final Set<String> plainNames = new TreeSet<>();

    public PropertyNames(List<Class<? extends Record>> records) {
        for (Class<? extends Record> type : records) {
            collect(type.getAnnotation(ConfigurationProperties.class).value(), type);
        }
        names.forEach(name -> plainNames.add(plain(name)));
    }

    /** Reads the properties of the broker. */
    public static PropertyNames ofBroker() {
        return new PropertyNames(RingtableProperties.RECORDS);
    }

    /** Lists the groups below the prefix: {@code ringtable.amqp} and its neighbours. */
    public static List<String> groups() {
        return RingtableProperties.RECORDS.stream()
                .map(record ->
                        record.getAnnotation(ConfigurationProperties.class).value())
                .filter(group -> !group.equals(PREFIX))
                .toList();
    }

    private void collect(String prefix, Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
            Class<?> held = component.getType();
            if (List.class.isAssignableFrom(held)) {
                ParameterizedType list = (ParameterizedType) component.getGenericType();
                held = (Class<?>) list.getActualTypeArguments()[0];
                name += "[]";
            }
            if (held.isRecord()) {
                collect(name, held);
            } else {
                names.add(name);
            }
        }
    }

    /** Lists the names in the documented form: dashes, and {@code []} for a position in a list. */
    public Set<String> names() {
        return Set.copyOf(names);
    }

    public boolean isKnown(String name) {
        return plainNames.contains(plain(name));
    }

    /**
     * Refuses a name that the broker does not have, and names the cure.
     *
     * @param whence where the name is set
     */
    public void requireKnown(String name, String whence) {
        if (isKnown(name)) {
            return;
        }
        String cure = RemovedNames.cure(name);
        if (cure != null) {
            throw new ConfigurationRefused("RT-1043", name + " (" + whence + ") is not a property any more: " + cure);
        }
        throw new ConfigurationRefused(
                "RT-1001",
                "unknown property " + name + " (" + whence + "): did you mean " + nearest(name)
                        + "? Correct or remove it");
    }

    /** Returns whether a property's value must not be shown. */
    public static boolean isPassword(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith("password");
    }

    /** Finds the known name that the given one begins, or else the one with the fewest letters to change. */
    public String nearest(String name) {
        String wanted = plain(name);
        String best = null;
        int fewest = Integer.MAX_VALUE;
        for (String known : names) {
            String plain = plain(known);
            int changes = plain.startsWith(wanted) ? 0 : distance(wanted, plain);
            if (changes < fewest) {
                fewest = changes;
                best = known;
            }
        }
        return best;
    }

    static String plain(String name) {
        String withoutPositions = LIST_POSITION.matcher(name).replaceAll("").replace("[]", "");
        return SEPARATORS.matcher(withoutPositions).replaceAll("").toLowerCase(Locale.ROOT);
    }

    /** Counts the letters to change: Levenshtein's distance. */
    private static int distance(String from, String to) {
        int[] previous = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] current = new int[to.length() + 1];
            current[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[to.length()];
    }
}
