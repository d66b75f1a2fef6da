package org.gridfarm.campaign.property;

import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test method with one parameter, a {@link Dice}, that is run with many seeds. Each run has its
 * seed in its name; {@code -Dgf.seed=N} runs that one alone, {@code -Dgf.property.times=N} makes N
 * times as many.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(PropertyRunner.class)
public @interface Property {
    int tries() default 50;
}
