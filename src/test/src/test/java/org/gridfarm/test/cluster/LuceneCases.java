package org.gridfarm.test.cluster;

import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.LockFactory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NativeFSLockFactory;
import org.apache.lucene.tests.store.BaseDirectoryTestCase;
import org.apache.lucene.tests.store.BaseLockFactoryTestCase;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Lucene's cases for its directories and locks, run by JUnit 4 in a process whose temporary files
 * lie on a mount.
 */
public final class LuceneCases {
    private LuceneCases() {}

    public static final class ByChannel extends BaseDirectoryTestCase {
        @Override
        protected Directory getDirectory(Path path) throws IOException {
            return new NIOFSDirectory(path);
        }
    }

    public static final class ByMapping extends BaseDirectoryTestCase {
        @Override
        protected Directory getDirectory(Path path) throws IOException {
            return new MMapDirectory(path);
        }
    }

    public static final class NativeLocks extends BaseLockFactoryTestCase {
        @Override
        protected Directory getDirectory(Path path) throws IOException {
            LockFactory locks = NativeFSLockFactory.INSTANCE;
            return FSDirectory.open(path, locks);
        }
    }
}
