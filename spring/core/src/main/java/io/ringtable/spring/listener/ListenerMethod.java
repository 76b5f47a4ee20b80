package io.ringtable.spring.listener;

import java.lang.reflect.Method;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/**
 * Calls the method of a listener, and tells a message that the method cannot be called with from one that the method
 * failed at.
 */
final class ListenerMethod extends InvocableHandlerMethod {
    private final String listener;

    /** Carries what the method threw past the code that makes its arguments. */
    private static final class Thrown extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Thrown(Throwable cause) {
            super(null, cause, false, false);
        }
    }

    ListenerMethod(Object bean, Method method, String listener) {
        super(bean, method);
        this.listener = listener;
    }

    /**
     * Returns what the method returns, or null.
     *
     * @throws ListenerFailedException whatever happens
     */
    Object call(Message<?> message) {
        try {
            return invoke(message);
        } catch (Thrown thrown) {
            throw ListenerFailedException.failed(listener, thrown.getCause());
        } catch (Exception unreadable) {
            throw ListenerFailedException.unreadable(listener, unreadable);
        }
    }

    @Override
    protected Object doInvoke(Object... arguments) {
        try {
            return super.doInvoke(arguments);
        } catch (Throwable thrown) {
            throw new Thrown(thrown);
        }
    }
}
