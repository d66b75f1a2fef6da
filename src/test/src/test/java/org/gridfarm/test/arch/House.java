package org.gridfarm.test.arch;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** The compiled classes of all components, read once, and the names of the rooms. */
final class House {
    static final String PROTOCOL = "org.gridfarm.protocol..";
    static final String NAMESPACE = "org.gridfarm.namespace..";
    static final String METASERVER = "org.gridfarm.metaserver..";
    static final String STORAGE_NODE = "org.gridfarm.storagenode..";
    static final String SCHEDULER = "org.gridfarm.scheduler..";
    static final String CLIENT = "org.gridfarm.client..";
    static final String CLIENT_CORE = "org.gridfarm.client.core..";
    static final String CLIENT_MOUNT = "org.gridfarm.client.mount..";
    static final String CLIENT_CLI = "org.gridfarm.client.cli..";

    /**
     * The development farm of the command line: it brings up a PostgreSQL and a ZooKeeper of its
     * own.
     */
    static final String FARM_ON_ONE_MACHINE = "org.gridfarm.client.cli.cluster..";

    /**
     * Rooms that compute and do nothing else, so that a test can run them through years in seconds.
     */
    static final String[] PURE = {
        "org.gridfarm.namespace..",
        "org.gridfarm.metaserver.replica..",
        "org.gridfarm.metaserver.coherence..",
        "org.gridfarm.metaserver.quota..",
        "org.gridfarm.metaserver.lock..",
        "org.gridfarm.client.core.transfer.grant..",
        "org.gridfarm.client.core.transfer.sending..",
        "org.gridfarm.scheduler.job..",
        "org.gridfarm.scheduler.placement..",
    };

    static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("org.gridfarm");

    private House() {}
}
