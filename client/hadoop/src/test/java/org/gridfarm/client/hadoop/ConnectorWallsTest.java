package org.gridfarm.client.hadoop;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

import org.junit.jupiter.api.Test;

class ConnectorWallsTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("org.gridfarm.client.hadoop");

    @Test
    void theConnectorStandsOnThePublicApiAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "org.gridfarm.client",
                        "org.gridfarm.client.hadoop",
                        "org.gridfarm.protocol.error",
                        "org.apache.hadoop..",
                        "org.slf4j",
                        "org.jspecify..",
                        "java..")
                .check(CLASSES);
    }
}
