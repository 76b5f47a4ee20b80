package io.ringtable.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Holds the table of this module's packages in docs/ARCHITECTURE.md, and what the module stands on. */
@AnalyzeClasses(packages = "io.ringtable.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class SpringArchitectureTest {
    private static final String ROOT = "io.ringtable.spring";
    private static final String INTERNAL = ROOT + ".internal";
    private static final String CONSUME = INTERNAL + ".consume";
    private static final String SUPPORT = ROOT + ".support";
    private static final String OBSERVATION = ROOT + ".observation";
    private static final String LISTENER = ROOT + ".listener";

    private static final Map<String, Set<String>> MAY_KNOW = Map.of(
            INTERNAL,
            Set.of(),
            CONSUME,
            Set.of(INTERNAL),
            SUPPORT,
            Set.of(INTERNAL),
            OBSERVATION,
            Set.of(),
            ROOT,
            Set.of(INTERNAL, SUPPORT, OBSERVATION),
            LISTENER,
            Set.of(INTERNAL, CONSUME, SUPPORT, OBSERVATION, ROOT),
            ROOT + ".annotation",
            Set.of(INTERNAL, LISTENER));

    @ArchTest
    static void packagesKnowWhatTheCodeMapSays(JavaClasses classes) {
        Set<String> violations = new TreeSet<>();
        for (JavaClass type : classes) {
            String from = type.getPackageName();
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String to = dependency.getTargetClass().getBaseComponentType().getPackageName();
                if (to.startsWith(ROOT)
                        && !to.equals(from)
                        && !MAY_KNOW.getOrDefault(from, Set.of()).contains(to)) {
                    violations.add(dependency.getDescription());
                }
            }
        }
        assertThat(violations).isEmpty();
        assertThat(classes.stream().map(JavaClass::getPackageName)).isSubsetOf(MAY_KNOW.keySet());
    }

    @ArchTest
    static final ArchRule nobodyKnowsSpringBootNorTheInsideOfTheSdk = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.springframework.boot..",
                    "org.springframework.jdbc..",
                    "io.ringtable.client.internal..",
                    "io.ringtable.wire..",
                    "io.ringtable.broker..",
                    "io.netty..",
                    "org.apache.qpid..");
}
