package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds that the Javadoc of types, packages and methods of the main code begins with a verb, such as "Returns". */
class JavadocTest {
    private static final Pattern JAVADOC = Pattern.compile("(?ms)^[ \\t]*/\\*\\*(.*?)\\*/");

    private static final String TEXT = "\"(?:[^\"\\\\\\n]++|\\\\.)*+\"";
    private static final String ARGUMENTS = "\\((?:[^()\"]++|" + TEXT + "|\\((?:[^()\"]++|" + TEXT + ")*+\\))*+\\)";
    private static final String ANNOTATIONS = "(?:@(?!interface)[\\w.]+(?:" + ARGUMENTS + ")?\\s+)*+";
    private static final String MODIFIERS =
            "(?:(?:public|protected|private|static|final|abstract|default|synchronized|sealed|non-sealed)\\s+)*+";
    private static final String TYPE = "(?:record|class|interface|enum|@interface|package)\\b";
    private static final String GENERIC = "(?:<[^;={}()]*>)?";
    private static final String METHOD = "(?:" + GENERIC + "\\s+)?[\\w.]+" + GENERIC + "(?:\\[])*\\s+\\w+\\s*\\(";
    private static final Pattern DECLARATION =
            Pattern.compile("\\s*" + ANNOTATIONS + MODIFIERS + "(?:" + TYPE + "|" + METHOD + ")");

    private static final Pattern VERB = Pattern.compile("([A-Z][a-z]*s)\\b");
    /** Words in the form of such a verb. */
    private static final Set<String> OTHERS = Set.of(
            "Addresses",
            "Always",
            "As",
            "Bits",
            "Bytes",
            "Containers",
            "Hours",
            "Ids",
            "Its",
            "Less",
            "Messages",
            "Minutes",
            "Observations",
            "Others",
            "Properties",
            "Rights",
            "Rows",
            "Seconds",
            "Sessions",
            "Slots",
            "Subscribers",
            "This",
            "Users");

    /** Collects what does not begin with a verb. */
    private static final class Heads {
        private final List<String> wrong = new ArrayList<>();
        private int read;

        void read(String name, String source) {
            Matcher javadoc = JAVADOC.matcher(source);
            Matcher declaration = DECLARATION.matcher(source);
            while (javadoc.find()) {
                String text = javadoc.group(1).replaceAll("\\n[ \\t]*\\*", "\n").strip();
                boolean spoken = !text.startsWith("@") && !text.startsWith("{@inheritDoc}");
                if (spoken && declaration.region(javadoc.end(), source.length()).lookingAt()) {
                    read++;
                    Matcher verb = VERB.matcher(text);
                    if (!verb.lookingAt() || OTHERS.contains(verb.group(1))) {
                        long line = source.substring(0, javadoc.start()).lines().count() + 1;
                        wrong.add(name + ":" + line + " "
                                + text.lines().findFirst().orElse("is empty"));
                    }
                }
            }
        }
    }

    @Test
    void javadocBeginsWithAVerb() {
        Heads heads = new Heads();
        for (Path file : RepositoryFiles.where(path -> path.contains("/src/main/java/") && path.endsWith(".java"))) {
            heads.read(RepositoryFiles.name(file), RepositoryFiles.text(file));
        }
        assertThat(heads.read).as("pieces of Javadoc read").isGreaterThan(4_000);
        assertThat(heads.wrong).as("Javadoc that begins with no verb").isEmpty();
    }

    @Test
    void otherBeginningsAreFound() {
        Heads heads = new Heads();
        heads.read("A.java", """
                /** The class. */
                @Command(name = "a (b", value = of("c"))
                public sealed interface A permits B {
                    /** Its size. */
                    @Deprecated
                    int size();

                    /**
                     * A map of them.
                     */
                    static <T> Map<String, List<T>> map(T... all) {
                        return of(all);
                    }

                    /** Returns nothing. */
                    void run();

                    /** @return the first one */
                    A[] first();

                    /** {@inheritDoc} For ever. */
                    @Override
                    public String toString();

                    /** The number of them, which is no method. */
                    int COUNT = count();
                }
                """);

        assertThat(heads.wrong).containsExactly("A.java:1 The class.", "A.java:4 Its size.", "A.java:8 A map of them.");
        assertThat(heads.read).isEqualTo(4);
    }
}
