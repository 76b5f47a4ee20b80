package io.ringtable.benchmarks.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuitesTest {
    private static final String BATCHES = """
            batches:
              question: What does a batch gain?
              engines: [sqlite, postgresql]
              blocks:
                - {design: [naive, ring], batch: [1, 10], full: {batch: [1, 10, 100]}}
                - {design: naive, batch: 1, durability: delayed}
              charts:
                - {x: batch, y: messages_per_s}
            """;

    @Test
    void theCasesOfABlockAreTheProductOfItsValues() {
        Suite suite = Suites.read(BATCHES).get(0);
        assertThat(suite.name()).isEqualTo("batches");
        assertThat(suite.engines()).containsExactly("sqlite", "postgresql");
        assertThat(suite.cases().get(Profile.QUICK))
                .extracting(Case::toString)
                .containsExactly("naive", "naive batch=10", "ring", "ring batch=10", "naive durability=delayed");
        assertThat(suite.charts()).containsExactly(new Suite.Chart(List.of("batch"), "messages_per_s", "design"));
    }

    @Test
    void aValueOfAProfileReplacesThatOfAll() {
        Suite suite = Suites.read(BATCHES).get(0);
        assertThat(suite.cases().get(Profile.FULL)).hasSize(2 * 3 + 1);
        assertThat(suite.cases().get(Profile.STANDARD)).hasSize(2 * 2 + 1);
    }

    @Test
    void aCaseOfTwoBlocksRunsOnce() {
        String twice = BATCHES.replace("durability: delayed", "durability: durable");
        assertThat(Suites.read(twice).get(0).cases().get(Profile.QUICK)).hasSize(4);
    }

    @Test
    void aValueThatIsNotNamedIsTheUsualOne() {
        Case one = new Case(Map.of(Dimension.DESIGN, "ring"));
        assertThat(one.number(Dimension.BODY_BYTES)).isEqualTo(300);
        assertThat(one.number(Dimension.PUSHERS)).isOne();
        assertThat(one.isDurable()).isTrue();
        assertThat(one).isEqualTo(new Case(Map.of(Dimension.DESIGN, "ring", Dimension.BATCH, "1")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            batch: [1, 10]  | batches: [1]   | batches: 'batches' is no dimension
            question: What  | questions: What | batches: 'questions' is none of
            - {x: batch     | - {xs: batch   | batches.charts: 'xs' is none of
            engines: [sqlite, postgresql] | engines: | batches.engines is missing
            design: naive,  | pushers: 2,    | a case without a design
            """)
    void aMistakeIsNamedWithItsSuite(String right, String wrong, String message) {
        assertThatThrownBy(() -> Suites.read(BATCHES.replace(right, wrong)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void theSuitesOfTheBuildHaveEachNameOnceAndDrawColumnsThatThereAre() {
        List<Suite> suites = Suites.ofTheBuild();
        assertThat(suites).extracting(Suite::name).doesNotHaveDuplicates().isNotEmpty();
        HashSet<String> columns = new HashSet<>(Row.columns());
        assertThat(suites).allSatisfy(suite -> {
            assertThat(suite.question()).endsWith("?");
            assertThat(suite.charts()).allSatisfy(chart -> {
                assertThat(columns).contains(chart.series()).containsAll(chart.x());
                assertThat(columns).contains(chart.y().split(" / "));
            });
            assertThat(suite.cases().values())
                    .allSatisfy(cases -> assertThat(cases).isNotEmpty());
        });
    }
}
