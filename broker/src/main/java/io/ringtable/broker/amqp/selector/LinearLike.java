package io.ringtable.broker.amqp.selector;

import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.activemq.artemis.selector.filter.BinaryExpression;
import org.apache.activemq.artemis.selector.filter.ComparisonExpression;
import org.apache.activemq.artemis.selector.filter.ConstantExpression;
import org.apache.activemq.artemis.selector.filter.Expression;
import org.apache.activemq.artemis.selector.filter.LogicExpression;
import org.apache.activemq.artemis.selector.filter.UnaryExpression;

/**
 * Takes the backtracking out of {@code LIKE}, so that its time grows with the text and not with a power of it: a selector is
 * evaluated on threads that serve everybody, and the selectors' library would have {@code '%a%a%a%b'} over a thousand times
 * "a" hold them up for two minutes.
 * <p>
 * The library makes a regular expression of the pattern, with {@code .*?} for every {@code %}. What stands between two of them
 * may as well be taken where it is first found, as any text may follow; so there is nothing to come back to, which is what an
 * atomic group says. Only what follows the last {@code %} is bound to a place, the end.
 * <p>
 * The library has no door to this, so two of its fields are opened by name; its version is fixed, and the tests know of them.
 */
final class LinearLike {
    /** A {@code %} and what follows, up to the next; the library writes a pattern's own dots, stars and marks as codes. */
    private static final Pattern UP_TO_THE_NEXT = Pattern.compile("\\.\\*\\?.*?(?=\\.\\*\\?)", Pattern.DOTALL);

    private static final Class<?> LIKE = ComparisonExpression.createLike(new ConstantExpression(""), "", null)
            .getClass();
    private static final Field PATTERN = field(LIKE, "likePattern");
    private static final Field OPERANDS = field(LogicExpression.class, "expressions");

    private LinearLike() {}

    /** In place; an expression that is not shared yet. Goes down without recursion, as it may be nested deeply. */
    public static void in(Expression root) {
        Deque<Expression> ahead = new ArrayDeque<>();
        ahead.push(root);
        while (!ahead.isEmpty()) {
            Expression expression = ahead.pop();
            if (LIKE.isInstance(expression)) {
                rewrite(expression);
            }
            operands(expression).forEach(ahead::push);
        }
    }

    /** What an expression is made of. */
    static Collection<Expression> operands(Expression expression) {
        if (expression instanceof UnaryExpression unary) {
            return List.of(unary.getRight());
        }
        if (expression instanceof BinaryExpression binary) {
            return List.of(binary.getLeft(), binary.getRight());
        }
        return expression instanceof LogicExpression ? operandsOf(expression) : List.of();
    }

    private static void rewrite(Expression like) {
        try {
            Pattern pattern = (Pattern) PATTERN.get(like);
            String linear = UP_TO_THE_NEXT.matcher(pattern.pattern()).replaceAll("(?>$0)");
            PATTERN.set(like, Pattern.compile(linear, pattern.flags()));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Collection<Expression> operandsOf(Expression logic) {
        try {
            return (Collection<Expression>) OPERANDS.get(logic);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field field(Class<?> owner, String name) {
        try {
            Field field = owner.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
