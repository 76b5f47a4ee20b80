package io.ringtable.spring.boot;

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

/** Holds the table of this module's packages in docs/ARCHITECTURE.md. */
@AnalyzeClasses(packages = "io.ringtable.spring.boot", importOptions = ImportOption.DoNotIncludeTests.class)
class StarterArchitectureTest {
    private static final String ROOT = "io.ringtable.spring.boot";
    private static final String HEALTH = ROOT + ".health";
    private static final String CLIENT = ROOT + ".client";
    private static final String TRANSACTION = ROOT + ".transaction";

    private static final Map<String, Set<String>> MAY_KNOW = Map.of(
            ROOT,
            Set.of(HEALTH),
            HEALTH,
            Set.of(),
            ROOT + ".jms",
            Set.of(ROOT, HEALTH),
            CLIENT,
            Set.of(ROOT, HEALTH),
            TRANSACTION,
            Set.of(),
            ROOT + ".listener",
            Set.of(ROOT, CLIENT, TRANSACTION));

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
    static final ArchRule jmsAndTheSdkStandSideBySide = noClasses()
            .that()
            .resideInAPackage(ROOT + ".jms")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.ringtable.client..", ROOT + ".client..");

    @ArchTest
    static final ArchRule onlyJmsKnowsQpid = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".jms")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.qpid..", "jakarta.jms..");

    @ArchTest
    static final ArchRule theImplementationOfTheSdkIsUnknown =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.ringtable.client.internal..");
}
