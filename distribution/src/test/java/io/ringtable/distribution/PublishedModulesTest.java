package io.ringtable.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Holds what Maven Central and the users of a jar expect of every module that is published: those of the root pom
 * without {@code maven.deploy.skip}. The test reads the jars and poms that the build has made.
 */
class PublishedModulesTest {
    private static final String BOM = "ringtable-bom";

    @TestFactory
    Stream<DynamicTest> everyPublishedPomIsComplete() throws Exception {
        return published().stream().map(module -> DynamicTest.dynamicTest(module.artifactId(), () -> checkPom(module)));
    }

    @TestFactory
    Stream<DynamicTest> everyPublishedJarSaysWhatItIsAndWhatItNeeds() throws Exception {
        return published().stream()
                .filter(module -> !module.artifactId().equals(BOM))
                .map(module -> DynamicTest.dynamicTest(module.artifactId(), () -> checkJar(module)));
    }

    @Test
    void theBomListsEveryPublishedModule() throws Exception {
        Element pom = read(publishedPom(bom()));
        Set<String> listed = new HashSet<>();
        for (Element dependency : children(path(pom, "dependencyManagement", "dependencies"))) {
            assertThat(text(dependency, "groupId")).isEqualTo("io.ringtable");
            assertThat(text(dependency, "version")).isEqualTo("${project.version}");
            listed.add(text(dependency, "artifactId"));
        }

        assertThat(published())
                .extracting(Module::artifactId)
                .filteredOn(name -> !name.equals(BOM))
                .isSubsetOf(listed);
    }

    @Test
    void theBomBringsNothingElse() throws Exception {
        List<String> elements = children(read(publishedPom(bom()))).stream()
                .map(Element::getTagName)
                .toList();

        assertThat(elements).doesNotContain("parent", "dependencies", "build", "properties", "profiles");
    }

    private static void checkPom(Module module) throws Exception {
        Element pom = read(publishedPom(module));

        assertThat(children(pom)).extracting(Element::getTagName).doesNotContain("parent", "build", "repositories");
        for (String element : List.of("groupId", "artifactId", "version", "name", "description", "url")) {
            assertThat(text(pom, element)).as(element).isNotBlank().doesNotContain("${");
        }
        assertThat(text(pom, "version")).isEqualTo(Archives.VERSION);
        assertThat(text(pom, "url")).startsWith("https://");
        assertThat(text(path(pom, "licenses", "license"), "name")).isEqualTo("Apache-2.0");
        assertThat(text(path(pom, "licenses", "license"), "url")).startsWith("https://");
        assertThat(text(path(pom, "developers", "developer"), "name")).isNotBlank();
        for (String element : List.of("connection", "developerConnection", "url", "tag")) {
            assertThat(text(path(pom, "scm"), element)).as("scm %s", element).isNotBlank();
        }
        for (Element dependency : children(path(pom, "dependencies"))) {
            String name = text(dependency, "artifactId");
            assertThat(text(dependency, "version")).as(name).isNotBlank().doesNotContain("${", "SNAPSHOT", "[", "(");
            assertThat(text(dependency, "scope")).as(name).isNotEqualTo("test");
        }
    }

    private static void checkJar(Module module) throws IOException {
        Path path = module.directory().resolve("target/" + module.artifactId() + "-" + Archives.VERSION + ".jar");
        assertThat(path).as("./mvnw -DskipTests package builds it").isRegularFile();
        try (JarFile jar = new JarFile(path.toFile())) {
            assertThat(entry(jar, "META-INF/LICENSE")).isEqualTo(Files.readString(Archives.ROOT.resolve("LICENSE")));
            assertThat(entry(jar, "META-INF/sbom/" + module.artifactId() + ".cdx.json"))
                    .contains("\"bomFormat\" : \"CycloneDX\"")
                    .contains("pkg:maven/io.ringtable/" + module.artifactId() + "@" + Archives.VERSION);
            String moduleName = jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name");
            assertThat(moduleName)
                    .isEqualTo("io." + module.artifactId().replace('-', '.'))
                    .matches(Pattern.compile("[a-z]+(\\.[a-z]+)+"));
            if (shipsOthers(jar)) {
                assertThat(entry(jar, "META-INF/THIRD-PARTY.txt")).contains("http");
            }
        }
    }

    /** Whether a jar has other jars or their classes in it. */
    private static boolean shipsOthers(JarFile jar) {
        return jar.stream()
                .map(entry -> entry.getName())
                .anyMatch(
                        name -> name.endsWith(".jar") || name.endsWith(".class") && !name.startsWith("io/ringtable/"));
    }

    private static String entry(JarFile jar, String name) throws IOException {
        if (jar.getEntry(name) == null) {
            fail(jar.getName() + " has no " + name);
        }
        return new String(jar.getInputStream(jar.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
    }

    /** A module of the build. */
    private record Module(String artifactId, Path directory) {}

    private static Module bom() {
        return new Module(BOM, Archives.ROOT.resolve("bom"));
    }

    /** The pom that an installation or a publication takes. */
    private static Path publishedPom(Module module) {
        Path pom = module.directory().resolve(".flattened-pom.xml");
        assertThat(pom).as("./mvnw process-resources writes it").isRegularFile();
        return pom;
    }

    private static List<Module> published() throws Exception {
        List<Module> modules = new ArrayList<>();
        for (Element module : children(path(read(Archives.ROOT.resolve("pom.xml")), "modules"))) {
            Path directory = Archives.ROOT.resolve(module.getTextContent());
            Element pom = read(directory.resolve("pom.xml"));
            if (!"true".equals(text(path(pom, "properties"), "maven.deploy.skip"))) {
                modules.add(new Module(text(pom, "artifactId"), directory));
            }
        }
        assertThat(modules).extracting(Module::artifactId).contains(BOM, "ringtable-client", "ringtable-broker");
        return modules;
    }

    private static Element read(Path pom) throws ParserConfigurationException, SAXException, IOException {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(pom.toFile())
                .getDocumentElement();
    }

    /** Returns the element below another, by the names of those between, or null. */
    private static Element path(Element from, String... names) {
        Element at = from;
        for (String name : names) {
            String wanted = name;
            at = children(at).stream()
                    .filter(child -> child.getTagName().equals(wanted))
                    .findFirst()
                    .orElse(null);
        }
        return at;
    }

    private static List<Element> children(Element parent) {
        List<Element> children = new ArrayList<>();
        if (parent != null) {
            NodeList nodes = parent.getChildNodes();
            for (int i = 0; i < nodes.getLength(); i++) {
                Node node = nodes.item(i);
                if (node instanceof Element element) {
                    children.add(element);
                }
            }
        }
        return children;
    }

    private static String text(Element parent, String name) {
        Element child = path(parent, name);
        return child == null ? null : child.getTextContent().strip();
    }
}
