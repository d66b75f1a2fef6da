package org.gridfarm.test.arch;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import static org.gridfarm.test.arch.House.CLASSES;
import static org.gridfarm.test.arch.House.PURE;

import com.tngtech.archunit.core.domain.JavaModifier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Pure rooms do no IO, start no thread, hold no lock, and have no clock and no dice of their own.
 */
@Tag("quick")
class PureRoomsTest {
    @Test
    void doNoIo() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage(
                                        "java.io..",
                                        "java.nio.file..",
                                        "java.nio.channels..",
                                        "java.net..",
                                        "io.netty..")
                                .and(not(assignableTo(Throwable.class)))
                                .and(
                                        not(
                                                assignableTo(java.io.Serializable.class)
                                                        .and(
                                                                not(
                                                                        assignableTo(
                                                                                java.io.File
                                                                                        .class)))))
                                .as("do input or output"))
                .check(CLASSES);
    }

    @Test
    void startNoThreadAndWaitForNone() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName(Thread.class.getName())
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("java.util.concurrent", "java.util.concurrent.locks..")
                .check(CLASSES);
    }

    @Test
    void holdNoLock() {
        noMethods()
                .that()
                .areDeclaredInClassesThat()
                .resideInAnyPackage(PURE)
                .should()
                .haveModifier(JavaModifier.SYNCHRONIZED)
                .check(CLASSES);
    }

    @Test
    void haveNoClockAndNoDiceOfTheirOwn() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(UUID.class, "randomUUID")
                .orShould()
                .callConstructor(Random.class)
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(ThreadLocalRandom.class, Clock.class)
                .check(CLASSES);
    }
}
