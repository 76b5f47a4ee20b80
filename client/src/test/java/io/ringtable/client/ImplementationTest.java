package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Enumeration;
import java.util.Vector;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The interface of the SDK finds its implementation, or says what is missing. */
class ImplementationTest {
    private static final String SERVICE = "META-INF/services/" + ClientBuilder.class.getName();

    @Test
    void findsItWhateverTheClassLoaderOfTheThread() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            assertThat(RingtableClient.builder()).isNotNull();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void eachClientHasSettingsOfItsOwn() {
        assertThat(RingtableClient.builder()).isNotSameAs(RingtableClient.builder());
    }

    @Test
    void saysWhatAJarThatLostItsServicesNeeds() throws Exception {
        assertThat(failureWithout(SERVICE))
                .hasMessageStartingWith("RT-5009 ")
                .hasMessageContaining(SERVICE)
                .hasNoCause();
    }

    @Test
    void saysWhatAJarThatLostTheImplementationNeeds() throws Exception {
        assertThat(failureWithout("io/ringtable/client/internal/DefaultClientBuilder.class"))
                .hasMessageStartingWith("RT-5009 ")
                .hasMessageContaining("io.ringtable.client.internal")
                .hasCauseInstanceOf(java.util.ServiceConfigurationError.class);
    }

    private static Throwable failureWithout(String resource) throws Exception {
        try (URLClassLoader loader = new BadlyShaded(resource)) {
            Class<?> client = loader.loadClass(RingtableClient.class.getName());
            client.getMethod("builder").invoke(null);
        } catch (InvocationTargetException failed) {
            assertThat(failed.getCause().getClass().getName()).isEqualTo(RingtableException.class.getName());
            return failed.getCause();
        }
        throw new AssertionError("found its implementation without " + resource);
    }

    /** Loads the classes of the tests anew, and lacks one of their files. */
    private static final class BadlyShaded extends URLClassLoader {
        private final String missing;

        BadlyShaded(String missing) {
            super(new URL[] {codeOf(RingtableClient.class)}, new WithoutClient());
            this.missing = missing;
        }

        private static URL codeOf(Class<?> type) {
            return type.getProtectionDomain().getCodeSource().getLocation();
        }

        @Override
        public URL findResource(String name) {
            return name.equals(missing) ? null : super.findResource(name);
        }

        @Override
        public Enumeration<URL> findResources(String name) throws IOException {
            return name.equals(missing) ? new Vector<URL>().elements() : super.findResources(name);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if ((name.replace('.', '/') + ".class").equals(missing)) {
                throw new ClassNotFoundException(name);
            }
            return super.findClass(name);
        }
    }

    /** Has the libraries, but not the SDK. */
    private static final class WithoutClient extends ClassLoader {
        WithoutClient() {
            super(ImplementationTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("io.ringtable.client.")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }

        @Override
        public URL getResource(String name) {
            return isOfClient(name) ? null : super.getResource(name);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return isOfClient(name) ? new Vector<URL>().elements() : super.getResources(name);
        }

        private static boolean isOfClient(String resource) {
            return Stream.of("io/ringtable/client/", SERVICE).anyMatch(resource::startsWith);
        }
    }
}
