package io.ringtable.broker;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
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
import io.ringtable.broker.store.StoreLimits;
import java.util.Map;
import java.util.Set;
import org.springframework.util.unit.DataSize;

/**
 * Holds the table of packages: who may know whom, and where each library ends. {@link PackagesTest} holds how many
 * classes a package has, and that there are no circles.
 * <p>Longer than others, because the table has a line for each package that another one may know.
 */
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
            .or()
            .haveSimpleName("Housekeeper")
            .should()
            .dependOnClassesThat(resideInAPackage("org.springframework..").and(not(type(DataSize.class))))
            .because("the broker is usable without an application of Spring's; a size is a value, as a duration is");

    @ArchTest
    static final ArchRule amqpLibrariesStayInAmqp = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + ".amqp..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.qpid..", "io.netty..");

    @ArchTest
    static final ArchRule whatBrokerAndClientAgreeOnStaysInAmqpAndLogins = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT + ".amqp..", ROOT + ".login.scram")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.ringtable.wire..");

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
    static final ArchRule tracingLibrariesStayWhereSpansAreMade = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT, ROOT + ".trace.span..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.micrometer.tracing..", "io.opentelemetry..");

    /**
     * The code map: what the classes of a package may know of ours beside their own package. The longest name that
     * begins a package's counts for it, so that one line holds for all packages below {@code amqp}, or below
     * {@code dispatch}.
     */
    private static final Map<String, Set<String>> MAY_KNOW = Map.ofEntries(
            Map.entry("message", Set.of()),
            Map.entry("setting", Set.of("message")),
            Map.entry("setting.policy", Set.of("catalog", "config", "dispatch", "message", "setting")),
            Map.entry("setting.access", Set.of("access", "admin", "catalog", "config", "login", "message", "setting")),
            Map.entry("access", Set.of("message")),
            Map.entry("login", Set.of("access", "config", "login")),
            Map.entry("trace", Set.of("message")),
            Map.entry("trace.span", Set.of("trace")),
            Map.entry("ring", Set.of()),
            Map.entry("agent", Set.of()),
            Map.entry("watermark", Set.of()),
            Map.entry("config", Set.of("access", "message")),
            Map.entry("config.startup", Set.of("config")),
            Map.entry("status", Set.of("message")),
            Map.entry("store", Set.of("message", "ring", "setting", "store.directory", "store.node")),
            Map.entry("store.directory", Set.of("message")),
            Map.entry("store.node", Set.of()),
            Map.entry("node", Set.of("config", "status", "store", "store.node")),
            Map.entry(
                    "cluster",
                    Set.of(
                            "catalog",
                            "config",
                            "dispatch",
                            "message",
                            "node",
                            "ownership",
                            "setting",
                            "setting.access",
                            "setting.policy",
                            "shard",
                            "status",
                            "store",
                            "store.directory",
                            "store.node")),
            Map.entry(
                    "store.jdbc",
                    Set.of("config", "message", "ring", "setting", "store", "store.directory", "store.node")),
            Map.entry(
                    "store.sqlite",
                    Set.of(
                            "config",
                            "message",
                            "ring",
                            "setting",
                            "store",
                            "store.directory",
                            "store.jdbc",
                            "store.node")),
            Map.entry("store.sqlite.copy", Set.of("store", "store.jdbc", "store.sqlite")),
            Map.entry(
                    "store.postgresql",
                    Set.of(
                            "config",
                            "message",
                            "ring",
                            "setting",
                            "store",
                            "store.directory",
                            "store.jdbc",
                            "store.node")),
            Map.entry(
                    "store.sqlserver",
                    Set.of(
                            "config",
                            "message",
                            "ring",
                            "setting",
                            "store",
                            "store.directory",
                            "store.jdbc",
                            "store.node")),
            Map.entry("catalog", Set.of("message", "ring", "setting", "store")),
            Map.entry("overflow", Set.of("message", "store")),
            Map.entry("ownership", Set.of("store")),
            Map.entry("work", Set.of("agent", "catalog", "message", "overflow", "store", "trace")),
            Map.entry("state", Set.of("catalog", "message", "ring", "store", "work")),
            Map.entry("durability", Set.of("catalog", "message", "ownership", "ring", "state", "store", "work")),
            Map.entry("deduplication", Set.of("catalog", "config", "durability", "message", "store", "work")),
            Map.entry("reclaim", Set.of("catalog", "durability", "message", "ring", "state", "store", "work")),
            Map.entry("retention", Set.of("catalog", "durability", "message", "reclaim", "state", "store")),
            Map.entry("replay", Set.of("catalog", "durability", "message", "ownership", "state", "store")),
            Map.entry(
                    "catalog.change",
                    Set.of(
                            "agent",
                            "catalog",
                            "config",
                            "deduplication",
                            "durability",
                            "message",
                            "retention",
                            "setting",
                            "state",
                            "store",
                            "work")),
            Map.entry(
                    "commit",
                    Set.of(
                            "agent",
                            "catalog",
                            "catalog.change",
                            "config",
                            "deduplication",
                            "durability",
                            "message",
                            "overflow",
                            "ownership",
                            "reclaim",
                            "replay",
                            "retention",
                            "ring",
                            "state",
                            "store",
                            "trace",
                            "work")),
            Map.entry("placement", Set.of("config", "inbox", "ring", "store", "store.jdbc")),
            Map.entry("inbox", Set.of("agent", "catalog", "config", "message", "overflow", "store", "work")),
            Map.entry(
                    "dispatch",
                    Set.of(
                            "agent",
                            "catalog",
                            "config",
                            "dispatch",
                            "message",
                            "overflow",
                            "ownership",
                            "ring",
                            "store",
                            "trace",
                            "work")),
            Map.entry("inspect", Set.of("catalog", "dispatch", "message", "overflow", "ring", "store", "work")),
            Map.entry(
                    "job",
                    Set.of(
                            "agent",
                            "catalog",
                            "dispatch",
                            "message",
                            "overflow",
                            "ownership",
                            "ring",
                            "setting",
                            "work")),
            Map.entry("home.directory", Set.of("message", "store", "store.directory")),
            Map.entry(
                    "home.going",
                    Set.of("catalog", "dispatch", "home.directory", "message", "ownership", "ring", "store.directory")),
            Map.entry(
                    "home.move",
                    Set.of("catalog", "dispatch", "home.directory", "message", "ownership", "ring", "store.directory")),
            Map.entry(
                    "home",
                    Set.of(
                            "catalog",
                            "dispatch",
                            "home.directory",
                            "home.going",
                            "home.move",
                            "message",
                            "overflow",
                            "ownership",
                            "ring",
                            "setting",
                            "store",
                            "store.directory",
                            "trace",
                            "work")),
            Map.entry(
                    "recovery",
                    Set.of(
                            "catalog",
                            "deduplication",
                            "dispatch",
                            "message",
                            "ownership",
                            "ring",
                            "state",
                            "store",
                            "work")),
            Map.entry(
                    "shard",
                    Set.of(
                            "agent",
                            "catalog",
                            "commit",
                            "config",
                            "deduplication",
                            "dispatch",
                            "durability",
                            "home",
                            "home.directory",
                            "home.move",
                            "inbox",
                            "inspect",
                            "job",
                            "message",
                            "overflow",
                            "ownership",
                            "recovery",
                            "ring",
                            "setting",
                            "setting.policy",
                            "state",
                            "status",
                            "store",
                            "store.directory",
                            "trace",
                            "work")),
            Map.entry(
                    "amqp",
                    Set.of(
                            "access",
                            "agent",
                            "amqp",
                            "catalog",
                            "config",
                            "dispatch",
                            "inbox",
                            "inspect",
                            "login",
                            "management",
                            "message",
                            "overflow",
                            "ownership",
                            "status",
                            "trace",
                            "watermark",
                            "work")),
            Map.entry("management", Set.of("access", "message")),
            Map.entry(
                    "management.operations",
                    Set.of(
                            "access",
                            "admin",
                            "catalog",
                            "config",
                            "dispatch",
                            "inspect",
                            "job",
                            "management",
                            "message",
                            "ring",
                            "setting",
                            "setting.access",
                            "setting.policy",
                            "status")),
            Map.entry("metrics", Set.of("agent", "amqp", "status", "store", "trace", "work")),
            Map.entry(
                    "admin.console",
                    Set.of(
                            "access",
                            "admin",
                            "admin.console",
                            "config",
                            "login",
                            "management",
                            "message",
                            "metrics",
                            "status")),
            Map.entry("admin", Set.of("access", "config", "login", "management", "message", "metrics", "status")));

    @ArchTest
    static final ArchRule packagesKnowWhatTheCodeMapSays = classes()
            .should(new ArchCondition<>("keep to the code map") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                    String from = nameOf(type);
                    String line = lineOf(from);
                    if (line == null) {
                        return; // the root wires everything
                    }
                    for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                        JavaClass target = dependency.getTargetClass().getBaseComponentType();
                        if (target.getPackageName().startsWith(ROOT)) {
                            String to = nameOf(target);
                            if (!to.equals(from) && !mayKnow(line, to)) {
                                events.add(SimpleConditionEvent.violated(type, dependency.getDescription()));
                            }
                        }
                    }
                }
            });

    private static boolean mayKnow(String line, String to) {
        String known = lineOf(to);
        return known != null && MAY_KNOW.get(line).contains(known);
    }

    /** The line of the map that a package stands in; null for the root. */
    private static String lineOf(String name) {
        for (String line = name; !line.isEmpty(); line = line.substring(0, Math.max(0, line.lastIndexOf('.')))) {
            if (MAY_KNOW.containsKey(line)) {
                return line;
            }
        }
        return null;
    }

    /** Of its package, without what all of them begin with; empty for the root. */
    private static String nameOf(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
    }

    @ArchTest
    static void everyPackageStandsInTheCodeMap(JavaClasses classes) {
        assertThat(classes.stream().map(ArchitectureTest::nameOf).filter(name -> !name.isEmpty()))
                .allSatisfy(name -> assertThat(lineOf(name)).as(name).isNotNull());
    }

    /** The contract suite asks what an engine cannot do; the broker asks for sizes alone. */
    @ArchTest
    static final ArchRule noFlagOfTheLimitsSteersACaller =
            noClasses().should().callMethod(StoreLimits.class, "exclusiveFile");

    /**
     * JDK 24 and later warn of sun.misc.Unsafe, on which these stand; org.jctools.queues.atomic has the same without.
     */
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

    private static String[] append(String[] some, String... more) {
        String[] all = java.util.Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, all, some.length, more.length);
        return all;
    }
}
