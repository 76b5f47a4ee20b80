package io.ringtable.broker;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The build tells tests where the checkout is in a property that the application would refuse, as it must. */
public final class WithoutBuildProperties implements BeforeAllCallback, AfterAllCallback {
    private static final String ROOT = "ringtable.root";

    private String root;

    @Override
    public void beforeAll(ExtensionContext context) {
        root = System.clearProperty(ROOT);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (root != null) {
            System.setProperty(ROOT, root);
        }
    }
}
