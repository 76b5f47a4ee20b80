package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Holds that the packages of every module's main code can be seen through: few classes in each, and no circles. The
 * length of a class is {@link SourcesTest}'s.
 */
class PackagesTest {
    private static final int CLASSES_MAX = 20;
    private static final SourcePackages ALL = SourcePackages.ofAllModules();

    @Test
    void aPackageHasFewClasses() {
        Map<String, Long> sizes = ALL.sizes();
        assertThat(sizes).hasSizeGreaterThan(100);
        sizes.values().removeIf(classes -> classes <= CLASSES_MAX);
        assertThat(sizes)
                .as("packages with more than %d classes: give each duty a package", CLASSES_MAX)
                .isEmpty();
    }

    @Test
    void packagesKnowEachOtherWithoutCircles() {
        List<String> ways = new ArrayList<>();
        SourcePackages.circles(ALL.known())
                .forEach((home, others) -> others.forEach(
                        other -> ways.add(home + " knows " + other + " by " + ALL.classesThatName(home, other))));
        assertThat(ways).as("ways in circles of packages").isEmpty();
    }

    @Test
    void circlesAreFoundAndWhatLeadsToThemIsNone() {
        Map<String, Set<String>> known = Map.of(
                "root", Set.of("one", "base"),
                "one", Set.of("two", "base"),
                "two", Set.of("three"),
                "three", Set.of("one", "base"),
                "base", Set.of());

        assertThat(SourcePackages.circles(known))
                .containsOnly(
                        entry("one", Set.of("two")), entry("two", Set.of("three")), entry("three", Set.of("one")));
    }

    @Test
    void codeAloneNamesAPackage() {
        SourcePackages.Source source = SourcePackages.Source.of("some/folder", "Example", """
                package a.home;

                import b.used.Used;
                import b.comment.Mentioned;
                import static b.constant.Limits.MOST;
                import b.nested.Outer.Inner;
                import b.star.*;
                import static b.stars.Limits.*;

                /** Does what {@link Mentioned} and b.javadoc.Other do not. */
                class Example {
                    Used used = new Used("b.text.Text", '"', MOST); // b.remark.Remark
                    Inner inner = b.written.Out.of(\"""
                        b.block.Block \""");
                    String url = "http://host"; b.behind.Text text;
                }
                """);

        assertThat(source.home()).isEqualTo("a.home");
        assertThat(source.named())
                .containsExactlyInAnyOrder(
                        "b.used", "b.constant", "b.nested", "b.star", "b.stars", "b.written", "b.behind");
    }
}
