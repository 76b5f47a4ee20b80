package io.ringtable.benchmarks.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Suites;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClaimsTest {
    private static final String FASTER = """
            faster:
              says: A ring is faster.
              source: An author
              claimed: 15 times
              suite: batches
              figure: messages_per_s
              of: {design: ring, batch: 10}
              against: {design: naive, batch: 10}
              at_least: 15
            """;
    private static final String NEVER_SEEN = """
            unseen:
              says: A latch is waited for.
              source: An author
              claimed: 3 times
              not_testable: nobody counts latches
              command: a debugger
            """;

    @Test
    void aClaimIsReadWithTheEnginesOfItsSuite() {
        Claim claim = read(FASTER).get(0);
        assertThat(claim.id()).isEqualTo("faster");
        assertThat(claim.engines()).containsExactly("sqlite", "postgresql", "sqlserver");
        Claim.Test test = claim.test().orElseThrow();
        assertThat(test.of()).isEqualTo(Map.of(Dimension.DESIGN, "ring", Dimension.BATCH, "10"));
        assertThat(test.isRatio()).isTrue();
        assertThat(test.expectation()).isEqualTo(new Claim.Range(15, Double.POSITIVE_INFINITY));
        assertThat(test.processors()).isOne();
        Claim wide = read(FASTER + "  processors: 8").get(0);
        assertThat(wide.test().orElseThrow().processors()).isEqualTo(8);
        assertThat(claim.showing("sqlite")).isEqualTo("bin/ringtable bench --suite batches --engine sqlite");
        assertThat(read(FASTER + "  engines: [sqlite]").get(0).engines()).containsExactly("sqlite");
    }

    @Test
    void aClaimThatNobodyCanTestSaysWhyAndHow() {
        Claim claim = read(NEVER_SEEN).get(0);
        assertThat(claim.test()).isEmpty();
        assertThat(claim.notTestable()).isEqualTo("nobody counts latches");
        assertThat(claim.showing("sqlite")).isEqualTo("a debugger");
    }

    @Test
    void aClaimThatAnotherCommandShowsSaysWhere() {
        Claim claim = read(NEVER_SEEN.replace("not_testable: nobody counts latches", "elsewhere: another page"))
                .get(0);
        assertThat(claim.test()).isEmpty();
        assertThat(claim.notTestable()).isEmpty();
        assertThat(claim.whyNoSuite()).isEqualTo("another page");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            says:             | said:              | faster: 'said' is none of
            claimed: 15 times | claimed:           | faster.claimed is missing
            suite: batches    | suite: bunches     | faster.suite: 'bunches' is none of
            messages_per_s    | messages_per_h     | faster.figure: 'messages_per_h' is none of
            messages_per_s    | design             | faster.figure: 'design' is none of
            batch: 10}        | bunch: 10}         | faster.of: 'bunch' is none of
            batch: 10}        | batch: 11}         | fits 0 cases of batches in profile quick
            , batch: 10}      | }                  | cases of batches in profile quick, and must fit one
            at_least: 15      | at_least: many     | faster.at_least: 'many' is no number
            at_least: 15      | at_most: -1        | faster.at_most: '-1' is no number
            at_least: 15      | engines: [sqlite]  | faster: either at_least or at_most, or matches
            at_least: 15      | matches: '['       | faster.matches:
            at_least: 15      | matches: 'a'       | faster.against: a word has no ratio
            at_least: 15      | not_testable: no   | faster: 'suite' is none of
            """)
    void aMistakeIsNamedWithItsClaim(String right, String wrong, String message) {
        assertThatThrownBy(() -> read(FASTER.replace(right, wrong)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void enginesOfAClaimAreAmongThoseOfItsSuite() {
        assertThatThrownBy(() -> read(FASTER + "  engines: [oracle]"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("faster.engines: [oracle]");
    }

    @Test
    void aCaseOfOneProfileOnlyIsRefused() {
        assertThatThrownBy(() -> read(FASTER.replace("batch: 10}", "batch: 10000}")))
                .hasMessageContaining("profile quick");
    }

    @Test
    void noClaimStandsTwice() {
        assertThatThrownBy(() -> read(FASTER + FASTER)).hasMessageContaining("faster");
    }

    /** Reading compares each claim with the suites, in every profile. */
    @Test
    void theClaimsOfTheBuildAreOnSuitesFiguresAndCasesThatThereAre() {
        List<Claim> claims = Claims.ofTheBuild();
        assertThat(claims).allSatisfy(claim -> {
            assertThat(claim.says()).endsWith(".");
            assertThat(claim.test().isPresent()).isEqualTo(claim.whyNoSuite().isEmpty());
            assertThat(claim.showing("sqlite")).isNotBlank();
        });
        assertThat(claims).extracting(Claim::says).doesNotHaveDuplicates();
    }

    @Test
    void everyArticleHasItsClaims() {
        Map<String, Long> authors = Claims.ofTheBuild().stream()
                .collect(Collectors.groupingBy(claim -> claim.source().split(",")[0], Collectors.counting()));
        assertThat(authors)
                .containsOnlyKeys(
                        "Thomas Kejser",
                        "Chris Adkin",
                        "Ajay Jagannathan",
                        "Paul S. Randal",
                        "Linchi Shea",
                        "Ringtable");
    }

    private static List<Claim> read(String yaml) {
        return Claims.read(yaml, Suites.ofTheBuild());
    }
}
