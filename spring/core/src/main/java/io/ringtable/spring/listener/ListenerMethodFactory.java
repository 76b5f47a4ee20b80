package io.ringtable.spring.listener;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;

/** Makes the methods of listeners callable with spring-messaging's arguments and those of this module. */
final class ListenerMethodFactory extends DefaultMessageHandlerMethodFactory {
    private final HandlerMethodArgumentResolverComposite resolvers = new HandlerMethodArgumentResolverComposite();

    /** @param more the application's own, asked before those for payloads */
    ListenerMethodFactory(List<HandlerMethodArgumentResolver> more) {
        List<HandlerMethodArgumentResolver> own = new ArrayList<>(more);
        own.add(new ListenerArgumentResolver());
        setCustomArgumentResolvers(own);
    }

    @Override
    protected List<HandlerMethodArgumentResolver> initArgumentResolvers() {
        List<HandlerMethodArgumentResolver> all = super.initArgumentResolvers();
        resolvers.addResolvers(all);
        return all;
    }

    ListenerMethod create(Object bean, Method method, String listener) {
        ListenerMethod created = new ListenerMethod(bean, method, listener);
        created.setMessageMethodArgumentResolvers(resolvers);
        return created;
    }
}
