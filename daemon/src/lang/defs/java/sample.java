/*
 * A licence that documents nothing.
 */
@NonNullByDefault
package com.example.tool;

import java.util.List;
import java.util.function.*;
import static java.util.Map.Entry;
import static java.lang.Math.*;

/**
 * A shape with corners.
 *
 * @param <T> what a corner is made of
 */
@FunctionalInterface
public sealed interface Shape<T extends Number & Comparable<T>> extends Sized, com.example.Named<T> permits Ring, Box {
    int LIMIT = 10, LOWEST = -1;

    T corner(int at) throws OutOfReach, java.io.IOException;

    default boolean isSmall() {
        return size() < LIMIT && !hidden() || LOWEST > 0 ? true : false;
    }

    static <U> Shape<?> of(U... parts) { return null; }

    private boolean hidden() { return false; }

    enum Mood { CALM, LOUD }
}

/** Marks what is slow. */
@interface Slow {
    int seconds() default 1;
    String[] why() default {};
    int NEVER = -1;
}

/** A ring is empty in the middle. */
record Ring<T extends Number>(
    @Slow(seconds = 2) int width,
    List<T>... parts
) implements Shape<T>, Sized {
    static int made;

    Ring {
        if (width < 0) throw new IllegalArgumentException("width");
        made++;
    }

    Ring(int width) { this(width, new List[0]); }

    @Override
    public T corner(int at) { return parts[at].get(0); }
}

enum Planet implements Sized, Named<Planet> {
    /** The first. */
    MERCURY(3.3),
    @Deprecated EARTH(5.9) {
        @Override double pull() { return mass * 2; }
    };

    private final double mass;

    Planet(double mass) { this.mass = mass; }

    double pull() { return mass; }
}

// Not a doc comment, but it says what follows.
// It has two lines.
@SuppressWarnings({"unused", "private"})
public abstract class Box<T extends Number> extends Base.Inner<T> implements Sized {
    public static final String NAME = "box";
    private final static int DEPTH = 3;
    protected volatile int width, height[] = {1, 2};
    T größe;
    private final Comparator<T> order = new Comparator<>() {
        int calls;

        @Override
        public int compare(T left, T right) {
            calls += 1;
            return left.intValue() > right.intValue() ? 1 : 0;
        }
    };

    static {
        if (DEPTH > 2) System.out.println(NAME);
    }

    protected Box(int width) {
        super(width);
        this.width = width;
    }

    Box() { this(1); }

    /** Overloaded by type. */
    public void put(T item) { put(item, 0); }

    public void put(T item, int at) {
        items[at].value = item;
        super.put(item, at);
    }

    /** Goes every way. */
    private <K, V extends List<K>> int ways(final Object thing, K key, V... values) throws Exception {
        var box = new Box.Lid(1);
        List<String> names = new ArrayList<>(), others = null;
        outer:
        for (int i = 0, n = 3; i < n; i++) {
            for (String name : names) {
                if (name.isEmpty() && i > 1) continue outer;
            }
        }
        int i = 0;
        do { i--; } while (i > 0);
        try (Reader reader = open(); reader) {
            reader.read();
        } catch (IOException | IllegalStateException problem) {
            problem.printStackTrace();
        } finally {
            close();
        }
        if (thing instanceof String text && text.length() > 1) i = text.length();
        if (thing instanceof Ring(int w, List<?> p)) i = w;
        names.stream().map(String::trim).filter(s -> s != null).reduce((a, b) -> a + b);
        Supplier<Box> maker = Box::new;
        Runnable run = () -> {
            class Local { void go() { helper(); } }
            new Local().go();
        };
        return switch (thing) {
            case null -> 0;
            case String s when s.isEmpty() -> 1;
            case Ring(int w, var p) -> w;
            case Integer n -> 2;
            default -> {
                switch (i) {
                    case 1:
                    case 2: yield 3;
                    default: yield 4;
                }
            }
        };
    }

    abstract @Slow int later();

    protected native void outside();

    public static class Lid {
        private interface Hinge { void turn(); }
    }

    private class Handle extends Lid implements Hinge, java.io.Serializable {}
}
