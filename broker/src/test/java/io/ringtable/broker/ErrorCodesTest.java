package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every error code has one meaning, and the documents have the codes that there are. */
class ErrorCodesTest {
    private static final Pattern CODE = Pattern.compile("RT-\\d{4}");
    private static final String SDK = "client/src/main/java/io/ringtable/client";
    private static final String SPRING = "spring/core/src/main/java/io/ringtable/spring";
    private static final List<String> MODULES = List.of(
            "wire",
            "broker",
            "client",
            "cli",
            "spring/core",
            "spring/starter",
            "spring/starter-broker",
            "testing/junit");

    /** Codes that several places give, with the one meaning that all of them have. All others stand in one place. */
    private static final Map<String, String> IN_SEVERAL_PLACES = Map.ofEntries(
            Map.entry("RT-2010", "the address was deleted"),
            Map.entry("RT-2015", "more rows than one flush takes"),
            Map.entry("RT-2017", "a subscription is to change while consumers read it"),
            Map.entry("RT-2317", "a body could not be stored: to the log, and to its publisher"),
            Map.entry("RT-3000", "a statement file cannot be read"),
            Map.entry("RT-3002", "the version or level of the database is not supported"),
            Map.entry("RT-3005", "the schema cannot be migrated"),
            Map.entry("RT-3007", "a database whose commits may be lost is not wanted"),
            Map.entry("RT-3011", "the store refuses a row"),
            Map.entry("RT-3012", "the store takes no writes"),
            Map.entry("RT-3013", "the store cannot be reached"),
            Map.entry("RT-3015", "another owner has the shard"),
            Map.entry("RT-3016", "the tables contradict themselves"),
            Map.entry("RT-3031", "a database whose commits may be lost is used"),
            Map.entry("RT-4030", "the client broke the protocol"),
            Map.entry("RT-4033", "the client does not read"),
            Map.entry("RT-4042", "a transfer without credit"),
            Map.entry("RT-4047", "no name of an address"),
            Map.entry("RT-4055", "no-local cannot be had"),
            Map.entry("RT-4056", "a subscription cannot be named so"),
            Map.entry("RT-4060", "a deletion is asked for in no way that there is"),
            Map.entry("RT-4062", "a dynamic node cannot be had so"),
            Map.entry("RT-4101", "another publisher opened the producer"),
            Map.entry("RT-4300", "encoded values are beyond a bound"),
            Map.entry("RT-4332", "the client id belongs to another user"),
            Map.entry("RT-4622", "an address is to move to a shard that is not there"),
            Map.entry("RT-5001", "a setting or argument of the SDK cannot work"),
            Map.entry("RT-5008", "closed"),
            Map.entry("RT-5014", "a message cannot be encoded"),
            Map.entry("RT-5023", "ended by the broker"),
            Map.entry("RT-6003", "an input cannot be opened"),
            Map.entry("RT-6004", "an input cannot be read to its end"),
            Map.entry("RT-6005", "a message of the input was not accepted"),
            Map.entry("RT-6009", "the broker does not serve"),
            Map.entry("RT-6010", "a subscriber of the demo did not get what was published"),
            Map.entry("RT-6013", "what answers is no broker"),
            Map.entry("RT-6014", "no broker answers"),
            Map.entry("RT-6020", "an end of a bridge cannot be used as it is given"),
            Map.entry("RT-6021", "a broker of a bridge cannot be logged in to"),
            Map.entry("RT-6022", "a broker interrupts a bridge"));

    @Test
    void aCodeStandsInOnePlaceOrHasOneMeaningInAllOfThem() throws IOException {
        Map<String, Integer> places = new TreeMap<>();
        for (String module : MODULES) {
            SourceLiterals.forEach(module, (file, text) -> {
                Matcher code = CODE.matcher(text);
                while (code.find()) {
                    places.merge(code.group(), 1, Integer::sum);
                }
            });
        }
        assertThat(places).hasSizeGreaterThan(200);
        places.values().removeIf(count -> count == 1);
        assertThat(places.keySet())
                .as("codes in several places: give another one, or say here what all of them mean")
                .isEqualTo(new TreeSet<>(IN_SEVERAL_PLACES.keySet()));
    }

