package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the two tables of state that several threads see in {@code docs/ARCHITECTURE.md} against the classes. A class
 * in a table stands for all shared fields of it and of the classes in it. {@code Class.field} stands for that field, a
 * type of the JDK for all fields of that type. Queues and mailboxes stand in neither.
 */
class SharedStateTest {
    private static final Pattern CONCURRENT =
            Pattern.compile("java\\.util\\.concurrent\\.(atomic\\..*|Concurrent(?!Linked).*|CopyOnWrite.*)");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern STATE = Pattern.compile("([A-Z]\\w+)(?:\\.([a-z]\\w*))?");
    private static final String HEAD = "| state |";

    private static final JavaClasses CLASSES = classesOfTheBroker();
    private static final List<String> CELLS = cells();
    private static final List<String> NAMES =
            CELLS.stream().flatMap(cell -> namesIn(cell).stream()).toList();

    /** Names of libraries' types are enough here; to read those types takes most of the time of an import. */
    private static JavaClasses classesOfTheBroker() {
        return ArchConfiguration.withThreadLocalScope((ArchConfiguration configuration) -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.ringtable.broker");
        });
    }

    @Test
    void everySharedFieldStandsInOneTable() {
        Map<String, List<String>> wrong = new TreeMap<>();
        for (JavaClass type : CLASSES) {
            for (JavaField field : type.getFields()) {
                if (isShared(field)) {
                    List<String> places =
                            NAMES.stream().filter(name -> covers(name, field)).toList();
                    if (places.size() != 1) {
                        wrong.put(outermost(type) + "." + field.getName(), places);
                    }
                }
            }
        }
        assertThat(wrong)
                .as("shared fields in no row, or in several, below 'State that several threads write' in"
                        + " ARCHITECTURE.md: write Class or Class.field in the one row that fits")
                .isEmpty();
    }

    /** A map may be declared as such and be a concurrent one; bytecode says only that the class makes one. */
    @Test
    void everyClassThatMakesAConcurrentCollectionStandsInATable() {
        Set<String> named = NAMES.stream().map(SharedStateTest::classOf).collect(Collectors.toSet());
        assertThat(CLASSES.stream()
                        .filter(SharedStateTest::makesConcurrentCollection)
                        .map(SharedStateTest::outermost)
                        .distinct())
                .hasSizeGreaterThan(20)
                .allSatisfy(name -> assertThat(named).contains(name));
    }

    @Test
    void everyNameOfTheTablesIsThere() {
        Map<String, List<JavaClass>> byName =
                CLASSES.stream().collect(Collectors.groupingBy(SharedStateTest::outermost));
        Set<String> jdk = CLASSES.stream()
                .flatMap(type -> type.getFields().stream())
                .map(JavaField::getRawType)
                .filter(SharedStateTest::isOfJdk)
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toSet());
        List<String> absent = new ArrayList<>();
        for (String name : NAMES) {
            List<JavaClass> types = byName.getOrDefault(classOf(name), List.of());
            boolean isThere = name.contains(".")
                    ? types.stream()
                            .flatMap(type -> type.getFields().stream())
                            .anyMatch(field -> field.getName().equals(fieldOf(name)))
                    : jdk.contains(name) || types.stream().anyMatch(SharedStateTest::isSharedAtAll);
            if (!isThere) {
                absent.add(name);
            }
        }
        assertThat(absent)
                .as("names in the tables of shared state that are no class with such state, or no field of it")
                .isEmpty();
    }

    /** A row that names nothing could not be wrong. */
    @Test
    void everyRowOfTheTablesNamesState() {
        assertThat(CELLS)
                .hasSizeGreaterThan(30)
                .allSatisfy(cell -> assertThat(namesIn(cell)).as(cell).isNotEmpty());
        assertThat(NAMES).doesNotHaveDuplicates();
    }

    private static boolean isShared(JavaField field) {
        return field.getModifiers().contains(JavaModifier.VOLATILE) || isOfJdk(field.getRawType());
    }

    private static boolean isOfJdk(JavaClass type) {
        return CONCURRENT.matcher(type.getName()).matches();
    }

    private static boolean isLock(JavaClass type) {
        return type.getPackageName().equals("java.util.concurrent.locks");
    }

    private static boolean isSharedAtAll(JavaClass type) {
        return type.getFields().stream().anyMatch(field -> isShared(field) || isLock(field.getRawType()))
                || makesConcurrentCollection(type)
                || type.getMethods().stream()
                        .anyMatch(method -> method.getModifiers().contains(JavaModifier.SYNCHRONIZED));
    }

    private static boolean makesConcurrentCollection(JavaClass type) {
        Stream<JavaClass> made = type.getConstructorCallsFromSelf().stream().map(JavaConstructorCall::getTargetOwner);
        Stream<JavaClass> asked = type.getMethodCallsFromSelf().stream()
                .filter(call -> call.getName().equals("newKeySet"))
                .map(JavaMethodCall::getTargetOwner);
        return Stream.concat(made, asked)
                .anyMatch(target -> isOfJdk(target) && !target.getPackageName().endsWith(".atomic"));
    }

    private static boolean covers(String name, JavaField field) {
        String type = field.getRawType().getSimpleName();
        if (isOfJdk(field.getRawType()) && NAMES.contains(type)) {
            return name.equals(type); // one row for all of its fields
        }
        return classOf(name).equals(outermost(field.getOwner()))
                && (!name.contains(".") || fieldOf(name).equals(field.getName()));
    }

    /** Returns the simple name of the class of a file. */
    private static String outermost(JavaClass type) {
        JavaClass outer = type;
        while (outer.getEnclosingClass().isPresent()) {
            outer = outer.getEnclosingClass().get();
        }
        return outer.getSimpleName();
    }

    private static String classOf(String name) {
        return name.contains(".") ? name.substring(0, name.indexOf('.')) : name;
    }

    private static String fieldOf(String name) {
        return name.substring(name.indexOf('.') + 1);
    }

    private static List<String> namesIn(String cell) {
        return CODE.matcher(cell)
                .results()
                .map(code -> code.group(1))
                .filter(code -> STATE.matcher(code).matches())
                .toList();
    }

    /** The cells with state: of the first table the first, of the second the second, as their heads say. */
    private static List<String> cells() {
        String text =
                RepositoryFiles.text(RepositoryFiles.root().resolve("docs").resolve("ARCHITECTURE.md"));
        int from = text.indexOf("### State that several threads write");
        List<String> cells = new ArrayList<>();
        int column = -1;
        for (String line :
                text.substring(from, text.indexOf("\n## ", from)).lines().toList()) {
            if (line.contains(HEAD)) {
                column = line.startsWith(HEAD) ? 1 : 2;
            } else if (line.startsWith("| ")) {
                cells.add(line.split("\\|")[column]);
            }
        }
        return cells;
    }
}
