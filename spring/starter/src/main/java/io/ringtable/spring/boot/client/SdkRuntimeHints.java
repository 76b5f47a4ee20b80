package io.ringtable.spring.boot.client;

import io.ringtable.client.ClientBuilder;
import java.util.ServiceLoader;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Tells a native image where the SDK finds its implementation. */
final class SdkRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, ClassLoader loader) {
        hints.resources().registerPattern("META-INF/services/" + ClientBuilder.class.getName());
        ServiceLoader.load(ClientBuilder.class, loader).stream()
                .forEach(provider ->
                        hints.reflection().registerType(provider.type(), MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS));
    }
}