    /** An earlier decision or change may speak of codes that are gone. */
    @Test
    void theDocumentsHaveNoCodeThatNobodyGives() throws IOException {
        List<String> places = new ArrayList<>(List.of("src/main", "bin"));
        MODULES.forEach(module -> places.add(module + "/src/main"));
        Set<String> given = codesBelow(places.toArray(String[]::new));
        for (String document : documents()) {
            assertThat(codesIn(document)).as(document).isSubsetOf(given);
        }
    }

    @Test
    void everyErrorOfTheSdkStandsInItsTable() throws IOException {
        assertThat(tableOf("docs/client.md"))
                .containsExactlyInAnyOrderElementsOf(codesBelow(
                        SDK + "/RingtableException.java",
                        SDK + "/internal/error/Errors.java",
                        SDK + "/jdbc/InboxErrors.java"));
    }

    @Test
    void everyErrorOfTheSpringModuleStandsInItsTable() throws IOException {
        assertThat(tableOf("docs/spring-sdk.md"))
                .containsExactlyInAnyOrderElementsOf(codesBelow(
                        SPRING + "/internal/SpringErrors.java", SPRING + "/listener/ListenerFailedException.java"));
    }

    @Test
    void everyErrorThatAnAmqpPeerSeesIsDocumented() throws IOException {
        Set<String> documented = new TreeSet<>();
        for (String document : documents()) {
            documented.addAll(codesIn(document));
        }
        Set<String> missing = codesBelow("broker/src/main/java/io/ringtable/broker/amqp");
        missing.addAll(codesBelow("broker/src/main/java/io/ringtable/broker/login"));
        missing.removeAll(documented);
        // In this order: the reason of a restart, a defect of code that embeds the broker, a socket that is closed.
        // The last one is a Java without an algorithm that every Java has.
        assertThat(missing).containsExactlyInAnyOrder("RT-2318", "RT-4000", "RT-4041", "RT-4334");
    }

    private static List<String> documents() throws IOException {
        try (Stream<Path> found = Files.list(SourceLiterals.ROOT.resolve("docs"))) {
            return Stream.concat(
                            found.filter(file -> file.toString().endsWith(".md"))
                                    .map(file -> "docs/" + file.getFileName()),
                            Stream.of("README.md", "SECURITY.md", "src/main/resources/db/README.md"))
                    .toList();
        }
    }

    private static Set<String> tableOf(String document) throws IOException {
        StringBuilder rows = new StringBuilder();
        for (String line : Files.readAllLines(SourceLiterals.ROOT.resolve(document))) {
            if (line.startsWith("| RT-")) {
                rows.append(line, 0, line.indexOf('|', 1)).append('\n');
            }
        }
        return codesOf(rows.toString());
    }

    private static Set<String> codesIn(String document) throws IOException {
        return codesOf(Files.readString(SourceLiterals.ROOT.resolve(document)));
    }

    /** Reads {@code RT-2013, 2014} as two codes, and {@code RT-4071 to RT-4079} as the two that it names. */
    private static Set<String> codesOf(String text) {
        Set<String> codes = new TreeSet<>();
        Matcher list = Pattern.compile("RT-\\d{4}(, \\d{4}\\b)*").matcher(text);
        while (list.find()) {
            for (String code : list.group().substring("RT-".length()).split(", ")) {
                codes.add("RT-" + code);
            }
        }
        return codes;
    }

    private static Set<String> codesBelow(String... places) throws IOException {
        Set<String> codes = new TreeSet<>();
        for (String place : places) {
            try (Stream<Path> found = Files.walk(SourceLiterals.ROOT.resolve(place))) {
                for (Path file : found.filter(Files::isRegularFile).toList()) {
                    Matcher code = CODE.matcher(Files.readString(file, StandardCharsets.ISO_8859_1)); // some are binary
                    while (code.find()) {
                        codes.add(code.group());
                    }
                }
            }
        }
        return codes;
    }
}
