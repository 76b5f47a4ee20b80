package io.ringtable.broker;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Holds what module {@code wire} may know: it comes with the client into the applications of others. */
@AnalyzeClasses(packages = "io.ringtable.wire", importOptions = WireArchitectureTest.WithoutTests.class)
class WireArchitectureTest {
    @ArchTest
    static final ArchRule wireKnowsTheLibraryOfAmqpAlone = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.ringtable.wire", "org.apache.qpid.protonj2..", "java..", "javax.crypto..");

    /** Leaves out the module's tests, which are classes or a jar, as the build has come so far. */
    static final class WithoutTests implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/") && !location.contains("-tests.jar");
        }
    }
}
