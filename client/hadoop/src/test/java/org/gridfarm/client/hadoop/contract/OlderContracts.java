package org.gridfarm.client.hadoop.contract;

import static org.gridfarm.client.hadoop.contract.GridfarmContract.ROOT;
import static org.gridfarm.client.hadoop.contract.GridfarmContract.configured;
import static org.gridfarm.client.hadoop.contract.GridfarmContract.directory;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextCreateMkdirBaseTest;
import org.apache.hadoop.fs.FileContextMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContextPermissionBase;
import org.apache.hadoop.fs.FileContextTestHelper;
import org.apache.hadoop.fs.FileContextTestWrapper;
import org.apache.hadoop.fs.FileContextURIBase;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemContractBaseTest;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SymlinkBaseTest;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URI;

/** The tests of FileSystem and FileContext from before there were contracts. */
final class OlderContracts {
    private OlderContracts() {}

    private static FileContext context() throws IOException {
        Configuration configuration = configured(new Configuration());
        configuration.set("fs.defaultFS", ROOT.toString());
        return FileContext.getFileContext(ROOT, configuration);
    }

    private static FileContextTestHelper helper() {
        return new FileContextTestHelper(directory().toUri().getPath() + "/context");
    }

    static final class BaseContract extends FileSystemContractBaseTest {
        @BeforeEach
        void setUp() throws IOException {
            fs = FileSystem.newInstance(ROOT, configured(new Configuration()));
        }

        @Override
        protected Path getTestBaseDir() {
            return new Path(directory(), "base");
        }

        @Override
        protected String getDefaultWorkingDirectory() {
            return fs.getHomeDirectory().toUri().getPath();
        }

        /** The farm is shared. */
        @Override
        protected boolean rootDirTestEnabled() {
            return false;
        }
    }

    static final class MainOperations extends FSMainOperationsBaseTest {
        MainOperations() {
            super(directory().toUri().getPath() + "/main");
        }

        @Override
        protected FileSystem createFileSystem() throws IOException {
            return FileSystem.newInstance(ROOT, configured(new Configuration()));
        }

        @Override
        protected Path getDefaultWorkingDirectory() {
            return fSys.getHomeDirectory();
        }

        @Test
        @Override
        public void testListStatusThrowsExceptionForUnreadableDir() throws Exception {
            assumeNotRoot();
            super.testListStatusThrowsExceptionForUnreadableDir();
        }

        @Test
        @Override
        public void testGlobStatusThrowsExceptionForUnreadableDir() throws Exception {
            assumeNotRoot();
            super.testGlobStatusThrowsExceptionForUnreadableDir();
        }

        private static void assumeNotRoot() {
            Assumptions.assumeFalse(
                    System.getProperty("user.name").equals("root"), "root may read all");
        }
    }

    static final class ContextMainOperations extends FileContextMainOperationsBaseTest {
        @Override
        protected FileContextTestHelper createFileContextHelper() {
            return helper();
        }

        @Override
        @BeforeEach
        public void setUp() throws Exception {
            fc = context();
            super.setUp();
        }

        @Override
        protected Path getDefaultWorkingDirectory() {
            return fc.getHomeDirectory();
        }

        @Override
        protected boolean listCorruptedBlocksSupported() {
            return false;
        }
    }

    static final class ContextCreateMkdir extends FileContextCreateMkdirBaseTest {
        @Override
        protected FileContextTestHelper createFileContextHelper() {
            return helper();
        }

        @Override
        @BeforeEach
        public void setUp() throws Exception {
            fc = context();
            super.setUp();
        }
    }

    static final class ContextPermission extends FileContextPermissionBase {
        @Override
        protected FileContextTestHelper getFileContextHelper() {
            return helper();
        }

        @Override
        protected FileContext getFileContext() throws IOException {
            return context();
        }
    }

    static final class ContextUri extends FileContextURIBase {
        @Override
        @BeforeEach
        public void setUp() throws Exception {
            fc1 = context();
            fc2 = context();
            super.setUp();
        }
    }

    static final class Symlinks extends SymlinkBaseTest {
        @Override
        @BeforeEach
        public void setUp() throws Exception {
            wrapper = new FileContextTestWrapper(context());
            super.setUp();
        }

        @Override
        protected String getScheme() {
            return "gf";
        }

        @Override
        protected String testBaseDir1() {
            return directory().toUri().getPath() + "/links1";
        }

        @Override
        protected String testBaseDir2() {
            return directory().toUri().getPath() + "/links2";
        }

        @Override
        protected URI testURI() {
            return ROOT;
        }

        /** A status has the name that was asked for, as those of a POSIX file system. */
        private static final String BY_FARM = "the farm follows links, Hadoop's client does not";

        /** Else mounts would not follow it. */
        private static final String PLAIN = "a link holds a path, without scheme and authority";

        private static final String WORDS = "the failure is the same, in other words";

        @Test
        @Override
        public void testCreateLinkUsingRelPaths() {
            Assumptions.abort(BY_FARM);
        }

        @Test
        @Override
        public void testCreateLinkUsingAbsPaths() {
            Assumptions.abort(BY_FARM);
        }

        @Test
        @Override
        public void testAccessFileViaInterSymlinkRelTarget() {
            Assumptions.abort(BY_FARM);
        }

        @Test
        @Override
        public void testStatRelLinkToFile() {
            Assumptions.abort(BY_FARM);
        }

        @Test
        @Override
        public void testStatLinkToFile() {
            Assumptions.abort(BY_FARM);
        }

        @Test
        @Override
        public void testCreateLinkUsingPartQualPath1() {
            Assumptions.abort(PLAIN);
        }

        @Test
        @Override
        public void testCreateLinkUsingPartQualPath2() {
            Assumptions.abort(PLAIN);
        }

        @Test
        @Override
        public void testCreateLinkUsingFullyQualPaths() {
            Assumptions.abort(PLAIN);
        }

        @Test
        @Override
        public void testRecursiveLinks() {
            Assumptions.abort(WORDS);
        }
    }
}
