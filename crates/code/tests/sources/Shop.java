package shop;

import java.util.*;

/** class NotThis {} */
@Deprecated
public abstract class Shop<T extends Comparable<T>> extends Base implements Runnable {
    private static final int LIMIT = compute(3);
    private final Runnable task = () -> { run(); };
    private final Object anonymous = new Object() {
        @Override public String toString() { return "class No {"; }
    };

    public Shop(int a) throws Exception { super(a); }

    static { init(); }

    @SuppressWarnings({"unchecked", "raw"})
    public <A, B extends List<A>> Map<A, B> group(final List<? super A> items, int... more) throws java.io.IOException {
        if (items.isEmpty()) { return null; }
        for (A item : items) { use(item); }
        switch (more.length) { case 1: use(1); }
        return new HashMap<>();
    }

    abstract int[] prices();

    enum State { OPEN { int code() { return 1; } }, PAID(2); State() {} State(int a) {} int code() { return 0; } }

    interface Priced { int price(); default int total() { return price(); } }

    record Point(int x, int y) { Point { } int sum() { return x + y; } }

    @interface Marked { String value() default ""; }
}
