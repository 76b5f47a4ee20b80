package io.ringtable.broker;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Holds the table of packages: who may know whom, and where each library ends. */
@AnalyzeClasses(packages = "io.ringtable.broker", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ROOT = "io.ringtable.broker";
    private static final String[] SPRING_SIDE = {ROOT, ROOT + ".config..", ROOT + ".admin..", ROOT + ".metrics.."};
    private static final String[] ENGINES = {
        ROOT + ".store.sqlite..", ROOT + ".store.postgresql..", ROOT + ".store.sqlserver.."
    };

    @ArchTest
    static final ArchRule springStaysAtTheRim = noClasses()
            .that()
            .resideOutsideOfPackages(SPRING_SIDE)
            .or()
            .haveSimpleName("RingtableBroker")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .because("the engine is usable without Spring");

    @ArchTest
    static final ArchRule amqpLibrariesStayInAmqp = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".amqp..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.qpid..", "io.netty..");

    @ArchTest
    static final ArchRule jdbcStaysBehindThePort = noClasses()
            .that()
            .resideOutsideOfPackages(append(ENGINES, ROOT + ".store.jdbc.."))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.sql..",
                    "javax.sql..",
                    "com.zaxxer..",
                    "org.flywaydb..",
                    "org.sqlite..",
                    "org.postgresql..",
                    "com.microsoft..");

    @ArchTest
    static final ArchRule thePortKnowsNoEngine = noClasses()
            .that()
            .resideInAnyPackage(ROOT + ".store", ROOT + ".store.jdbc..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ENGINES);

    @ArchTest
    static final ArchRule sqliteKnowsNoOtherEngine = knowsNoOtherEngine(0);

    @ArchTest
    static final ArchRule postgresqlKnowsNoOtherEngine = knowsNoOtherEngine(1);

    @ArchTest
    static final ArchRule sqlServerKnowsNoOtherEngine = knowsNoOtherEngine(2);

    @ArchTest
    static final ArchRule engineKnowsThePortOnly = noClasses()
            .that()
            .resideInAnyPackage(
                    ROOT + ".amqp..",
                    ROOT + ".dispatch..",
                    ROOT + ".commit..",
                    ROOT + ".inbox..",
                    ROOT + ".recovery..",
                    ROOT + ".expiry..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(append(ENGINES, ROOT + ".store.jdbc.."));

    @ArchTest
    static final ArchRule nothingPointsBackToAmqp = noClasses()
            .that()
            .resideInAnyPackage(below(
                    ROOT + ".dispatch..",
                    ROOT + ".commit..",
                    ROOT + ".inbox..",
                    ROOT + ".recovery..",
                    ROOT + ".expiry.."))
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT + ".amqp..");

    @ArchTest
    static final ArchRule amqpDoesNotKnowTheStore = noClasses()
            .that()
            .resideInAPackage(ROOT + ".amqp..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ROOT + ".store..", ROOT + ".ring..");

    @ArchTest
    static final ArchRule nothingBelowPointsBackToDispatch = noClasses()
            .that()
            .resideInAnyPackage(below(ROOT + ".commit..", ROOT + ".inbox.."))
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT + ".dispatch..");

    @ArchTest
    static final ArchRule nothingBelowPointsBackToCommit = noClasses()
            .that()
            .resideInAnyPackage(below())
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT + ".commit..");

    @ArchTest
    static final ArchRule arithmeticOfTheRingKnowsNobody = noClasses()
            .that()
            .resideInAPackage(ROOT + ".ring..")
            .should()
            .dependOnClassesThat(new DescribedPredicate<>("are ours and outside of the package ring") {
                @Override
                public boolean test(JavaClass type) {
                    return type.getPackageName().startsWith(ROOT)
                            && !type.getPackageName().startsWith(ROOT + ".ring");
                }
            });

    @ArchTest
    static final ArchRule nothingInsideKnowsTheRim = noClasses()
            .that()
            .resideOutsideOfPackages(SPRING_SIDE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ROOT, ROOT + ".config..", ROOT + ".admin..", ROOT + ".metrics..");

    @ArchTest
    static final ArchRule configurationHasNoBehaviour = noClasses()
            .that()
            .resideInAPackage(ROOT + ".config..")
            .should()
            .dependOnClassesThat(new DescribedPredicate<>("are ours and outside of the package config") {
                @Override
                public boolean test(JavaClass type) {
                    return type.getPackageName().startsWith(ROOT)
                            && !type.getPackageName().startsWith(ROOT + ".config");
                }
            });

    /** JDK 24 and later warn of sun.misc.Unsafe, on which these stand; org.jctools.queues.atomic has the same without. */
    @ArchTest
    static final ArchRule noQueueStandsOnUnsafe = noClasses()
            .should()
            .dependOnClassesThat(new DescribedPredicate<>("are JCTools' queues on sun.misc.Unsafe") {
                @Override
                public boolean test(JavaClass type) {
                    return type.getPackageName().startsWith("org.jctools")
                            && !type.getPackageName().equals("org.jctools.queues.atomic")
                            && !type.isInterface();
                }
            })
            .orShould()
            .dependOnClassesThat()
            .resideInAPackage("sun.misc");

    @ArchTest
    static final ArchRule nobodySleepsOrWritesPastTheLog = noClasses()
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Throwable.class, "printStackTrace")
            .orShould()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err");

    @ArchTest
    static final ArchRule nothingIsLeftUnsupported =
            noClasses().should().dependOnClassesThat().areAssignableTo(UnsupportedOperationException.class);

    @ArchTest
    static final ArchRule propertiesAreImmutable = classes()
            .that()
            .haveSimpleNameEndingWith("Properties")
            .and()
            .resideInAPackage(ROOT + ".config..")
            .should()
            .beRecords();

    private static ArchRule knowsNoOtherEngine(int one) {
        String[] others = {ENGINES[(one + 1) % 3], ENGINES[(one + 2) % 3]};
        // An engine that is not there yet knows nobody either.
        return noClasses()
                .that()
                .resideInAPackage(ENGINES[one])
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .allowEmptyShould(true);
    }

    /** What lies below dispatch and commit, and the given packages. */
    private static String[] below(String... more) {
        String[] base = {ROOT + ".store..", ROOT + ".catalog..", ROOT + ".message..", ROOT + ".ring.."};
        return append(base, more);
    }

    private static String[] append(String[] some, String... more) {
        String[] all = java.util.Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, all, some.length, more.length);
        return all;
    }
}
