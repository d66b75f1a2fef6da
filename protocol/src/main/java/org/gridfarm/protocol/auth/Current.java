package org.gridfarm.protocol.auth;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What a file says at present, such as the grid-mapfile. It is looked at every few seconds, and
 * once more for something that was not found: what has just been added is known at once.
 */
@FunctionalInterface
public interface Current<T> extends Supplier<T> {
    /** The same after a look at the file. */
    default T again() {
        return get();
    }

    default <R> Optional<R> find(Function<? super T, Optional<R>> lookUp) {
        return lookUp.apply(get()).or(() -> lookUp.apply(again()));
    }

    default boolean says(Predicate<? super T> that) {
        return that.test(get()) || that.test(again());
    }
}
