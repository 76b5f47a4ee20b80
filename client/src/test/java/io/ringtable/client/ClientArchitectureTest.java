package io.ringtable.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Holds the table of the client's packages: who may know whom, and where each library ends. */
@AnalyzeClasses(packages = "io.ringtable.client", importOptions = ImportOption.DoNotIncludeTests.class)
class ClientArchitectureTest {
    private static final String ROOT = "io.ringtable.client";
    private static final String API = "";

    /** From each package to the others of the client that it may know; the public interface knows none. */
    private static final Map<String, Set<String>> MAY_KNOW = Map.ofEntries(
            Map.entry(API, Set.of()),
            Map.entry("jdbc", Set.of(API, "internal.error")),
            Map.entry("micrometer", Set.of(API)),
            Map.entry("internal.error", Set.of(API)),
            Map.entry("internal.encoding", Set.of(API, "internal.error")),
            Map.entry("internal.connection", Set.of(API, "internal.error")),
            Map.entry("internal.publish", Set.of(API, "internal.error", "internal.encoding", "internal.connection")),
            Map.entry("internal.receive", Set.of(API, "internal.error", "internal.encoding", "internal.connection")),
            Map.entry("internal.request", Set.of(API, "internal.error", "internal.connection")),
            Map.entry(
                    "internal",
                    Set.of(
                            API,
                            "internal.error",
                            "internal.encoding",
                            "internal.connection",
                            "internal.publish",
                            "internal.receive",
                            "internal.request")));

    @ArchTest
    static final ArchRule packagesKnowWhatTheCodeMapSays = classes()
            .should(new ArchCondition<>("keep to the code map") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    String from = nameOf(type);
                    for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                        JavaClass target = dependency.getTargetClass().getBaseComponentType();
                        if (isOurs(target)) {
                            String to = nameOf(target);
                            if (!to.equals(from) && !MAY_KNOW.get(from).contains(to)) {
                                events.add(SimpleConditionEvent.violated(type, dependency.getDescription()));
                            }
                        }
                    }
                }
            });

    @ArchTest
    static void everyPackageStandsInTheCodeMap(JavaClasses classes) {
        assertThat(classes.stream().map(ClientArchitectureTest::nameOf).collect(Collectors.toSet()))
                .isEqualTo(MAY_KNOW.keySet());
    }

    /** Jackson is the mapper of JSON bodies, which the application may hand in. */
    @ArchTest
    static final ArchRule theInterfaceKnowsTheJdkAndJacksonAlone = classes()
            .that()
            .resideInAPackage(ROOT)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(ROOT, "java..", "javax.net..", "tools.jackson..");

    @ArchTest
    static final ArchRule nobodyKnowsTheBroker =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.ringtable.broker..");

    @ArchTest
    static final ArchRule sqlStaysInJdbc = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".jdbc")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "javax.sql..");

    @ArchTest
    static final ArchRule oneClassKnowsSpring = noClasses()
            .that()
            .doNotHaveSimpleName("SpringTransaction")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..");

    @ArchTest
    static final ArchRule micrometerStaysInItsPackage = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".micrometer")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.micrometer..");

    @ArchTest
    static final ArchRule messagesAreEncodedWithoutTheSocket = noClasses()
            .that()
            .resideInAPackage(ROOT + ".internal.encoding")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..");

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().equals(ROOT) || type.getPackageName().startsWith(ROOT + ".");
    }

    /** Of its package, without what all of them begin with; empty for the public interface. */
    private static String nameOf(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(ROOT) ? API : name.substring(ROOT.length() + 1);
    }
}
